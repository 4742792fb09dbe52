import { type TSchema, Type } from 'typebox';
import { ENV_PREFIX } from '../../names.ts';
import { compositeToolFields } from '../composite-tool/index.ts';
import { fields, objectRef, oneOf, record } from '../define.ts';
import { rateLimiting } from '../rate-limiting.ts';
import { redisSentinel } from '../redis-sentinel.ts';
import { aggregation } from './aggregation.ts';
import { audit } from './audit.ts';
import { codeMode } from './code-mode.ts';
import { configIncomingAuth } from './config-incoming-auth.ts';
import { configOutgoingAuth } from './config-outgoing-auth.ts';
import { operational } from './operational.ts';
import { optimizer } from './optimizer.ts';
import { staticBackend } from './static-backend.ts';
import { telemetry } from './telemetry.ts';

const compositeTool = fields('CompositeTool', compositeToolFields, {
  description: 'A workflow over backend tools that is advertised as one tool.',
});

const compositeToolRef = fields(
  'CompositeToolRef',
  {
    name: objectRef('VirtualMCPCompositeToolDefinition', {
      description: 'Name of the VirtualMCPCompositeToolDefinition.',
    }),
  },
  { description: 'A composite tool that is defined in an object of its own.' },
);

const configSessionStorage = fields(
  'ConfigSessionStorage',
  {
    provider: oneOf(['memory', 'redis'], {
      description: `Where sessions are stored. With \`redis\`, the password is read from the environment variable \`${ENV_PREFIX}SESSION_REDIS_PASSWORD\`.`,
    }),
    address: Type.Optional(
      Type.String({ description: 'Redis server as `host:port`; provider `redis` needs it or `sentinelConfig`.' }),
    ),
    db: Type.Optional(
      Type.Integer({ format: 'int32', minimum: 0, default: 0, description: 'Number of the Redis database.' }),
    ),
    keyPrefix: Type.Optional(
      Type.String({ description: 'Prefix of every key, so that several gateways can share one Redis.' }),
    ),
    sentinelConfig: Type.Optional(redisSentinel),
  },
  { description: 'Session storage outside a cluster; `spec.sessionStorage` takes precedence.' },
);

export const gatewayConfig: TSchema = fields(
  'GatewayConfig',
  {
    name: Type.Optional(Type.String({ description: 'Name of the gateway. In a cluster: the name of this object.' })),
    groupRef: Type.Optional(
      Type.String({ description: 'Name of the group. In a cluster it is filled from `spec.groupRef`.' }),
    ),
    aggregation: Type.Optional(aggregation),
    audit: Type.Optional(audit),
    backends: Type.Optional(
      Type.Array(staticBackend, {
        description:
          'Backends of a gateway whose `outgoingAuth.source` is `inline`. Leave it empty if the backends are discovered.',
      }),
    ),
    codeMode: Type.Optional(codeMode),
    compositeTools: Type.Optional(Type.Array(compositeTool, { description: 'Workflows defined in this object.' })),
    compositeToolRefs: Type.Optional(
      Type.Array(compositeToolRef, { description: 'Workflows defined in objects of their own.' }),
    ),
    incomingAuth: Type.Optional(configIncomingAuth),
    outgoingAuth: Type.Optional(configOutgoingAuth),
    metadata: Type.Optional(record(Type.String(), { description: 'Labels without effect.' })),
    operational: Type.Optional(operational),
    optimizer: Type.Optional(optimizer),
    passthroughHeaders: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'Headers of client requests that the gateway forwards to backends. `spec.passthroughHeaders` takes precedence.',
      }),
    ),
    rateLimiting: Type.Optional(rateLimiting),
    sessionStorage: Type.Optional(configSessionStorage),
    telemetry: Type.Optional(telemetry),
  },
  { description: 'What the gateway does at run time.' },
);
