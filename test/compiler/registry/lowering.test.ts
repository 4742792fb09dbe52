/** Parts of the bundle that the golden files do not show. */
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { formatCanonicalJson } from '#schemas';
import { compileConfig, formatFindings, getBundle } from './compiling.ts';

const VIEWS = `sources: [{ name: a, file: { path: /x } }]
registries: [{ name: main, sources: [a] }, { name: open, sources: [a] }]
`;

const AUTHZ = '  authz: { roles: { superAdmin: [{ role: admin }] } }\n';
const oauth = (fields: string, provider = '') => `${VIEWS}auth:
${AUTHZ}  oauth:
    ${fields}
    providers: [{ name: corp, issuerUrl: https://login.example.com/, audience: r${provider} }]
`;
const PLAIN = oauth('resourceUrl: https://r.example.com');

test('an anonymous registry server has public routes only, and its oauth settings have no effect', () => {
  const compiled = compileConfig(
    `${VIEWS}auth: { mode: anonymous, oauth: { resourceUrl: x, providers: [{ name: a, issuerUrl: x, audience: r }] } }\n`,
  );
  expect(formatFindings(compiled)).toEqual(['LNT1008 3:26-3:31 auth.oauth has no effect: auth.mode is anonymous']);
  expect(getBundle(compiled)).toMatchObject({
    auth: { mode: 'anonymous' },
    authorization: { type: 'none' },
    publicPaths: ['/'],
    requires: ['registry', 'registry-source-file'],
  });
  expect(new Set(getBundle(compiled).routes.map(({ access }) => access))).toEqual(new Set(['public']));
});

test('the bundle of a registry server says of every route whether it needs a token', () => {
  const text = oauth('resourceUrl: https://r.example.com\n    publicPaths: [//registry//open/, /registry/open]');
  const { publicPaths, routes } = getBundle(compileConfig(text));
  expect(publicPaths).toEqual(['/.well-known', '/browse', '/openapi.json', '/openapi.yaml', '/registry/open']);
  expect(routes.map(({ path, access }) => `${access} ${path}`)).toEqual([
    'public /browse',
    'public /browse/page.css',
    'public /browse/page.js',
    'public /openapi.json',
    'public /openapi.yaml',
    'public /.well-known/oauth-protected-resource',
    'caller /registry/main/v0.1/servers',
    'caller /registry/main/v0.1/servers/{serverName}/versions',
    'caller /registry/main/v0.1/servers/{serverName}/versions/{version}',
    'caller /registry/main/v0/servers',
    'caller /registry/main/v0/servers/{serverName}/versions',
    'caller /registry/main/v0/servers/{serverName}/versions/{version}',
    'public /registry/open/v0.1/servers',
    'public /registry/open/v0.1/servers/{serverName}/versions',
    'public /registry/open/v0.1/servers/{serverName}/versions/{version}',
    'public /registry/open/v0/servers',
    'public /registry/open/v0/servers/{serverName}/versions',
    'public /registry/open/v0/servers/{serverName}/versions/{version}',
  ]);
});

test.each([
  ['https://r.example.com', 'https://r.example.com/.well-known/oauth-protected-resource'],
  ['https://r.example.com/', 'https://r.example.com/.well-known/oauth-protected-resource'],
  ['https://r.example.com:8443/a/b', 'https://r.example.com:8443/.well-known/oauth-protected-resource/a/b'],
])('the registry server with the resourceUrl %s serves its metadata at %s', (resource, url) => {
  const { auth } = getBundle(compileConfig(oauth(`resourceUrl: ${resource}`)));
  const plain = '/.well-known/oauth-protected-resource';
  const path = new URL(url).pathname;
  expect(auth).toMatchObject({
    realm: 'mcp-registry',
    resourceMetadata: {
      url,
      paths: path === plain ? [plain] : [path, plain],
      document: {
        resource,
        authorization_servers: ['https://login.example.com/'],
        bearer_methods_supported: ['header'],
        resource_documentation: `${resource.replace(/\/$/, '')}/openapi.json`,
      },
    },
  });
});

test.each<[fields: string, expected: object]>([
  [
    '',
    {
      issuer: 'https://login.example.com/',
      keys: { type: 'discovery', url: 'https://login.example.com/.well-known/openid-configuration' },
      keysToken: null,
      introspection: null,
      trust: { type: 'default' },
      allowsHttp: false,
      addresses: 'public',
    },
  ],
  [', jwksUrl: https://k.example.com', { keys: { type: 'jwks', url: 'https://k.example.com' } }],
  [
    ', introspectionUrl: https://i.example.com',
    { introspection: { url: 'https://i.example.com', credentials: { type: 'none' } } },
  ],
  [
    ', introspectionUrl: https://i.example.com, authTokenFile: /t',
    {
      keysToken: { env: null, file: '/t' },
      introspection: { credentials: { type: 'bearer', token: { env: null, file: '/t' } } },
    },
  ],
  [
    ', introspectionUrl: https://i.example.com, authTokenFile: /t, clientId: c, clientSecretFile: /s',
    {
      keysToken: { env: null, file: '/t' },
      introspection: { credentials: { type: 'basic', clientId: 'c', secret: { env: null, file: '/s' } } },
    },
  ],
  [', allowPrivateIP: true', { addresses: 'private' }],
  [', allowPrivateIP: true, jwksUrl: https://kubernetes.default.svc/openid/v1/jwks', { addresses: 'any' }],
])('the bundle of a registry server has the provider settings "%s"', (fields, expected) => {
  const { auth } = getBundle(compileConfig(oauth('resourceUrl: https://r.example.com', fields)));
  expect(auth.mode === 'oauth' && auth.providers[0]).toMatchObject(expected);
});

test('the compiler reports a client id of a provider without introspection as without effect', () => {
  const compiled = compileConfig(oauth('resourceUrl: https://r.example.com', ', clientId: c, clientSecretFile: /s'));
  expect(formatFindings(compiled).map(line => line.replace(/ \d+:\d+-\d+:\d+/, ''))).toEqual([
    'LNT1008 auth.oauth.providers[0].clientId has no effect: there is no introspectionUrl',
    'LNT1008 auth.oauth.providers[0].clientSecretFile has no effect: there is no introspectionUrl',
  ]);
  expect(getBundle(compiled).files).toEqual([]);
});

test('the compiler reports registry roles that permit nothing as without effect', () => {
  const roles = '  authz: { roles: { superAdmin: [{ a: b }], manageSources: [], manageEntries: [{ x: y }] } }\n';
  const lines = formatFindings(compileConfig(PLAIN.replace(AUTHZ, roles)));
  const field = (role: string) =>
    `auth.authz.roles.${role} has no effect: nothing can be changed by the API of this server`;
  expect(lines).toEqual([`LNT1008 4:45-4:58 ${field('manageSources')}`, `LNT1008 4:64-4:77 ${field('manageEntries')}`]);
});

test('the bundle of a registry server admits every authenticated caller without an authz section, and has the roles of this section', () => {
  const of = (authz: string) => getBundle(compileConfig(PLAIN.replace(AUTHZ, authz))).authorization;
  expect(of('')).toEqual({ type: 'authenticated' });
  const nobody = { superAdmin: [], manageSources: [], manageRegistries: [], manageEntries: [] };
  expect(of('  authz: {}\n')).toEqual({ type: 'claims', roles: nobody, ruleCount: 0 });
  expect(of('  authz: { roles: { superAdmin: [{ orgId: a, team: [b, c] }], manageEntries: [{ x: y }] } }\n')).toEqual({
    type: 'claims',
    roles: { ...nobody, superAdmin: [{ orgId: ['a'], team: ['b', 'c'] }], manageEntries: [{ x: ['y'] }] },
    ruleCount: 2,
  });
});

test('the compiler reports empty claims of a registry as without effect', () => {
  const compiled = compileConfig(PLAIN.replace('{ name: main,', '{ name: main, claims: {},'));
  expect(formatFindings(compiled)).toEqual(['LNT1008 2:36-2:38 registries[0].claims has no effect: it is empty']);
  expect(getBundle(compiled).registries[0]?.claims).toBeNull();
});

const HTTP = { protocol: 'http/protobuf', endpoint: 'http://localhost:4318' };

test.each<[telemetry: string, otlp: object, more?: object]>([
  ['metrics: { enabled: true }', { ...HTTP, samplingRate: null, metrics: true }],
  ['tracing: { enabled: true }', { ...HTTP, samplingRate: 0.05, metrics: false }],
  [
    'tracing: { enabled: true, sampling: 1 }, metrics: { enabled: true }, endpoint: otel:4318, serviceName: r, serviceVersion: "2"',
    { protocol: 'http/protobuf', endpoint: 'https://otel:4318', samplingRate: 1, metrics: true },
    { serviceName: 'r', serviceVersion: '2' },
  ],
  [
    'tracing: { enabled: true }, endpoint: otel:4317, insecure: true',
    { protocol: 'grpc', endpoint: 'http://otel:4317', samplingRate: 0.05, metrics: false },
  ],
])('the bundle of a registry server has the telemetry settings { %s }', (telemetry, otlp, more) => {
  const compiled = compileConfig(`${PLAIN}telemetry: { enabled: true, ${telemetry} }\n`);
  expect(formatFindings(compiled)).toEqual([]);
  const bundle = getBundle(compiled);
  expect(bundle.requires).toContain('registry-telemetry');
  expect(bundle.telemetry).toEqual({
    serviceName: 'lintel-registry-api',
    serviceVersion: null,
    attributes: {},
    environmentVariables: [],
    useLegacyAttributes: false,
    metricsOnMainPort: false,
    metricsPort: null,
    otlp: { headers: [], ...otlp },
    ...more,
  });
});

test.each([
  [
    'enabled: true, endpoint: otel:4318, tracing: { sampling: 0.5 }',
    ['enabled', 'endpoint', 'tracing'].map(
      field => `LNT1008 telemetry.${field} has no effect: neither tracing nor metrics are enabled`,
    ),
  ],
  [
    'enabled: true, metrics: { enabled: true }, tracing: { sampling: 0.5 }',
    ['LNT1008 telemetry.tracing.sampling has no effect: enabled is not true'],
  ],
])('the compiler reports telemetry settings without effect: { %s }', (telemetry, expected) => {
  const lines = formatFindings(compileConfig(`${PLAIN}telemetry: { ${telemetry} }\n`));
  expect(lines.map(line => line.replace(/ \d+:\d+-\d+:\d+/, '')).sort()).toEqual(expected);
});

test('the compiler reports credentials for a git repository on the machine itself as without effect', () => {
  const git =
    'git: { repository: /srv/git/a.git, auth: { username: u, passwordFile: /p } }, syncPolicy: { interval: 1h }';
  const compiled = compileConfig(PLAIN.replace('file: { path: /x }', git));
  expect(formatFindings(compiled)).toEqual([
    'LNT1008 1:57-1:61 sources[0].git.auth has no effect: a repository on the machine itself needs no credentials',
  ]);
  expect(getBundle(compiled)).toMatchObject({ files: [], sources: [{ from: { type: 'git', credentials: null } }] });
});

test('the compiler reports a disabled section and database settings as without effect', () => {
  const compiled = compileConfig(`${PLAIN}telemetry: { enabled: false, insecure: true }\ndatabase: { host: db }\n`);
  expect(formatFindings(compiled)).toEqual([
    'LNT1008 8:30-8:38 telemetry.insecure has no effect: enabled is not true',
    'LNT1008 9:1-9:9 database has no effect: this server is fed from Git and from other registries, and keeps nothing in a database',
  ]);
  expect(getBundle(compiled).name).toBe('registry');
});

test('the compiler does not build a registry server next to an unreadable file, and builds it next to a gateway with errors', () => {
  const gateway = 'apiVersion: lintel.dev/v1beta1\nkind: VirtualMCPServer\nmetadata: { name: x }\nspec: {}\n';
  expect(compileConfig(`${PLAIN}---\n${gateway}`).registries[0]?.bundle).not.toBeNull();
  expect(compileConfig(`${PLAIN}---\na: [\n`).registries[0]?.bundle).toBeNull();
});

test('the bundle of a registry server is the same from YAML and JSON, in any order of keys', () => {
  const { auth, registries, sources } = parse(PLAIN) as { [section: string]: object };
  const json = compileConfig(JSON.stringify({ registries, sources, auth }), 'registry.json');
  expect(formatCanonicalJson(getBundle(json))).toBe(formatCanonicalJson(getBundle(compileConfig(PLAIN))));
});
