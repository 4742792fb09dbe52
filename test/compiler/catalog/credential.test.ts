import { expect, test } from 'vitest';
import { compile, readTexts, SourceText } from '#compiler';
import { type Credential, deduplicateBackends } from '../../../compiler/analysis/catalog/index.ts';
import { object } from '../../support/rule.ts';

/** The credentials that `lintel lock` uses for the backends of these objects, by key. */
function credentials(...objects: readonly string[]): ReadonlyMap<string, Credential> {
  const sources = readTexts([new SourceText('all.yaml', objects.join('---\n'))]);
  const origin = { compilerVersion: '0.0.0', sourceRevision: null };
  const { gateways } = compile(sources, { purpose: 'check', origin });
  const backends = deduplicateBackends(gateways.flatMap(gateway => gateway.backends?.() ?? []));
  return new Map(backends.map(({ key, credential }) => [key, credential]));
}

const GROUP = object('MCPGroup', '{}', 'tools');
const entry = (fields = '') =>
  object(
    'MCPServerEntry',
    `{ groupRef: { name: tools }, remoteUrl: "https://x.example.com/mcp", transport: sse${fields} }`,
    'wiki',
  );
const gateway = (fields = '', name = 'eng') =>
  object('VirtualMCPServer', `{ groupRef: { name: tools }, incomingAuth: { type: anonymous }${fields} }`, name);
const auth = (spec: string, name: string) => object('MCPExternalAuthConfig', `{ ${spec} }`, name);
const OWN = auth(
  'type: headerInjection, headerInjection: { headerName: X-Own, valueSecretRef: { name: s, key: k } }',
  'own.key',
);
const NONE = auth('type: unauthenticated', 'none');
const BEARER = auth('type: bearerToken, bearerToken: { tokenSecretRef: { name: s, key: k } }', 'bearer');
const REF = ', externalAuthConfigRef: { name: own.key }';

const KEY = 'default/MCPServerEntry/wiki';
const NOTHING: Credential = { type: 'headers', headers: [] };
const OWN_HEADER: Credential = {
  type: 'headers',
  headers: [{ name: 'X-Own', value: { env: 'LINTEL_HEADER_INJECTION_VALUE_OWN_KEY' }, isSecret: true }],
};
const header = (name: string, env: string): Credential => ({
  type: 'headers',
  headers: [{ name, value: { env }, isSecret: true }],
});
const other = (reason: string): Credential => ({ type: 'other', reason });

const strategy = (name: string) =>
  `type: header_injection, headerInjection: { headerName: ${name}, headerValueEnv: V }`;

/** The entry, the gateway, and the credential that the gateway sends to the entry. */
const ROWS: readonly (readonly [name: string, entry: string, gateway: string, credential: Credential])[] = [
  ['no credential anywhere', entry(), gateway(), NOTHING],
  ['the reference of the workload', entry(REF), gateway(), OWN_HEADER],
  [
    'a gateway whose source is inline ignores the reference of the workload',
    entry(REF),
    gateway(', outgoingAuth: { source: inline }'),
    NOTHING,
  ],
  [
    'source inline with a default that discovers the reference of the workload',
    entry(REF),
    gateway(', outgoingAuth: { source: inline, default: { type: discovered } }'),
    OWN_HEADER,
  ],
  [
    'the entry of the gateway before the reference of the workload',
    entry(REF),
    gateway(
      ', outgoingAuth: { backends: { wiki: { type: externalAuthConfigRef, externalAuthConfigRef: { name: none } } } }',
    ),
    NOTHING,
  ],
  [
    'a discovered entry under source inline',
    entry(REF),
    gateway(', outgoingAuth: { source: inline, backends: { wiki: { type: discovered } } }'),
    OWN_HEADER,
  ],
  [
    'the default, for a workload without a reference',
    entry(),
    gateway(', outgoingAuth: { default: { type: externalAuthConfigRef, externalAuthConfigRef: { name: own.key } } }'),
    OWN_HEADER,
  ],
  [
    'the reference of the workload before the default',
    entry(', externalAuthConfigRef: { name: none }'),
    gateway(', outgoingAuth: { default: { type: externalAuthConfigRef, externalAuthConfigRef: { name: own.key } } }'),
    NOTHING,
  ],
  [
    'a strategy for the backend in spec.config',
    entry(REF),
    gateway(`, config: { outgoingAuth: { source: discovered, backends: { wiki: { ${strategy('X-One')} } } } }`),
    header('X-One', 'V'),
  ],
  [
    'the default strategy in spec.config',
    entry(),
    gateway(`, config: { outgoingAuth: { source: inline, default: { ${strategy('X-All')} } } }`),
    header('X-All', 'V'),
  ],
  [
    'spec.outgoingAuth before spec.config.outgoingAuth',
    entry(),
    gateway(
      `, outgoingAuth: { source: inline }, config: { outgoingAuth: { source: inline, default: { ${strategy('X-All')} } } }`,
    ),
    NOTHING,
  ],
  [
    'forwarded headers next to the credential, which overrides a header of its name',
    entry(`${REF}, headerForward: { addPlaintextHeaders: { x-own: "1", X-Team: "2" } }`),
    gateway(),
    {
      type: 'headers',
      headers: [...OWN_HEADER.headers, { name: 'X-Team', value: { literal: '2' }, isSecret: false }],
    } as Credential,
  ],
  [
    'a credential that is no static header',
    entry(', externalAuthConfigRef: { name: bearer }'),
    gateway(),
    other('bearerToken of MCPExternalAuthConfig "bearer"'),
  ],
  [
    'a literal secret in spec.config',
    entry(),
    gateway(
      ', config: { outgoingAuth: { source: inline, default: { type: header_injection, headerInjection: { headerName: X-Key, headerValue: v } } } }',
    ),
    other('header_injection of the gateway'),
  ],
  [
    'a reference to an object that does not exist',
    entry(', externalAuthConfigRef: { name: gone }'),
    gateway(),
    other('MCPExternalAuthConfig "gone" is not in the sources'),
  ],
];

test.each(ROWS)('lintel lock chooses the credential for a backend: %s', (_, workload, eng, credential) => {
  expect(credentials(GROUP, OWN, NONE, BEARER, workload, eng).get(KEY)).toEqual(credential);
});

test('lintel lock has no credential for a proxy that authenticates its callers', () => {
  const oidc = ', oidcConfigRef: { name: corp, audience: wiki }';
  const proxy = object(
    'MCPRemoteProxy',
    `{ groupRef: { name: tools }, remoteUrl: "https://x.example.com/mcp"${oidc} }`,
    'wiki',
  );
  expect(credentials(GROUP, proxy, gateway()).get('default/MCPRemoteProxy/wiki')).toEqual(
    other('it authenticates its callers (spec.oidcConfigRef)'),
  );
});

test("a backend that only a gateway's spec lists has its own key in the tool lock, even if a gateway or workload has the same name", () => {
  const backends = '[{ name: eng, url: "http://a", transport: sse }, { name: wiki, url: "http://b", transport: sse }]';
  const eng = gateway(`, config: { outgoingAuth: { source: inline }, backends: ${backends} }`);
  expect([...credentials(GROUP, OWN, entry(REF), eng)]).toEqual([
    ['default/VirtualMCPServer/eng/eng', NOTHING],
    ['default/VirtualMCPServer/eng/wiki', NOTHING],
  ]);
});

test('lintel lock queries a backend of two gateways as the gateway whose credential lintel lock can use', () => {
  const first = gateway(
    ', outgoingAuth: { backends: { wiki: { type: externalAuthConfigRef, externalAuthConfigRef: { name: bearer } } } }',
    'a',
  );
  expect([...credentials(GROUP, OWN, BEARER, entry(REF), first, gateway('', 'b'))]).toEqual([[KEY, OWN_HEADER]]);
});
