/** Mistakes that `lintel check` refuses in YAML are type errors in a program: in each row, `tsc` accepts `good` and refuses `bad`. */
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import type { DiagnosticCode } from '../../../../compiler/index.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const PRELUDE = `
import { App, Chart } from 'cdk8s';
import {
  AuthServer, Backend, CaBundle, Gateway, Group, Incoming, Oidc, OutgoingAuth, ProxyAuth, Registry, RegistryAuth,
  RegistryFile, RegistryProvider, RegistrySource, Secret, ServerFile, Sessions, Telemetry, Upstream,
} from '${ROOT}/compiler/cdk8s/index.ts';
declare const chart: Chart;
declare const group: Group;
const client = { id: 'a', secret: Secret.key('a', 'b') };
const tokenUrl = 'https://id.example.com/token';
const every = '5m';
const source = RegistrySource.url('s', { url: 'https://example.com/a.json', every });
const provider = RegistryProvider.cluster('c', { audience: 'a' });
const upstream = Upstream.oidc('a', { issuer: 'https://id.example.com', client: { id: 'a' } });
const server = { resourceUrl: 'https://mcp.example.com', upstreams: [upstream] } as const;
const endpoints = { authorizationEndpoint: 'https://a.example', tokenEndpoint: 'https://a.example' } as const;
const run = 'runtime value' as string;
void [App, Backend, CaBundle, Gateway, Incoming, Oidc, OutgoingAuth, ProxyAuth, Registry, RegistryAuth, RegistryFile,
  ServerFile, Sessions, Telemetry, AuthServer, chart, group, client, tokenUrl, source, provider, server, endpoints, run];
`;

const oidc = (props: string) => `Oidc.inline(chart, 'a', { ${props} })`;
const exchange = (props: string) => `OutgoingAuth.tokenExchange(chart, 'a', { tokenUrl, audience: 'a', ${props} })`;
const aws = (props: string) => `OutgoingAuth.awsSts(chart, 'a', { region: 'eu-central-1', ${props} })`;
const obo = (props: string) => `OutgoingAuth.onBehalfOf(chart, 'a', { tenantId: 'a', client, ${props} })`;
const xaa = (target: string) =>
  `OutgoingAuth.crossApp(chart, 'a', { idp: { tokenUrl }, target: { audience: 'a', ${target} } })`;
const gateway = (props: string) => `new Gateway(chart, 'a', { group, ${props} })`;
const git = (props: string) => `RegistrySource.git('a', { every, ${props} })`;
const registry = (props: string) => `new Registry(chart, 'a', { ${props} })`;
const oauth = (props: string) => `RegistryAuth.oauth({ resourceUrl: 'https://a.example', ${props} })`;
const otel = (props: string) => `new Telemetry(chart, 'a', { ${props} })`;
const authServer = (props: string) => `new AuthServer(chart, 'a', { ...server, ${props} })`;
const oauth2 = (props: string) => `Upstream.oauth2('a', { ${props} })`;

const ROLE = `'arn:aws:iam::123456789012:role/a'`;

/** Rows by the codes that `lintel check` would report for the same mistake in YAML. */
const TABLE: readonly (readonly [code: DiagnosticCode, what: string, good: string, bad: string])[] = [
  ['LNT4004', 'an issuer over http', oidc(`issuer: 'https://a'`), oidc(`issuer: 'http://a'`)],
  [
    'LNT4004',
    'http without the switch',
    oidc(`issuer: 'http://a', insecureAllowHTTP: true`),
    oidc(`issuer: 'http://a', insecureAllowHTTP: false`),
  ],
  [
    'LNT4004',
    'keys over http',
    oidc(`issuer: 'https://a', jwksUrl: 'https://a'`),
    oidc(`issuer: 'https://a', jwksUrl: 'http://a'`),
  ],
  [
    'LNT4004',
    'introspection over http',
    oidc(`issuer: 'https://a', introspection: { url: 'https://a' }`),
    oidc(`issuer: 'https://a', introspection: { url: 'http://a' }`),
  ],
  [
    'LNT4004',
    'service accounts over http',
    `Oidc.serviceAccounts(chart, 'a', { issuer: 'https://a' })`,
    `Oidc.serviceAccounts(chart, 'a', { issuer: 'http://a' })`,
  ],
  [
    'LNT4004',
    'an exchange over http',
    exchange(`scopes: []`),
    `OutgoingAuth.tokenExchange(chart, 'a', { tokenUrl: 'http://a', audience: 'a' })`,
  ],
  ['LNT6011', 'an issuer that is no URL', oidc(`issuer: 'https://a'`), oidc(`issuer: 'a'`)],
  [
    'LNT1010',
    'no audience',
    gateway(`incoming: Oidc.existing('a').forAudience('a')`),
    gateway(`incoming: Oidc.existing('a')`),
  ],
  ['LNT1010', 'nobody said who connects', gateway(`incoming: Incoming.anonymous()`), gateway('')],
  [
    'LNT1008',
    'a client without introspection',
    oidc(`issuer: 'https://a', introspection: { url: 'https://a', client }`),
    oidc(`issuer: 'https://a', clientId: 'a'`),
  ],
  ['LNT1008', 'half a client', exchange(`client`), exchange(`client: { id: 'a' }`)],
  [
    'LNT6001',
    'a secret in the clear',
    `OutgoingAuth.header(chart, 'a', { header: 'X-A', value: Secret.key('a', 'b') })`,
    `OutgoingAuth.header(chart, 'a', { header: 'X-A', value: 's3cret' })`,
  ],
  [
    'LNT6001',
    'a client secret in the clear',
    exchange(`client: { id: 'a', secret: Secret.key('a', 'b') }`),
    exchange(`client: { id: 'a', secret: 's3cret' }`),
  ],
  [
    'LNT6001',
    'a reference by its shape',
    exchange(`client`),
    exchange(`client: { id: 'a', secret: { name: 'a', key: 'b' } }`),
  ],
  [
    'LNT6001',
    'a Redis password in the clear',
    `Sessions.redis({ address: 'a:1', password: Secret.key('a', 'b') })`,
    `Sessions.redis({ address: 'a:1', password: 'a' })`,
  ],
  [
    'LNT2003',
    'a bearer token for a gateway',
    gateway(`incoming: Incoming.anonymous(), outgoing: { default: OutgoingAuth.existing('a') }`),
    gateway(
      `incoming: Incoming.anonymous(), outgoing: { default: ProxyAuth.bearerToken(chart, 'a', { token: Secret.key('a', 'b') }) }`,
    ),
  ],
  ['LNT1011', 'an unknown type of token', exchange(`subjectTokenType: 'jwt'`), exchange(`subjectTokenType: 'saml'`)],
  ['LNT1010', 'AWS without a role', aws(`fallbackRole: ${ROLE}`), aws('')],
  ['LNT1010', 'AWS with no roles to choose from', aws(`roles: [{ claim: 'a', role: ${ROLE} }]`), aws(`roles: []`)],
  ['LNT1012', 'a role that is none', aws(`fallbackRole: ${ROLE}`), aws(`fallbackRole: 'reader'`)],
  [
    'LNT1021',
    'a role by claim and by matcher',
    aws(`roles: [{ matcher: 'true', role: ${ROLE} }]`),
    aws(`roles: [{ claim: 'a', matcher: 'true', role: ${ROLE} }]`),
  ],
  ['LNT1010', 'a role for nobody', aws(`roles: [{ claim: 'a', role: ${ROLE} }]`), aws(`roles: [{ role: ${ROLE} }]`)],
  ['LNT1010', 'on behalf of, to nothing', obo(`audience: 'a'`), obo('')],
  [
    'LNT1010',
    'on behalf of, without a directory',
    obo(`scopes: ['a']`),
    `OutgoingAuth.onBehalfOf(chart, 'a', { client, audience: 'a' })`,
  ],
  ['LNT6011', 'another application over http', xaa(`tokenUrl`), xaa(`tokenUrl: 'http://a'`)],
  [
    'LNT6011',
    'another application over http without the switch',
    xaa(`tokenUrl: 'http://a', insecure: true`),
    xaa(`tokenUrl: 'http://a', insecure: false`),
  ],
  ['LNT1010', 'Redis without an address', `Sessions.redis({ address: 'redis:6379' })`, `Sessions.redis({})`],
  [
    'LNT1012',
    'Redis without a port',
    `Sessions.redis({ address: 'redis:6379' })`,
    `Sessions.redis({ address: 'redis' })`,
  ],
  [
    'LNT1012',
    'a prefix that runs into the key',
    `Sessions.redis({ address: 'a:1', keyPrefix: 'a:' })`,
    `Sessions.redis({ address: 'a:1', keyPrefix: 'a' })`,
  ],
  [
    'LNT1010',
    'a collector that is sent nothing',
    otel(`collector: { endpoint: 'a:1', metrics: true }`),
    otel(`collector: { endpoint: 'a:1' }`),
  ],
  [
    'LNT1021',
    'authorities for plain http',
    otel(`collector: { endpoint: 'a:1', traces: true, insecure: true }`),
    otel(`collector: { endpoint: 'a:1', traces: true, insecure: true, caBundle: CaBundle.configMap('a') }`),
  ],
  [
    'LNT4013',
    'a parameter of the protocol',
    `Upstream.oidc('a', { issuer: 'https://a', client: { id: 'a' }, additionalAuthorizationParams: { prompt: 'login' } })`,
    `Upstream.oidc('a', { issuer: 'https://a', client: { id: 'a' }, additionalAuthorizationParams: { scope: 'openid' } })`,
  ],
  [
    'LNT1005',
    'an upstream that is registered and registers',
    oauth2(`...endpoints, client: { id: 'a' }`),
    oauth2(`...endpoints, client: { id: 'a' }, registration: { discoveryUrl: 'https://a' }`),
  ],
  [
    'LNT1010',
    'a registration without scopes',
    oauth2(`...endpoints, registration: { registrationEndpoint: 'https://a' }, scopes: ['a']`),
    oauth2(`...endpoints, registration: { registrationEndpoint: 'https://a' }`),
  ],
  [
    'LNT4004',
    'an upstream over http',
    oauth2(`...endpoints, client: { id: 'a' }`),
    oauth2(`authorizationEndpoint: 'http://a', tokenEndpoint: 'https://a', client: { id: 'a' }`),
  ],
  ['LNT4004', 'an authorization server over http', authServer(`issuer: 'https://a'`), authServer(`issuer: 'http://a'`)],
  [
    'LNT4021',
    'client secrets over http on this machine',
    authServer(`issuer: 'http://localhost:1', confidentialClients: { insecureOverLoopback: true }`),
    authServer(`issuer: 'http://localhost:1', confidentialClients: {}`),
  ],
  [
    'LNT1005',
    'client secrets over http',
    authServer(`issuer: 'http://a', insecureAllowHTTP: true`),
    authServer(`issuer: 'http://a', insecureAllowHTTP: true, confidentialClients: {}`),
  ],
  [
    'LNT1005',
    'a Redis by address and sentinels',
    authServer(`issuer: 'https://a', storage: { redis: { address: 'a:1', password: Secret.key('a', 'b') } }`),
    authServer(
      `issuer: 'https://a', storage: { redis: { address: 'a:1', sentinels: { masterName: 'a', sentinelAddrs: ['a:1'] }, password: Secret.key('a', 'b') } }`,
    ),
  ],
  [
    'LNT4010',
    'an authorization server that no caller signs in at',
    gateway(`incoming: new AuthServer(chart, 'a', { ...server, issuer: 'https://a' })`),
    gateway(`incoming: Incoming.anonymous(), authServerConfig: {}`),
  ],
  [
    'LNT2001',
    'a source that there is not',
    registry(`registries: [{ name: 'a', sources: [source] }], auth: RegistryAuth.anonymous()`),
    registry(`registries: [{ name: 'a', sources: ['s'] }], auth: RegistryAuth.anonymous()`),
  ],
  [
    'LNT1010',
    'a registry server without auth',
    registry(`registries: [{ name: 'a', sources: [source] }], auth: RegistryAuth.anonymous()`),
    registry(`registries: [{ name: 'a', sources: [source] }]`),
  ],
  [
    'LNT1013',
    'a registry without sources',
    registry(`registries: [{ name: 'a', sources: [source] }], auth: RegistryAuth.anonymous()`),
    registry(`registries: [{ name: 'a', sources: [] }], auth: RegistryAuth.anonymous()`),
  ],
  ['LNT1013', 'no providers', oauth(`providers: [provider]`), oauth(`providers: []`)],
  [
    'LNT8003',
    'roles of anonymous callers',
    oauth(`providers: [provider], roles: {}`),
    `RegistryAuth.anonymous({ roles: {} })`,
  ],
  [
    'LNT8001',
    'a public path above all registries',
    oauth(`providers: [provider], publicPaths: ['/registry/open']`),
    oauth(`providers: [provider], publicPaths: ['/']`),
  ],
  [
    'LNT8004',
    'a claim without values',
    oauth(`providers: [provider], roles: { superAdmin: [{ a: ['b'] }] }`),
    oauth(`providers: [provider], roles: { superAdmin: [{ a: [] }] }`),
  ],
  [
    'LNT8007',
    'a provider over http',
    `RegistryProvider.oidc('a', { issuer: 'http://localhost:1', audience: 'a' })`,
    `RegistryProvider.oidc('a', { issuer: 'http://a', audience: 'a' })`,
  ],
  [
    'LNT1010',
    'the secret of no client',
    `RegistryProvider.oidc('a', { issuer: 'https://a', audience: 'a', introspection: { url: 'https://a', client: { id: 'a' } } })`,
    `RegistryProvider.oidc('a', { issuer: 'https://a', audience: 'a', introspection: { url: 'https://a', client: { secret: ServerFile.at('/a') } } })`,
  ],
  [
    'LNT1021',
    'a token and a user of a source',
    `RegistrySource.api('a', { endpoint: 'https://a', every: '1h', auth: { token: ServerFile.at('/a') } })`,
    `RegistrySource.api('a', { endpoint: 'https://a', every: '1h', auth: { token: ServerFile.at('/a'), username: 'u', password: ServerFile.at('/b') } })`,
  ],
  [
    'LNT8007',
    'a token of a source over http',
    `RegistrySource.url('a', { url: 'https://a', every: '1h', auth: { token: ServerFile.at('/a') } })`,
    `RegistrySource.url('a', { url: 'http://a', every: '1h', auth: { token: ServerFile.at('/a') } })`,
  ],
  [
    'LNT8014',
    'half of a cluster',
    `RegistryProvider.cluster('a', { audience: 'a' })`,
    `RegistryProvider.cluster('a', { audience: 'a', ca: undefined })`,
  ],
  [
    'LNT1021',
    'a branch and a tag',
    git(`repository: 'https://a', branch: 'a'`),
    git(`repository: 'https://a', branch: 'a', tag: 'b'`),
  ],
  [
    'LNT8007',
    'a password over http',
    git(`repository: 'https://a', auth: { username: 'a', password: Secret.key('a', 'b') }`),
    git(`repository: 'http://a', auth: { username: 'a', password: Secret.key('a', 'b') }`),
  ],
  [
    'LNT1010',
    'a source that is never read again',
    `RegistrySource.api('a', { endpoint: 'https://a', every })`,
    `RegistrySource.api('a', { endpoint: 'https://a' })`,
  ],
  [
    'LNT1012',
    'an interval in days',
    `RegistrySource.api('a', { endpoint: 'https://a', every: '24h' })`,
    `RegistrySource.api('a', { endpoint: 'https://a', every: '1d' })`,
  ],
  ['LNT8016', 'a source that needs a database', `RegistrySource.kubernetes('a')`, `RegistrySource.managed('a')`],
  [
    'LNT6001',
    'a registry password in the clear',
    `ServerFile.at('/a')`,
    git(`repository: 'https://a', auth: { username: 'a', password: 's3cret' }`),
  ],
  ['LNT1012', 'a relative path next to the server', `ServerFile.at('/a')`, `ServerFile.at('a')`],
  ['LNT6011', 'a text that nobody looked at', oidc(`issuer: 'https://a'`), oidc(`issuer: run`)],
];

/** Errors of `tsc` in each text, as a separate module. */
function errorsIn(texts: readonly string[]): readonly (readonly string[])[] {
  const files = new Map(
    texts.map((text, index) => [join(ROOT, `test/cdk8s-snippet-${index}.ts`), `${PRELUDE}void (${text});`]),
  );
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, ROOT);
  const host = ts.createCompilerHost({ ...options, noEmit: true, types: [] }, true);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = name => files.has(name) || fileExists.call(host, name);
  host.readFile = name => files.get(name) ?? readFile.call(host, name);
  host.getSourceFile = (name, ...rest) => {
    const text = files.get(name);
    return text === undefined
      ? getSourceFile.call(host, name, ...rest)
      : ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  };
  const program = ts.createProgram([...files.keys()], options, host);
  return [...files.keys()].map(name => {
    const file = program.getSourceFile(name);
    return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map(
      ({ code, messageText }) => `TS${code} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
    );
  });
}

test('TypeScript refuses the bad program of each pair and accepts the good program', () => {
  const results = errorsIn(TABLE.flatMap(([, , good, bad]) => [good, bad]));
  const wrong = TABLE.flatMap(([code, what], index) => {
    const [good = [], bad = []] = results.slice(index * 2);
    return [
      ...good.map(error => `${code} ${what}: the good line has ${error}`),
      ...(bad.length === 0 ? [`${code} ${what}: the bad line compiles`] : []),
      // An unknown name would be an error for the wrong reason.
      ...bad.filter(error => /^TS(?:2304|2305|2307|1\d{3}) /.test(error)).map(error => `${code} ${what}: ${error}`),
    ];
  });
  expect(wrong).toEqual([]);
});
