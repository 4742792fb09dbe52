/** The specs of constructs for incoming authentication pass the compiler's strictest profile. */
import { describe, expect, test } from 'vitest';
import { CaBundle, httpsUrl, Incoming, Oidc } from '../../../../compiler/cdk8s/index.ts';
import { CLIENT, gatewayWith, type Made } from './gateway-with.ts';

describe('incoming authentication', () => {
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
      'an issuer over plain http',
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
      'an issuer with a name of its own',
      chart => Oidc.inline(chart, 'a', { name: 'corp', issuer: 'https://id.example.com' }).forAudience('eng'),
      'MCPOIDCConfig',
      { type: 'inline', inline: { issuer: 'https://id.example.com' } },
    ],
  ];
  test.each(cases)(
    'an Incoming construct writes an MCPOIDCConfig, and the gateway refers to it: %s',
    (_, incoming, kind, expected) => {
      const { serious, spec } = gatewayWith({ incoming });
      expect(serious).toEqual([]);
      expect(spec(kind)).toEqual(expected);
      expect(spec('VirtualMCPServer').incomingAuth).toMatchObject({
        type: 'oidc',
        oidcConfigRef: { audience: 'eng' },
      });
    },
  );

  test('Incoming.oidc writes issuer, scopes and policies into spec.config.incomingAuth of the gateway', () => {
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

  test('Incoming.local writes the type local into spec.config.incomingAuth', () => {
    const { spec } = gatewayWith({ incoming: () => Incoming.local() });
    expect(spec('VirtualMCPServer').config.incomingAuth).toMatchObject({ type: 'local' });
  });

  test('Oidc.existing refers to an MCPOIDCConfig that another program declares', () => {
    const { spec } = gatewayWith({ incoming: () => Oidc.existing('corp').forAudience('eng', { scopes: ['a'] }) });
    expect(spec('MCPOIDCConfig')).toBeUndefined();
    expect(spec('VirtualMCPServer').incomingAuth.oidcConfigRef).toEqual({
      name: 'corp',
      audience: 'eng',
      scopes: ['a'],
    });
  });
});
