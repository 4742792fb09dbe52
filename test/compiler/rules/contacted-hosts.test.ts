import { expect, test } from 'vitest';
import { REGISTRY_URL_FIELDS, URL_FIELDS } from '../../../compiler/rules/support/url-fields.ts';
import files from '../../../schemas/generated/files.json' with { type: 'json' };
import kinds from '../../../schemas/generated/kinds.json' with { type: 'json' };
import { judgeConfig } from '../../support/registry-rule.ts';
import { gatewayConfig, judge, object } from '../../support/rule.ts';

interface Schema {
  readonly type?: string;
  readonly pattern?: string;
  readonly properties?: { readonly [name: string]: Schema };
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/** Names of fields that contain an address. */
const NAME = /(?:url|uri|endpoint|issuer|address|addr|repository|host|authority|server|origin|embeddingService)s?$/i;

/** The paths of strings that contain an address, by their names or by their pattern. */
function* addressFields(schema: Schema, path: readonly string[] = []): Generator<string> {
  for (const [name, inner] of Object.entries(schema.properties ?? {})) yield* addressFields(inner, [...path, name]);
  if (schema.items !== undefined) yield* addressFields(schema.items, [...path, '*']);
  if (typeof schema.additionalProperties === 'object')
    yield* addressFields(schema.additionalProperties, [...path, '*']);
  for (const part of [schema.anyOf, schema.allOf, schema.oneOf].flatMap(parts => parts ?? [])) {
    yield* addressFields(part, path);
  }
  if (schema.type !== 'string') return;
  const name = path.findLast(member => member !== '*') ?? '';
  if (NAME.test(name) || schema.pattern?.includes('http') === true) yield path.join('.');
}

test.each(Object.entries(kinds))('URL_FIELDS lists every address field of %s, and nothing else', (kind, { spec }) => {
  const found = [...new Set(addressFields(spec as Schema))].sort();
  expect(found).toEqual(Object.keys(URL_FIELDS[kind] ?? {}).sort());
});

test('REGISTRY_URL_FIELDS lists every address field of a registry configuration, and nothing else', () => {
  const found = [...new Set(addressFields(files.RegistryConfig as unknown as Schema))].sort();
  expect(found).toEqual(Object.keys(REGISTRY_URL_FIELDS).sort());
});

const backend = (url: string) =>
  gatewayConfig(`{ backends: [{ name: b, url: '${url}', transport: sse, type: entry }] }`);

test.each([
  ['a metadata address', '169.254.169.254', 'metadata'],
  ['a metadata address in decimal', '2852039166', 'metadata'],
  ['a metadata address in octal', '0251.0376.0251.0376', 'metadata'],
  ['a metadata address in hexadecimal', '0xa9fea9fe', 'metadata'],
  ['a metadata address in two parts', '169.16689662', 'metadata'],
  ['a metadata address with a trailing dot', '169.254.169.254.', 'metadata'],
  ['a metadata address mapped into IPv6', '[::ffff:169.254.169.254]', 'metadata'],
  ['a metadata address translated into IPv6', '[64:ff9b::a9fe:a9fe]', 'metadata'],
  ['a metadata address in 6to4', '[2002:a9fe:a9fe::1]', 'reserved'],
  ['a metadata address in Teredo', '[2001:0:a9fe:a9fe::1]', 'reserved'],
  ['the metadata address of AWS over IPv6', '[fd00:ec2::254]', 'metadata'],
  ['the metadata address of Azure', '168.63.129.16', 'metadata'],
  ['the metadata address of Alibaba Cloud', '100.100.100.200', 'metadata'],
  ['a link-local address', '169.254.1.1', 'link-local'],
  ['a link-local IPv6 address', '[fe80::1]', 'link-local'],
  ['the unspecified address', '0.0.0.0', 'unspecified'],
  ['the unspecified IPv6 address', '[::]', 'unspecified'],
  ['a multicast address', '224.0.0.1', 'multicast'],
  ['a documentation address', '192.0.2.1', 'documentation'],
])('a backend at %s gives LNT6010: the address is %s', (_, host, addressClass) => {
  const found = judge('contactedHosts', backend(`http://${host}/mcp`));
  expect(found).toHaveLength(1);
  expect(found[0]).toMatch(
    new RegExp(
      `^LNT6010 error 7:\\d+ url points to ".+", which a gateway never contacts: the address is ${addressClass}$`,
    ),
  );
});

test.each(['metadata.google.internal', 'METADATA.google.internal.', 'a.metadata.goog', 'instance-data.ec2.internal'])(
  'a backend at the metadata host name %s gives LNT6010',
  host => {
    expect(judge('contactedHosts', backend(`http://${host}/mcp`))).toEqual([
      expect.stringMatching(
        /^LNT6010 error .* which a gateway never contacts: the name is that of a metadata service$/,
      ),
    ]);
  },
);

test.each(['127.0.0.1', 'localhost', '[::1]', '10.0.0.1', '100.64.0.1', 'tools.team.svc.cluster.local', 'example.com'])(
  'a backend at %s gives no finding',
  host => {
    expect(judge('contactedHosts', backend(`http://${host}/mcp`))).toEqual([]);
  },
);

const NEVER = '169.254.169.254';

test.each<[string, string]>([
  ['GatewaySource', `{ url: 'https://${NEVER}/specs.git' }`],
  ['GatewaySource', `{ url: 'git@${NEVER}:team/specs' }`],
  [
    'MCPExternalAuthConfig',
    `{ type: tokenExchange, tokenExchange: { tokenUrl: 'https://${NEVER}/token', audience: a } }`,
  ],
  ['MCPTelemetryConfig', `{ openTelemetry: { endpoint: '${NEVER}:4318', enabled: true, tracing: { enabled: true } } }`],
])('a cloud metadata address in %s gives LNT6010: %s', (kind, spec) => {
  expect(judge('contactedHosts', object(kind, spec))).toEqual([expect.stringMatching(/^LNT6010 error /)]);
});

test('a registry server with a source at a cloud metadata address gives LNT6010', () => {
  const config = `sources:
  - name: one
    api: { endpoint: 'http://${NEVER}/' }
    syncPolicy: { interval: 1h }
  - name: two
    git: { repository: 'https://${NEVER}/entries.git', branch: main }
    syncPolicy: { interval: 1h }
registries: [{ name: all, sources: [one, two] }]
auth: { mode: anonymous }
`;
  expect(
    judgeConfig('contactedRegistryHosts', config)
      .map(line => line.slice(0, 18))
      .sort(),
  ).toEqual(['LNT6010 error 3:22', 'LNT6010 error 6:24']);
});

const inline = (fields: string) => object('MCPOIDCConfig', `{ type: inline, inline: { ${fields} } }`);
const OUTSIDE = "issuer: 'https://id.example.com'";
const INSIDE = "issuer: 'https://keycloak.auth.svc.cluster.local/realms/a'";

test.each<[string, string, readonly string[]]>([
  ['a private issuer', INSIDE, ['issuer']],
  ['a private issuer with jwksAllowPrivateIP', `${INSIDE}, jwksAllowPrivateIP: true`, []],
  ['a private issuer with public jwksUrl', `${INSIDE}, jwksUrl: 'https://keys.example.com/jwks'`, []],
  ['keys at a private address', `${OUTSIDE}, jwksUrl: 'https://10.1.2.3/jwks'`, ['jwksUrl']],
  [
    'introspection at a Service of the cluster',
    `${OUTSIDE}, introspectionUrl: 'https://hydra.auth.svc.cluster.local/introspect'`,
    ['introspectionUrl'],
  ],
  [
    'a carrier-grade NAT address with jwksAllowPrivateIP',
    `issuer: 'https://100.64.0.9', jwksAllowPrivateIP: true`,
    ['issuer'],
  ],
  ['public URLs only', `${OUTSIDE}, introspectionUrl: 'https://id.example.com/introspect'`, []],
  ['a metadata address with jwksAllowPrivateIP', `issuer: 'http://${NEVER}', jwksAllowPrivateIP: true`, ['issuer']],
])('the rule contactedHosts reports the private URLs of an MCPOIDCConfig: %s', (_, fields, expected) => {
  const found = judge('contactedHosts', inline(fields));
  expect(found.map(line => /LNT6010 error \d+:\d+ (\w+) points to/.exec(line)?.[1])).toEqual(expected);
});

test.each(['https://hydra', 'https://login.corp.internal', 'https://id.home.lan', 'https://keycloak.auth.svc'])(
  'the rule contactedHosts warns that the host name of the issuer %s usually leads to a private address',
  issuer => {
    const { hostname } = new URL(issuer);
    expect(judge('contactedHosts', inline(`issuer: '${issuer}'`))).toEqual([
      expect.stringMatching(
        `^LNT6010 warning [0-9:]+ issuer points to "${hostname}": such a name usually leads to a private address, and connections to private addresses are refused$`,
      ),
    ]);
    expect(judge('contactedHosts', inline(`issuer: '${issuer}', jwksAllowPrivateIP: true`))).toEqual([]);
  },
);

test('an issuer at a private address in spec.config gives an error, unless jwksAllowPrivateIp is set', () => {
  const written = (fields: string) =>
    `apiVersion: lintel.dev/v1beta1\nkind: VirtualMCPServer\nmetadata: { name: it }\nspec:\n  groupRef: { name: tools }\n  config: { incomingAuth: { type: oidc, oidc: { audience: a, clientId: c, ${fields} } } }\n`;
  expect(judge('contactedHosts', written("issuer: 'https://10.0.0.1'"))).toEqual([
    expect.stringMatching(/^LNT6010 error 6:\d+ issuer points to the private address "10.0.0.1"/),
  ]);
  expect(judge('contactedHosts', written("issuer: 'https://10.0.0.1', jwksAllowPrivateIp: true"))).toEqual([]);
});
