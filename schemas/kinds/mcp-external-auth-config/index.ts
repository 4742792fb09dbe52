import { type TProperties, type TSchema, Type } from 'typebox';
import { embeddedAuthServer } from '../auth-server/index.ts';
import { conditions, configHash, observedGeneration } from '../blocks.ts';
import { ageColumn, validColumn } from '../columns.ts';
import { type CelRule, fields, type KindDefinition, oneOf, refined } from '../define.ts';
import { awsStsConfig } from './aws-sts.ts';
import { oboConfig } from './obo.ts';
import { bearerTokenConfig, headerInjectionConfig, upstreamInjectConfig } from './static-credentials.ts';
import { tokenExchangeConfig } from './token-exchange.ts';
import { xaaConfig } from './xaa.ts';

/** The settings of each method, in the field of the same name. */
const methods: Readonly<Record<string, TSchema>> = {
  tokenExchange: tokenExchangeConfig,
  headerInjection: headerInjectionConfig,
  bearerToken: bearerTokenConfig,
  embeddedAuthServer: refined(embeddedAuthServer, {
    description:
      'Authorization server for an MCPServer or MCPRemoteProxy, with exactly one upstream. A VirtualMCPServer does not refer to it; use its `spec.authServerConfig`.',
  }),
  awsSts: awsStsConfig,
  upstreamInject: upstreamInjectConfig,
  obo: oboConfig,
  xaa: xaaConfig,
};

const methodNames = Object.keys(methods);

const methodFields: TProperties = Object.fromEntries(
  Object.entries(methods).map(([name, schema]) => [name, Type.Optional(schema)]),
);

const pairing: readonly CelRule[] = methodNames.map(name => ({
  rule: `(self.type == '${name}') == has(self.${name})`,
  message: `${name} must be present when type is '${name}' and absent otherwise`,
}));

export const mcpExternalAuthConfig: KindDefinition = {
  kind: 'MCPExternalAuthConfig',
  plural: 'mcpexternalauthconfigs',
  singular: 'mcpexternalauthconfig',
  shortNames: ['extauth', 'mcpextauth'],
  description: 'How to authenticate toward a server. Several workloads can refer to this object.',
  specRequired: false,
  printerColumns: [{ name: 'Type', type: 'string', jsonPath: '.spec.type' }, validColumn, ageColumn],
  spec: fields(
    'MCPExternalAuthConfigSpec',
    {
      type: oneOf([...methodNames, 'unauthenticated'], {
        description:
          'How to authenticate; the field of the same name must be set, except for `unauthenticated`, which sends no credentials.',
      }),
      ...methodFields,
    },
    {
      description: 'Desired way to authenticate.',
      rules: [
        ...pairing,
        {
          rule: `self.type != 'unauthenticated' || !(${methodNames.map(name => `has(self.${name})`).join(' || ')})`,
          message: "type 'unauthenticated' takes no settings: remove them or choose the type that they belong to",
        },
      ],
    },
  ),
  status: fields(
    'MCPExternalAuthConfigStatus',
    { configHash, observedGeneration, conditions },
    { description: 'Observed state of the authentication.' },
  ),
};
