/** Everything that these constructs can say is what the compiler accepts under its strictest profile. */
import { App, Chart } from 'cdk8s';
import { describe, expect, test } from 'vitest';
import {
  Backend,
  CaBundle,
  Caller,
  Gateway,
  type GatewayPart,
  Group,
  httpsUrl,
  Incoming,
  Oidc,
  OutgoingAuth,
  type OutgoingStrategy,
  ProxyAuth,
  Registry,
  RegistryAuth,
  RegistryFile,
  RegistryProvider,
  RegistrySource,
  Secret,
  ServerFile,
  Sessions,
  Telemetry,
} from '../../../../compiler/cdk8s/index.ts';
import { compiledYaml, seriousIn, yamlOf } from '../../../support/compiled-yaml.ts';

const SECRET = Secret.key('keys', 'one');
const CLIENT = { id: 'gateway', secret: Secret.key('keys', 'client') };

type EntryHeaders = NonNullable<Parameters<typeof Backend.entry>[2]['headers']>;

type Made<T> = (chart: Chart) => T;

interface Props {
  readonly incoming?: Made<Incoming>;
  readonly outgoing?: Made<OutgoingStrategy>;
  readonly sessions?: GatewayPart;
  readonly telemetry?: Made<GatewayPart>;
}

/** A gateway with one entry, and the objects of the chart by kind. */
function gatewayWith({ incoming, outgoing, sessions, telemetry }: Props) {
  const chart = new Chart(new App(), 'chart');
  const group = new Group(chart, 'tools');
  const entry = Backend.entry(chart, 'github', {
    group,
    remoteUrl: 'https://github.example.com/mcp',
    transport: 'streamable-http',
  });
  const gateway = new Gateway(chart, 'eng', {
    group,
    incoming: incoming?.(chart) ?? Oidc.inline(chart, 'corp', { issuer: 'https://id.example.com' }).forAudience('eng'),
    ...(outgoing && { outgoing: { backends: { github: outgoing(chart) } } }),
    ...(sessions && { sessions }),
    ...(telemetry && { telemetry: telemetry(chart) }),
  });
  gateway.grant(Caller.any()).call(entry.tool('search'));
  const objects = chart.toJson();
  return {
    serious: seriousIn(compiledYaml(yamlOf(chart))),
    spec: (kind: string) => objects.find(object => object.kind === kind)?.spec,
  };
}

describe('who connects', () => {
  const cases: [name: string, incoming: Made<Incoming>, kind: string, spec: object][] = [
    [
      'an issuer with all settings',
      chart =>
        Oidc.inline(chart, 'corp', {
          issuer: httpsUrl('https://id.example.com'),
          jwksUrl: 'https://id.example.com/keys',
          introspection: { url: 'https://id.example.com/introspect', client: CLIENT },
          caBundle: CaBundle.configMap('corp-ca'),
          jwksAuthTokenPath: '/var/run/token',
          jwksAllowPrivateIP: true,
        }).forAudience('eng', { resourceUrl: 'https://mcp.example.com', scopes: ['openid'] }),
      'MCPOIDCConfig',
      {
        type: 'inline',
        inline: {
          issuer: 'https://id.example.com',
          jwksUrl: 'https://id.example.com/keys',
          introspectionUrl: 'https://id.example.com/introspect',
          clientId: 'gateway',
          clientSecretRef: { name: 'keys', key: 'client' },
          caBundleRef: { configMapRef: { name: 'corp-ca', key: 'ca.crt' } },
          jwksAuthTokenPath: '/var/run/token',
          jwksAllowPrivateIP: true,
        },
      },
    ],
    [
      'an issuer over plain http, spelled out',
      chart =>
        Oidc.inline(chart, 'dev', { issuer: 'http://id.dev.example', insecureAllowHTTP: true }).forAudience('eng'),
      'MCPOIDCConfig',
      { type: 'inline', inline: { issuer: 'http://id.dev.example', insecureAllowHTTP: true } },
    ],
    [
      'service accounts',
      chart => Oidc.serviceAccounts(chart, 'cluster', { useClusterAuth: true }).forAudience('eng'),
      'MCPOIDCConfig',
      { type: 'kubernetesServiceAccount', kubernetesServiceAccount: { useClusterAuth: true } },
    ],
    [
      'one issuer for a gateway, under a name of its own',
      chart => Oidc.inline(chart, 'a', { name: 'corp', issuer: 'https://id.example.com' }).forAudience('eng'),
      'MCPOIDCConfig',
      { type: 'inline', inline: { issuer: 'https://id.example.com' } },
    ],
  ];
  test.each(cases)('%s', (_, incoming, kind, expected) => {
    const { serious, spec } = gatewayWith({ incoming });
    expect(serious).toEqual([]);
    expect(spec(kind)).toEqual(expected);
    expect(spec('VirtualMCPServer').incomingAuth).toMatchObject({
      type: 'oidc',
      oidcConfigRef: { audience: 'eng' },
    });
  });

  test('an issuer in place demands scopes, and its policies are next to it', () => {
    const { serious, spec } = gatewayWith({
      incoming: () =>
        Incoming.oidc({
          issuer: 'https://id.example.com',
          audience: 'eng',
          clientId: 'eng',
          requiredScopes: ['mcp:use'],
          introspection: { url: 'https://id.example.com/introspect', clientSecretEnv: 'OIDC_SECRET' },
          groups: { claim: 'teams', entityType: 'Team' },
        }),
    });
    expect(serious).toEqual([]);
    expect(spec('VirtualMCPServer').incomingAuth).toBeUndefined();
    expect(spec('VirtualMCPServer').config.incomingAuth).toMatchObject({
      type: 'oidc',
      oidc: {
        issuer: 'https://id.example.com',
        audience: 'eng',
        clientId: 'eng',
        scopes: ['mcp:use'],
        introspectionUrl: 'https://id.example.com/introspect',
        clientSecretEnv: 'OIDC_SECRET',
      },
      authz: { type: 'cedar', groupClaimName: 'teams', groupEntityType: 'Team' },
    });
  });

  test('incoming authentication that admits all callers of this machine', () => {
    const { spec } = gatewayWith({ incoming: () => Incoming.local() });
    expect(spec('VirtualMCPServer').config.incomingAuth).toMatchObject({ type: 'local' });
  });

  test('an issuer that is declared elsewhere', () => {
    const { spec } = gatewayWith({ incoming: () => Oidc.existing('corp').forAudience('eng', { scopes: ['a'] }) });
    expect(spec('MCPOIDCConfig')).toBeUndefined();
    expect(spec('VirtualMCPServer').incomingAuth.oidcConfigRef).toEqual({
      name: 'corp',
      audience: 'eng',
      scopes: ['a'],
    });
  });
});

describe('which credential goes to a backend', () => {
  const cases: [type: string, outgoing: Made<OutgoingStrategy>, block: object | undefined][] = [
    [
      'tokenExchange',
      chart =>
        OutgoingAuth.tokenExchange(chart, 'auth', {
          tokenUrl: 'https://id.example.com/token',
          audience: 'github',
          client: CLIENT,
          scopes: ['repo'],
          subjectTokenType: 'jwt',
        }),
      {
        tokenUrl: 'https://id.example.com/token',
        audience: 'github',
        clientId: 'gateway',
        clientSecretRef: { name: 'keys', key: 'client' },
        scopes: ['repo'],
        subjectTokenType: 'jwt',
      },
    ],
    [
      'headerInjection',
      chart => OutgoingAuth.header(chart, 'auth', { header: 'X-Key', value: SECRET }),
      { headerName: 'X-Key', valueSecretRef: { name: 'keys', key: 'one' } },
    ],
    [
      'awsSts',
      chart =>
        OutgoingAuth.awsSts(chart, 'auth', {
          region: 'eu-central-1',
          roles: [
            { claim: 'analysts', role: 'arn:aws:iam::012345678901:role/reader', priority: 1 },
            { matcher: '"ops" in claims["groups"]', role: 'arn:aws:iam::012345678901:role/writer' },
          ],
          fallbackRole: 'arn:aws:iam::012345678901:role/none',
          sessionDuration: 900,
        }),
      {
        region: 'eu-central-1',
        roleMappings: [
          { claim: 'analysts', roleArn: 'arn:aws:iam::012345678901:role/reader', priority: 1 },
          { matcher: '"ops" in claims["groups"]', roleArn: 'arn:aws:iam::012345678901:role/writer' },
        ],
        fallbackRoleArn: 'arn:aws:iam::012345678901:role/none',
        sessionDuration: 900,
      },
    ],
    [
      'obo',
      chart =>
        OutgoingAuth.onBehalfOf(chart, 'auth', {
          tenantId: 'corp.example',
          client: CLIENT,
          scopes: ['https://graph.microsoft.com/Mail.Read'],
          cacheSkew: '30s',
        }),
      {
        tenantId: 'corp.example',
        clientId: 'gateway',
        clientSecretRef: { name: 'keys', key: 'client' },
        scopes: ['https://graph.microsoft.com/Mail.Read'],
        cacheSkew: '30s',
      },
    ],
    ['unauthenticated', chart => OutgoingAuth.unauthenticated(chart, 'auth'), undefined],
  ];
  test.each(cases)('%s', (type, outgoing, block) => {
    const { serious, spec } = gatewayWith({ outgoing });
    expect(serious).toEqual([]);
    expect(spec('MCPExternalAuthConfig')).toEqual(block === undefined ? { type } : { type, [type]: block });
    expect(spec('VirtualMCPServer').outgoingAuth.backends).toEqual({
      github: { type: 'externalAuthConfigRef', externalAuthConfigRef: { name: 'auth' } },
    });
  });

  test('what needs an authorization server says so when there is none', () => {
    const { serious } = gatewayWith({
      outgoing: chart => OutgoingAuth.upstreamInject(chart, 'auth', { provider: 'github' }),
    });
    expect(serious.map(text => text.slice(0, 7))).toEqual(['LNT6006']);
    const { spec } = gatewayWith({
      outgoing: chart =>
        OutgoingAuth.crossApp(chart, 'auth', {
          idp: { tokenUrl: 'https://id.example.com/token', client: CLIENT },
          target: { tokenUrl: 'https://wiki.example/token', audience: 'https://wiki.example', client: CLIENT },
          subjectProvider: 'corp',
        }),
    });
    expect(spec('MCPExternalAuthConfig').xaa).toEqual({
      idpTokenUrl: 'https://id.example.com/token',
      idpClientId: 'gateway',
      idpClientSecretRef: { name: 'keys', key: 'client' },
      targetTokenUrl: 'https://wiki.example/token',
      targetClientId: 'gateway',
      targetClientSecretRef: { name: 'keys', key: 'client' },
      targetAudience: 'https://wiki.example',
      subjectProviderName: 'corp',
    });
  });

  test('one that is declared elsewhere, and what the backend asks for', () => {
    const existing = gatewayWith({ outgoing: () => OutgoingAuth.existing('shared') });
    expect(existing.spec('VirtualMCPServer').outgoingAuth.backends.github).toEqual({
      type: 'externalAuthConfigRef',
      externalAuthConfigRef: { name: 'shared' },
    });
    const { serious, spec } = gatewayWith({ outgoing: () => OutgoingAuth.discovered() });
    expect(serious).toEqual([]);
    expect(spec('VirtualMCPServer').outgoingAuth.backends.github).toEqual({ type: 'discovered' });
  });

  test('a bearer token is for the proxy of a server', () => {
    const chart = new Chart(new App(), 'chart');
    ProxyAuth.bearerToken(chart, 'token', { token: SECRET });
    expect(seriousIn(compiledYaml(yamlOf(chart)))).toEqual([]);
    expect(chart.toJson()[0].spec).toEqual({
      type: 'bearerToken',
      bearerToken: { tokenSecretRef: { name: 'keys', key: 'one' } },
    });
  });
});

test.each<[what: string, headers: EntryHeaders, forwarded: object]>([
  ['texts', { 'X-Tenant': 'eng' }, { addPlaintextHeaders: { 'X-Tenant': 'eng' } }],
  [
    'secrets',
    { 'X-Key': SECRET },
    { addHeadersFromSecret: [{ headerName: 'X-Key', valueSecretRef: { name: 'keys', key: 'one' } }] },
  ],
  ['none', {}, {}],
])('the headers of a backend are written by where they are kept: %s', (_, headers, forwarded) => {
  const chart = new Chart(new App(), 'chart');
  const props = { remoteUrl: 'https://github.example.com/mcp', transport: 'streamable-http' } as const;
  Backend.entry(chart, 'github', { ...props, group: new Group(chart, 'tools'), headers });
  const entry = chart.toJson().find(({ kind }) => kind === 'MCPServerEntry');
  expect(entry.spec.headerForward).toEqual(forwarded);
});

describe('sessions and telemetry', () => {
  test('sessions', () => {
    expect(gatewayWith({ sessions: Sessions.memory() }).serious).toEqual([]);
    const sessions = Sessions.redis({ address: 'redis:6379', db: 1, keyPrefix: 'eng:', password: SECRET });
    const { serious, spec } = gatewayWith({ sessions });
    expect(serious).toEqual([]);
    expect(spec('VirtualMCPServer').sessionStorage).toEqual({
      provider: 'redis',
      address: 'redis:6379',
      db: 1,
      keyPrefix: 'eng:',
      passwordRef: { name: 'keys', key: 'one' },
    });
  });

  test('sessions in a Redis that sentinels watch', () => {
    const sessions = Sessions.redis({
      sentinels: { masterName: 'main', sentinelService: { name: 'sentinels', namespace: 'cache' }, db: 1 },
      password: SECRET,
      tls: {},
      sentinelTls: { caCertSecretRef: SECRET },
    });
    const { serious, spec } = gatewayWith({ sessions });
    expect(serious).toEqual([]);
    expect(spec('VirtualMCPServer').sessionStorage).toEqual({
      provider: 'redis',
      sentinelConfig: { masterName: 'main', sentinelService: { name: 'sentinels', namespace: 'cache' }, db: 1 },
      passwordRef: { name: 'keys', key: 'one' },
      tls: {},
      sentinelTls: { caCertSecretRef: { name: 'keys', key: 'one' } },
    });
  });

  test('telemetry', () => {
    const { serious, spec } = gatewayWith({
      telemetry: chart =>
        new Telemetry(chart, 'otel', {
          collector: {
            endpoint: 'https://otel.example.com',
            headers: { 'X-Tenant': 'eng', 'X-Key': SECRET },
            traces: { samplingRate: '0.1' },
            metrics: true,
            caBundle: CaBundle.configMap('corp-ca'),
          },
          prometheus: true,
        }).forService('eng-gateway'),
    });
    expect(serious).toEqual([]);
    expect(spec('VirtualMCPServer').telemetryConfigRef).toEqual({ name: 'otel', serviceName: 'eng-gateway' });
    expect(spec('MCPTelemetryConfig')).toEqual({
      openTelemetry: {
        enabled: true,
        endpoint: 'https://otel.example.com',
        headers: { 'X-Tenant': 'eng' },
        sensitiveHeaders: [{ name: 'X-Key', secretKeyRef: { name: 'keys', key: 'one' } }],
        metrics: { enabled: true },
        tracing: { enabled: true, samplingRate: '0.1' },
        caBundleRef: { configMapRef: { name: 'corp-ca', key: 'ca.crt' } },
      },
      prometheus: { enabled: true },
    });
  });
});

describe('registry servers', () => {
  const AUTH = RegistryAuth.oauth({
    resourceUrl: 'https://registry.example.com',
    providers: [RegistryProvider.oidc('corp', { issuer: 'https://id.example.com', audience: 'registry' })],
    roles: { superAdmin: [{ groups: ['admins'] }] },
  });
  const sources: [name: string, source: RegistrySource][] = [
    ['git by tag', RegistrySource.git('s', { repository: 'https://git.example.com/a.git', tag: 'v1', every: '1h30m' })],
    ['git by default', RegistrySource.git('s', { repository: 'file:///srv/catalog.git', every: '5m' })],
    ['api', RegistrySource.api('s', { endpoint: 'https://registry.example', every: '1h', timeout: '5s' })],
    ['url', RegistrySource.url('s', { url: 'https://example.com/servers.json', every: '1h' })],
    ['local file', RegistrySource.localFile('s', { path: '/data/servers.json', every: '30s' })],
  ];
  test.each(sources)('%s', (_, source) => {
    for (const Construct of [Registry, RegistryFile]) {
      const chart = new Chart(new App(), 'chart');
      new Construct(chart, 'company', { registries: [{ name: 'main', sources: [source] }], auth: AUTH });
      const compilation = compiledYaml(yamlOf(chart), 'build');
      expect(seriousIn(compilation)).toEqual([]);
      expect(compilation.registries.map(({ bundle }) => bundle?.sources.map(({ name }) => name))).toEqual([['s']]);
    }
  });

  test('a registry without tokens', () => {
    const chart = new Chart(new App(), 'chart');
    const [[, source]] = sources as [(typeof sources)[0]];
    new Registry(chart, 'company', {
      registries: [{ name: 'main', sources: [source] }],
      auth: RegistryAuth.anonymous(),
    });
    expect(seriousIn(compiledYaml(yamlOf(chart), 'build'))).toEqual([]);
  });

  test('what is exported of the same program', () => {
    const chart = new Chart(new App(), 'chart');
    new Registry(chart, 'company', {
      registries: [{ name: 'main', sources: [RegistrySource.kubernetes('cluster')] }],
      auth: AUTH,
    });
    expect(seriousIn(compiledYaml(yamlOf(chart), 'build'))).toEqual([expect.stringMatching(/^LNT8028 /)]);
  });
});

describe('what is refused where it is written', () => {
  const chart = () => new Chart(new App(), 'chart');
  const [source] = [RegistrySource.url('s', { url: 'https://example.com/a.json', every: '1h' })];
  const cases: [name: string, write: () => unknown, message: string][] = [
    ['an empty audience', () => Oidc.existing('corp').forAudience(''), 'the audience is empty'],
    [
      'a credential in a header of the connection',
      () => OutgoingAuth.header(chart(), 'key', { header: 'Host', value: SECRET }),
      'the header "Host" of "key" cannot carry a credential',
    ],
    ['an empty reference', () => Secret.key('keys', ''), 'a reference to a Secret needs its name and one of its keys'],
    ['a CA bundle with a long name', () => CaBundle.configMap('c'.repeat(49)), 'more than 48 characters'],
    ['a URL at run time over http', () => httpsUrl('http://id.example.com'), 'expected a complete https URL'],
    ['a URL with credentials', () => httpsUrl('https://u:p@id.example.com'), 'must not carry credentials'],
    ['a source of a bad name', () => RegistrySource.kubernetes('A b'), '"A b" is no name of a source'],
    [
      'an absolute path of the project',
      () => RegistrySource.projectFile('s', { path: '/data/servers.json' }),
      'use RegistrySource.localFile',
    ],
    [
      'a role for nobody',
      () =>
        RegistryAuth.oauth({
          resourceUrl: 'https://registry.example.com',
          providers: [RegistryProvider.cluster('c', { audience: 'registry' })],
          roles: { manageEntries: [{}] },
        }),
      'an entry of the role manageEntries names no claims',
    ],
    [
      'two sources of one name',
      () =>
        new Registry(chart(), 'company', {
          registries: [{ name: 'main', sources: [source, RegistrySource.kubernetes('s')] }],
          auth: RegistryAuth.anonymous(),
        }),
      'two sources are named "s"',
    ],
    [
      'a Secret of a cluster in a file',
      () =>
        new RegistryFile(chart(), 'company', {
          registries: [{ name: 'main', sources: [source] }],
          auth: RegistryAuth.oauth({
            resourceUrl: 'https://registry.example.com',
            providers: [
              RegistryProvider.oidc('c', {
                issuer: 'https://id.example.com',
                audience: 'registry',
                authToken: Secret.key('keys', 'token'),
              }),
            ],
          }),
        }),
      'give its path with ServerFile.at, or use Registry',
    ],
  ];
  test.each(cases)('%s', (_, write, message) => {
    expect(write).toThrow(message);
  });
});

test('a file next to the server stays where it is', () => {
  expect(ServerFile.at('/etc/token').path).toBe('/etc/token');
});
