/** `lintel export` of a gateway with an authorization server: one construct stands for the server and its issuer. */
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { typeErrors } from '../../support/type-check.ts';
import { synthesized } from './synthesized.ts';

const secret = { name: 'keys', key: 'value' };
const okta = {
  name: 'okta',
  type: 'oidc',
  oidcConfig: {
    issuerUrl: 'https://okta.example',
    clientId: 'gateway',
    clientSecretRef: secret,
    redirectUri: 'https://mcp.example/oauth/callback',
    scopes: ['openid'],
    subjectClaim: 'email',
    additionalAuthorizationParams: { prompt: 'login' },
  },
};
const endpoints = {
  authorizationEndpoint: 'https://git.example/authorize',
  tokenEndpoint: 'https://git.example/token',
};
const github = {
  name: 'github',
  type: 'oauth2',
  oauth2Config: { ...endpoints, clientId: 'gateway', userInfo: { endpointUrl: 'https://git.example/user' } },
};
const dynamic = {
  name: 'dynamic',
  type: 'oauth2',
  oauth2Config: {
    ...endpoints,
    scopes: ['a'],
    dcrConfig: { registrationEndpoint: 'https://git.example/register', initialAccessTokenRef: secret },
  },
};
const everything = {
  issuer: 'https://auth.example',
  authorizationEndpointBaseUrl: 'https://login.example',
  signingKeySecretRefs: [secret],
  hmacSecretRefs: [secret, { name: 'old', key: 'value' }],
  tokenLifespans: { accessTokenLifespan: '30m' },
  upstreamProviders: [okta, github, dynamic],
  primaryUpstreamProvider: 'github',
  storage: {
    type: 'redis',
    redis: {
      addr: 'redis:6379',
      clusterMode: true,
      aclUserConfig: { passwordSecretRef: secret, usernameSecretRef: secret },
      dialTimeout: '2s',
      tls: { caCertSecretRef: secret },
    },
  },
  disableUpstreamTokenInjection: true,
  baselineClientScopes: ['openid'],
  allowConfidentialClientRegistration: true,
  forceConfidentialRedirectUris: ['https://a.example/cb'],
  delegateClients: [{ clientId: 'c', clientSecretRef: secret, scopes: ['a'], audiences: ['b'] }],
  cimd: { enabled: true },
};
const small = { issuer: 'https://auth.example', upstreamProviders: [okta] };
const sentinels = {
  ...small,
  storage: {
    type: 'redis',
    redis: {
      sentinelConfig: { masterName: 'm', sentinelAddrs: ['redis:26379'], db: 1 },
      aclUserConfig: { passwordSecretRef: secret },
      sentinelTls: { insecureSkipVerify: true },
    },
  },
};
const local = {
  ...small,
  issuer: 'http://127.0.0.1:4510',
  allowConfidentialClientRegistration: true,
  insecureAllowConfidentialOverLoopbackHTTP: true,
  storage: { type: 'memory' },
};

interface Changes {
  readonly reference?: object;
  readonly inline?: object;
}

function specs(server: { readonly issuer: string }, { reference, inline }: Changes = {}): string {
  const isInsecure = server.issuer.startsWith('http:');
  const object = (kind: string, name: string, spec: object) => ({
    apiVersion: 'lintel.dev/v1beta1',
    kind,
    metadata: { name },
    spec,
  });
  const url = 'https://mcp.example';
  const issuer = { issuer: server.issuer, ...(isInsecure && { insecureAllowHTTP: true }), ...inline };
  const policies = ['permit (principal in Team::"eng", action, resource);'];
  const authzConfig = { type: 'inline', groupClaimName: 'roles', groupEntityType: 'Team', inline: { policies } };
  const oidcConfigRef = { name: 'sign-in', audience: url, resourceUrl: url, scopes: ['openid'], ...reference };
  return [
    object('MCPGroup', 'tools', {}),
    object('MCPOIDCConfig', 'sign-in', { type: 'inline', inline: issuer }),
    object('VirtualMCPServer', 'eng', {
      groupRef: { name: 'tools' },
      incomingAuth: { type: 'oidc', oidcConfigRef, authzConfig },
      authServerConfig: server,
    }),
  ]
    .map(one => stringify(one))
    .join('---\n');
}

/** The part of the objects that the construct writes: the issuer, and two blocks of the gateway's spec. */
function said(objects: readonly unknown[]) {
  const [, issuer, gateway] = objects as { spec: { incomingAuth?: object; authServerConfig?: object } }[];
  return { issuer, incomingAuth: gateway?.spec.incomingAuth, authServerConfig: gateway?.spec.authServerConfig };
}

const servers = { everything, small, sentinels, local };

describe('authorization servers', () => {
  test.each(Object.entries(servers))(
    'lintel export writes an AuthServer construct for an authorization server: %s',
    (_, server) => {
      const { program, before, after } = synthesized(specs(server));
      expect(program).toContain('new AuthServer(');
      expect(program).toContain('new Gateway(');
      expect(said(after)).toEqual(said(before));
    },
  );

  test.each<[string, string]>([
    ['an audience that is not the resource URL', specs(small, { reference: { audience: 'other' } })],
    ['an issuer other than the authorization server', specs(small, { inline: { issuer: 'https://id.example' } })],
    ['an issuer with settings of its own', specs(small, { inline: { jwksUrl: 'https://auth.example/keys' } })],
    [
      'confidential clients that are not allowed',
      specs({ ...small, allowConfidentialClientRegistration: false } as typeof small),
    ],
    [
      'a second gateway with the same issuer',
      `${specs(small)}---\n${specs(small).split('---\n')[2]?.replace('name: eng', 'name: ops')}`,
    ],
  ])('lintel export writes the plain VirtualMCPServer instead of an AuthServer construct for %s', (_, text) => {
    const { program, before, after } = synthesized(text);
    expect(program).not.toContain('new AuthServer(');
    expect(program).toContain('new VirtualMCPServer(');
    expect(after).toEqual(before);
  });

  test('exported programs with authorization servers have no type errors', () => {
    const programs = Object.entries(servers).map(([name, server]) => [
      `${name}.ts`,
      synthesized(specs(server)).program,
    ]);
    expect(typeErrors(Object.fromEntries(programs))).toEqual([]);
  });
});
