/** `spec.authServerConfig` in a bundle: each leaf is in the plan, or refused at its place. */
import { describe, expect, test } from 'vitest';
import { compile, readTexts, SourceText } from '#compiler';
import type { GatewayBundle } from '#schemas';

const AROUND = `
apiVersion: lintel.dev/v1beta1
kind: MCPGroup
metadata: { name: g }
---
apiVersion: lintel.dev/v1beta1
kind: MCPServerEntry
metadata: { name: jira }
spec: { groupRef: { name: g }, remoteUrl: https://jira.example.com/mcp, transport: streamable-http }
---
apiVersion: lintel.dev/v1beta1
kind: MCPOIDCConfig
metadata: { name: own }
spec: { type: inline, inline: { issuer: https://mcp.example.com } }
---
apiVersion: lintel.dev/v1beta1
kind: VirtualMCPServer
metadata: { name: eng }
spec:
  groupRef: { name: g }
`;

const SIGNED_IN = `
  incomingAuth:
    type: oidc
    oidcConfigRef: { name: own, audience: https://mcp.example.com, resourceUrl: https://mcp.example.com }
`;

const OKTA = '{ name: okta, type: oidc, oidcConfig: { issuerUrl: https://okta.example.com, clientId: gw } }';

function compiled(server: string, incoming = SIGNED_IN) {
  const text = `${AROUND}${incoming}  authServerConfig:\n${server.replace(/^/gm, '    ')}\n`;
  const { gateways, findings } = compile(readTexts([new SourceText('spec.yaml', text)]), {
    purpose: 'build',
    origin: { compilerVersion: 'test', sourceRevision: null },
  });
  return {
    bundle: gateways[0]?.bundle as GatewayBundle | null | undefined,
    found: findings.diagnostics
      .filter(({ severity }) => severity === 'error')
      .map(({ code, pointer }) => `${code} ${pointer}`),
  };
}

test('the compiler reports two delegate clients with the same id by LNT1015', () => {
  const { found } = compiled(`
issuer: https://mcp.example.com
upstreamProviders: [${OKTA}]
delegateClients:
  - { clientId: agent, clientSecretRef: { name: agent, key: one }, scopes: [openid], audiences: [https://mcp.example.com] }
  - { clientId: agent, clientSecretRef: { name: agent, key: two }, scopes: [openid], audiences: [https://mcp.example.com] }
`);
  expect(found).toEqual([expect.stringMatching(/^LNT1015 .*delegateClients\/1/)]);
});

test('the bundle has every field of the authorization server', () => {
  const { bundle, found } = compiled(`
issuer: https://mcp.example.com
authorizationEndpointBaseUrl: https://login.example.com
signingKeySecretRefs: [{ name: keys, key: new }, { name: keys, key: old }]
hmacSecretRefs: [{ name: hmac, key: now }]
tokenLifespans: { accessTokenLifespan: 30m, refreshTokenLifespan: 48h, authCodeLifespan: 1m }
baselineClientScopes: [repo]
allowConfidentialClientRegistration: true
forceConfidentialRedirectUris: [https://claude.example/callback]
disableUpstreamTokenInjection: true
cimd: { enabled: true, cacheMaxSize: 10, cacheFallbackTtl: 1m }
delegateClients:
  - { clientId: agent.one, clientSecretRef: { name: agent, key: secret }, scopes: [openid], audiences: [https://mcp.example.com] }
trustedIssuers:
  - issuerUrl: https://other.example.com/
    expectedAudience: lintel
    allowedDelegateClients: [agent.one]
    actorClaim: appid
    allowedActors: [app]
    actorMatcher: claims.level > 3
    allowMayAct: true
  - issuerUrl: http://cluster.example.com
    jwksUrl: http://cluster.example.com/keys
    insecureAllowHTTP: true
    allowPrivateIPs: true
    jwtBearerGrant:
      maxAssertionAge: 5m
      acceptedAudiences: [https://mcp.example.com]
      subjectBindings: [{ subject: planner, allowedResources: [https://mcp.example.com] }]
upstreamProviders:
  - name: okta
    type: oidc
    oidcConfig:
      issuerUrl: https://okta.example.com
      clientId: gw
      clientSecretRef: { name: okta, key: secret }
      subjectClaim: oid
      additionalAuthorizationParams: { access_type: offline }
      userInfoOverride: { endpointUrl: https://okta.example.com/me, fieldMapping: { nameFields: [display] } }
  - name: forge
    type: oauth2
    oauth2Config:
      authorizationEndpoint: https://forge.example.com/authorize
      tokenEndpoint: https://forge.example.com/token
      clientId: gw
      scopes: [repo]
      redirectUri: https://mcp.example.com/from/forge
      identityFromToken: { subjectPath: user.id, namePath: user.name }
      tokenResponseMapping: { accessTokenPath: data.token }
      allowPrivateIPs: true
      insecureAllowHTTP: true
`);
  expect(found).toEqual([]);
  expect(bundle?.requires).toContain('auth-server');
  expect(bundle?.secrets.map(({ use, file }) => `${use}: ${file}`)).toEqual([
    'secret of delegate client "agent.one": /etc/lintel/secrets/agent/secret',
    'HMAC secret 0 of the authorization server: /etc/lintel/secrets/hmac/now',
    'signing key 0 of the authorization server: /etc/lintel/secrets/keys/new',
    'signing key 1 of the authorization server: /etc/lintel/secrets/keys/old',
    'client secret at upstream "okta": /etc/lintel/secrets/okta/secret',
  ]);
  expect(bundle?.authServer).toEqual({
    issuer: 'https://mcp.example.com',
    browserBase: 'https://login.example.com',
    resource: 'https://mcp.example.com',
    audience: 'https://mcp.example.com',
    scopes: ['email', 'offline_access', 'openid', 'profile', 'repo'],
    signingKeys: [
      { env: 'LINTEL_AUTH_SERVER_SIGNING_KEY_0', file: '/etc/lintel/secrets/keys/new' },
      { env: 'LINTEL_AUTH_SERVER_SIGNING_KEY_1', file: '/etc/lintel/secrets/keys/old' },
    ],
    hmacSecrets: [{ env: 'LINTEL_AUTH_SERVER_HMAC_SECRET_0', file: '/etc/lintel/secrets/hmac/now' }],
    lifespans: { accessTokenSeconds: 1800, refreshTokenSeconds: 172_800, authCodeSeconds: 60 },
    registration: {
      baselineScopes: ['repo'],
      allowsSecrets: true,
      secretRedirectUris: ['https://claude.example/callback'],
    },
    delegateClients: [
      {
        id: 'agent.one',
        secret: { env: 'LINTEL_DELEGATE_CLIENT_SECRET_AGENT_ONE', file: '/etc/lintel/secrets/agent/secret' },
        scopes: ['openid'],
        audiences: ['https://mcp.example.com'],
      },
    ],
    trustedIssuers: [
      {
        issuer: 'https://other.example.com/',
        keys: { type: 'discovery', url: 'https://other.example.com/.well-known/openid-configuration' },
        exchange: {
          audience: 'lintel',
          clients: ['agent.one'],
          actorClaim: 'appid',
          actors: ['app'],
          actorMatcher: 'claims.level > 3',
          allowsMayAct: true,
        },
        assertions: null,
        addresses: 'public',
        allowsHttp: false,
      },
      {
        issuer: 'http://cluster.example.com',
        keys: { type: 'jwks', url: 'http://cluster.example.com/keys' },
        exchange: null,
        assertions: {
          maxAgeSeconds: 300,
          audiences: ['https://mcp.example.com'],
          subjects: [{ subject: 'planner', resources: ['https://mcp.example.com'] }],
        },
        addresses: 'private',
        allowsHttp: true,
      },
    ],
    clientDocuments: { maxCached: 10, freshSeconds: 60 },
    injectsUpstreamTokens: false,
    storage: null,
    upstreams: [
      {
        type: 'oidc',
        name: 'okta',
        issuer: 'https://okta.example.com',
        clientId: 'gw',
        clientSecret: { env: 'LINTEL_UPSTREAM_CLIENT_SECRET_OKTA', file: '/etc/lintel/secrets/okta/secret' },
        redirectUri: 'https://mcp.example.com/oauth/callback',
        scopes: ['openid', 'offline_access'],
        authorizationParams: { access_type: 'offline' },
        subjectClaim: 'oid',
        userInfo: {
          url: 'https://okta.example.com/me',
          method: 'GET',
          headers: {},
          subjectFields: ['sub'],
          nameFields: ['display'],
          emailFields: ['email'],
        },
        addresses: 'any',
        allowsHttp: false,
      },
      {
        type: 'oauth2',
        registration: null,
        name: 'forge',
        authorizationEndpoint: 'https://forge.example.com/authorize',
        tokenEndpoint: 'https://forge.example.com/token',
        clientId: 'gw',
        clientSecret: null,
        redirectUri: 'https://mcp.example.com/from/forge',
        scopes: ['repo'],
        authorizationParams: {},
        userInfo: null,
        identityFromToken: { subjectPath: 'user.id', namePath: 'user.name', emailPath: null },
        tokenResponse: {
          accessTokenPath: 'data.token',
          refreshTokenPath: 'refresh_token',
          expiresInPath: 'expires_in',
          scopePath: 'scope',
        },
        addresses: 'any',
        allowsHttp: true,
      },
    ],
  });
});

test('the bundle of a minimal authorization server has the defaults', () => {
  const { bundle, found } = compiled(`issuer: https://mcp.example.com\nupstreamProviders: [${OKTA}]`);
  expect(found).toEqual([]);
  expect(bundle?.authServer).toMatchObject({
    browserBase: 'https://mcp.example.com',
    signingKeys: [],
    hmacSecrets: [],
    lifespans: { accessTokenSeconds: 3600, refreshTokenSeconds: 604_800, authCodeSeconds: 600 },
    delegateClients: [],
    trustedIssuers: [],
    clientDocuments: null,
    injectsUpstreamTokens: true,
    storage: null,
  });
});

describe('registration at an upstream', () => {
  const upstream = (dcr: string) =>
    `issuer: https://mcp.example.com\nupstreamProviders: [{ name: forge, type: oauth2, oauth2Config: { authorizationEndpoint: https://f.example.com/a, tokenEndpoint: https://f.example.com/t, dcrConfig: ${dcr}, scopes: [a] } }]`;

  test('client registration at an upstream provider uses the endpoint in the metadata of the provider', () => {
    const { bundle, found } = compiled(upstream('{ discoveryUrl: https://f.example.com/d }'));
    expect(found).toEqual([]);
    expect(bundle?.authServer?.upstreams[0]).toMatchObject({
      clientId: null,
      clientSecret: null,
      registration: {
        discoveryUrl: 'https://f.example.com/d',
        endpoint: null,
        initialAccessToken: null,
        softwareId: null,
        softwareStatement: null,
      },
    });
  });

  test('client registration at an upstream provider uses the endpoint, credentials and metadata of the spec', () => {
    const { bundle, found } = compiled(
      upstream(
        '{ registrationEndpoint: https://f.example.com/r, initialAccessTokenRef: { name: s, key: k }, softwareId: lintel, softwareStatement: a.b.c }',
      ),
    );
    expect(found).toEqual([]);
    const initialAccessToken = { env: 'LINTEL_UPSTREAM_INITIAL_ACCESS_TOKEN_FORGE', file: '/etc/lintel/secrets/s/k' };
    expect(bundle?.authServer?.upstreams[0]).toMatchObject({
      registration: {
        discoveryUrl: null,
        endpoint: 'https://f.example.com/r',
        initialAccessToken,
        softwareId: 'lintel',
        softwareStatement: 'a.b.c',
      },
    });
    expect(bundle?.secrets.map(({ use }) => use)).toEqual(['token for registration at upstream "forge"']);
  });
});

describe('policies and upstream providers', () => {
  const TWO = `${OKTA}, { name: forge, type: oidc, oidcConfig: { issuerUrl: https://forge.example.com, clientId: gw } }`;
  const permit = 'policies: ["permit(principal, action, resource);"]';
  const withPolicies = (server: string, inline = permit) =>
    compiled(
      `issuer: https://mcp.example.com\nupstreamProviders: [${TWO}]\n${server}`,
      `${SIGNED_IN}    authzConfig: { type: inline, inline: { ${inline} } }\n`,
    );

  test.each([
    ['the first upstream provider', '', permit, 'okta'],
    ['the primary upstream provider of the authorization server', 'primaryUpstreamProvider: forge', permit, 'forge'],
    ['the primary upstream provider of the policies', '', `${permit}, primaryUpstreamProvider: forge`, 'forge'],
  ])('Cedar policies read the claims of %s', (_, server, inline, upstream) => {
    const { bundle, found } = withPolicies(server, inline);
    expect(found).toEqual([]);
    expect(bundle?.authorization).toMatchObject({ engine: 'cedar', primaryUpstream: upstream });
    expect(bundle?.requires).toContain('upstream-claims');
  });

  test('the bundle enables upstream tokens if Cedar policies read them, even if no backend gets the tokens', () => {
    const { bundle, found } = withPolicies('disableUpstreamTokenInjection: true');
    expect(found).toEqual([]);
    expect(bundle?.authServer?.injectsUpstreamTokens).toBe(true);
  });

  test("Cedar policies of spec.config.incomingAuth read the claims of the gateway's own token", () => {
    const incoming = `  config:
    incomingAuth:
      type: oidc
      oidc: { issuer: https://mcp.example.com, clientId: a, audience: https://mcp.example.com, resource: https://mcp.example.com }
      authz: { type: cedar, ${permit} }
`;
    const { bundle, found } = compiled(`issuer: https://mcp.example.com\nupstreamProviders: [${TWO}]`, incoming);
    expect(found).toEqual([]);
    expect(bundle?.authorization).toMatchObject({ engine: 'cedar', policyCount: 1 });
    expect(bundle?.authorization).not.toHaveProperty('primaryUpstream');
    expect(bundle?.requires).not.toContain('upstream-claims');
  });
});

describe('storage in Redis', () => {
  const ACL =
    'aclUserConfig: { usernameSecretRef: { name: redis, key: user }, passwordSecretRef: { name: redis, key: pass } }';
  const file = (path: string, env: string | null = null) => ({ env, file: `/etc/lintel/secrets/${path}` });
  const lowered = (redis: string) => {
    const storage = `storage: { type: redis, redis: { ${redis} } }`;
    const { bundle, found } = compiled(`issuer: https://mcp.example.com\nupstreamProviders: [${OKTA}]\n${storage}`);
    expect(found).toEqual([]);
    return bundle;
  };

  test('the bundle configures a Redis cluster, over TLS and with an ACL user, for the state of the authorization server', () => {
    const bundle = lowered(
      `addr: "redis:6379", clusterMode: true, ${ACL}, dialTimeout: 1s, readTimeout: 2s, writeTimeout: 250ms, tls: { caCertSecretRef: { name: redis, key: ca } }`,
    );
    expect(bundle?.authServer?.storage).toEqual({
      redis: {
        mode: 'cluster',
        addresses: ['redis:6379'],
        masterName: null,
        db: 0,
        username: file('redis/user', 'LINTEL_AUTH_SERVER_REDIS_USERNAME'),
        password: file('redis/pass', 'LINTEL_AUTH_SERVER_REDIS_PASSWORD'),
        mayLackPassword: false,
        tls: { ca: file('redis/ca'), insecureSkipVerify: false },
        sentinelTls: null,
        timeouts: { dialMs: 1_000, readMs: 2_000, writeMs: 250 },
      },
    });
    expect(bundle?.secrets.map(({ use }) => use)).toEqual([
      'certificate authority for the Redis of the authorization server',
      'password for the Redis of the authorization server',
      'user name for the Redis of the authorization server',
    ]);
  });

  test('the bundle configures a Redis, with the sentinels of a Service and a password, for the state of the authorization server', () => {
    const bundle = lowered(
      'sentinelConfig: { masterName: main, sentinelService: { name: watch }, db: 2 }, aclUserConfig: { passwordSecretRef: { name: redis, key: pass } }, sentinelTls: { insecureSkipVerify: true }',
    );
    expect(bundle?.authServer?.storage).toEqual({
      redis: {
        mode: 'sentinel',
        addresses: ['watch.default.svc.cluster.local:26379'],
        masterName: 'main',
        db: 2,
        username: null,
        password: file('redis/pass', 'LINTEL_AUTH_SERVER_REDIS_PASSWORD'),
        mayLackPassword: false,
        tls: null,
        sentinelTls: { ca: null, insecureSkipVerify: true },
        timeouts: { dialMs: 5_000, readMs: 3_000, writeMs: 3_000 },
      },
    });
  });

  test('the state of the authorization server in Redis allows several replicas', () => {
    const { bundle, found } = compiled(
      `issuer: https://mcp.example.com\nupstreamProviders: [${OKTA}]\nstorage: { type: redis, redis: { addr: "redis:6379", ${ACL} } }`,
      `${SIGNED_IN}  replicas: 3\n  sessionStorage: { provider: redis, address: "redis:6379" }\n`,
    );
    expect(found).toEqual([]);
    expect(bundle?.deployment.replicas).toBe(3);
  });
});
