import { App, Chart } from 'cdk8s';
import { expect, test } from 'vitest';
import {
  AuthServer,
  type AuthServerProps,
  Backend,
  Caller,
  Gateway,
  Group,
  OutgoingAuth,
  Secret,
  Upstream,
} from '../../../../compiler/cdk8s/index.ts';
import { compiledYaml, formatChart, seriousIn } from '../../../support/compiled-yaml.ts';

const key = (name: string) => Secret.key('sign-in', name);
const okta = Upstream.oidc('okta', {
  issuer: 'https://okta.example.com',
  client: { id: 'gateway', secret: key('okta') },
  additionalAuthorizationParams: { prompt: 'login' },
});
const github = Upstream.oauth2('github', {
  authorizationEndpoint: 'https://github.com/login/oauth/authorize',
  tokenEndpoint: 'https://github.com/login/oauth/access_token',
  client: { id: 'gateway', secret: key('github') },
  scopes: ['repo'],
  userInfo: { endpointUrl: 'https://api.github.com/user', fieldMapping: { subjectFields: ['id'] } },
});
const registered = Upstream.oauth2('wiki', {
  authorizationEndpoint: 'https://wiki.example/authorize',
  tokenEndpoint: 'https://wiki.example/token',
  registration: { registrationEndpoint: 'https://wiki.example/register', initialAccessTokenRef: key('wiki') },
  scopes: ['read'],
  identityFromToken: { subjectPath: 'user.id' },
});

function signedIn(
  props: Partial<AuthServerProps> = {},
  withBackend = (_: Chart): OutgoingAuth | undefined => undefined,
) {
  const chart = new Chart(new App(), 'chart');
  const group = new Group(chart, 'tools');
  const backend = Backend.entry(chart, 'github', {
    group,
    remoteUrl: 'https://github.example.com/mcp',
    transport: 'streamable-http',
  });
  const incoming = new AuthServer(chart, 'sign-in', {
    issuer: 'https://auth.example.com',
    resourceUrl: 'https://mcp.example.com',
    upstreams: [okta, github, registered],
    primary: okta,
    signingKeys: [key('key.pem')],
    hmacSecrets: [key('hmac')],
    ...props,
  } as AuthServerProps);
  const auth = withBackend(chart);
  const gateway = new Gateway(chart, 'eng', { group, incoming, ...(auth && { outgoing: { default: auth } }) });
  gateway.grant(Caller.any()).call(backend.tool('search'));
  const objects = chart.toJson();
  return {
    serious: seriousIn(compiledYaml(formatChart(chart))),
    spec: objects.find(({ kind }) => kind === 'VirtualMCPServer').spec,
    oidc: objects.find(({ kind }) => kind === 'MCPOIDCConfig'),
  };
}

test('a gateway with an AuthServer construct accepts only the tokens that its authorization server issues', () => {
  const { serious, spec, oidc } = signedIn();
  expect(serious).toEqual([]);
  expect(oidc).toMatchObject({
    metadata: { name: 'sign-in' },
    spec: { type: 'inline', inline: { issuer: 'https://auth.example.com' } },
  });
  expect(spec.incomingAuth.oidcConfigRef).toEqual({
    name: 'sign-in',
    audience: 'https://mcp.example.com',
    resourceUrl: 'https://mcp.example.com',
  });
  expect(spec.authServerConfig).toEqual({
    issuer: 'https://auth.example.com',
    signingKeySecretRefs: [{ name: 'sign-in', key: 'key.pem' }],
    hmacSecretRefs: [{ name: 'sign-in', key: 'hmac' }],
    upstreamProviders: [
      {
        name: 'okta',
        type: 'oidc',
        oidcConfig: {
          issuerUrl: 'https://okta.example.com',
          clientId: 'gateway',
          clientSecretRef: { name: 'sign-in', key: 'okta' },
          additionalAuthorizationParams: { prompt: 'login' },
        },
      },
      {
        name: 'github',
        type: 'oauth2',
        oauth2Config: {
          authorizationEndpoint: 'https://github.com/login/oauth/authorize',
          tokenEndpoint: 'https://github.com/login/oauth/access_token',
          clientId: 'gateway',
          clientSecretRef: { name: 'sign-in', key: 'github' },
          scopes: ['repo'],
          userInfo: { endpointUrl: 'https://api.github.com/user', fieldMapping: { subjectFields: ['id'] } },
        },
      },
      {
        name: 'wiki',
        type: 'oauth2',
        oauth2Config: {
          authorizationEndpoint: 'https://wiki.example/authorize',
          tokenEndpoint: 'https://wiki.example/token',
          dcrConfig: {
            registrationEndpoint: 'https://wiki.example/register',
            initialAccessTokenRef: { name: 'sign-in', key: 'wiki' },
          },
          scopes: ['read'],
          identityFromToken: { subjectPath: 'user.id' },
        },
      },
    ],
    primaryUpstreamProvider: 'okta',
  });
});

test('a backend gets the token of an upstream of the AuthServer construct', () => {
  expect(signedIn({}, chart => OutgoingAuth.upstreamInject(chart, 'token', { provider: github.name })).serious).toEqual(
    [],
  );
});

test.each<[string, Partial<AuthServerProps>, object]>([
  ['storage in memory', { storage: 'memory' }, { storage: { type: 'memory' } }],
  [
    'storage in Redis',
    { storage: { redis: { address: 'redis:6379', password: key('redis'), tls: { caCertSecretRef: key('ca.crt') } } } },
    {
      storage: {
        type: 'redis',
        redis: {
          addr: 'redis:6379',
          aclUserConfig: { passwordSecretRef: { name: 'sign-in', key: 'redis' } },
          tls: { caCertSecretRef: { name: 'sign-in', key: 'ca.crt' } },
        },
      },
    },
  ],
  [
    'storage in Redis with sentinels',
    {
      storage: {
        redis: {
          sentinels: { masterName: 'main', sentinelAddrs: ['sentinel:26379'] },
          password: key('redis'),
          username: key('user'),
          dialTimeout: '2s',
        },
      },
    },
    {
      storage: {
        type: 'redis',
        redis: {
          sentinelConfig: { masterName: 'main', sentinelAddrs: ['sentinel:26379'] },
          aclUserConfig: {
            passwordSecretRef: { name: 'sign-in', key: 'redis' },
            usernameSecretRef: { name: 'sign-in', key: 'user' },
          },
          dialTimeout: '2s',
        },
      },
    },
  ],
  [
    'confidential clients and delegates',
    {
      confidentialClients: { forceRedirectUris: ['https://app.example.com/callback'] },
      delegateClients: [{ clientId: 'agent', clientSecretRef: key('agent'), scopes: ['a'], audiences: ['b'] }],
    },
    {
      allowConfidentialClientRegistration: true,
      forceConfidentialRedirectUris: ['https://app.example.com/callback'],
      delegateClients: [
        { clientId: 'agent', clientSecretRef: { name: 'sign-in', key: 'agent' }, scopes: ['a'], audiences: ['b'] },
      ],
    },
  ],
  [
    'an issuer on localhost',
    {
      issuer: 'http://localhost:4483',
      confidentialClients: { insecureOverLoopback: true },
    } as Partial<AuthServerProps>,
    { allowConfidentialClientRegistration: true, insecureAllowConfidentialOverLoopbackHTTP: true },
  ],
])('the AuthServer construct writes its props into the manifest: %s', (_, props, expected) => {
  const { serious, spec } = signedIn(props);
  expect(serious).toEqual([]);
  expect(spec.authServerConfig).toMatchObject(expected);
});

test('the AuthServer construct refuses an upstream that is listed twice, and a primary upstream that is not listed', () => {
  expect(() => signedIn({ upstreams: [github], primary: okta })).toThrow(
    'the primary upstream "okta" is none of the upstreams: github',
  );
  expect(() => signedIn({ upstreams: [okta, okta] })).toThrow('two upstreams are named "okta"');
});
