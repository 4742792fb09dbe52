import { expect, test } from 'vitest';
import { gateway, judge, object } from '../../support/rule.ts';

const gatewayWith = (incoming: string, issuer = 'https://auth.example.com') =>
  gateway(`incomingAuth:
    ${incoming}
  authServerConfig:
    issuer: ${issuer}
    upstreamProviders: [{ name: okta, type: oidc }]`);
const oidc = object('MCPOIDCConfig', '{ type: inline, inline: { issuer: https://auth.example.com } }', 'corp');
const ref = 'type: oidc\n    oidcConfigRef: ';

test.each<[string, string[], string[]]>([
  [
    'the issuer and audience of the authorization server',
    [
      gatewayWith(`${ref}{ name: corp, audience: https://mcp.example.com, resourceUrl: https://mcp.example.com }`),
      oidc,
    ],
    [],
  ],
  [
    'an MCPOIDCConfig that is not in the sources',
    [gatewayWith(`${ref}{ name: absent, audience: https://mcp.example.com, resourceUrl: https://mcp.example.com }`)],
    [],
  ],
  [
    'a gateway for anonymous callers',
    [gatewayWith('type: anonymous')],
    [
      'LNT4010 error 7:11 the authorization server issues tokens, but incomingAuth.type is anonymous: callers need no token',
    ],
  ],
  [
    'tokens of another issuer',
    [
      gatewayWith(
        `${ref}{ name: corp, audience: https://mcp.example.com, resourceUrl: https://mcp.example.com }`,
        'https://other.example.com',
      ),
      oidc,
    ],
    [
      'LNT4002 error 10:13 issuer "https://other.example.com" differs from "https://auth.example.com" of MCPOIDCConfig "corp", so every token that it issues is refused',
    ],
  ],
  [
    'tokens of the Kubernetes API server',
    [
      gatewayWith(`${ref}{ name: k, audience: https://mcp.example.com, resourceUrl: https://mcp.example.com }`),
      object('MCPOIDCConfig', '{ type: kubernetesServiceAccount, kubernetesServiceAccount: {} }', 'k'),
    ],
    [
      'LNT4002 error 10:13 issuer "https://auth.example.com" differs from "https://kubernetes.default.svc" of MCPOIDCConfig "k", so every token that it issues is refused',
    ],
  ],
  [
    'tokens for another audience',
    [gatewayWith(`${ref}{ name: corp, audience: mcp, resourceUrl: https://mcp.example.com }`), oidc],
    [
      'LNT4003 error 8:44 audience "mcp" differs from resourceUrl "https://mcp.example.com", the only audience of the tokens that the authorization server issues',
    ],
  ],
  [
    'a reference without a resource URL',
    [gatewayWith(`${ref}{ name: corp, audience: mcp }`), oidc],
    [
      'LNT4003 warning 8:44 the authorization server issues tokens for the URL of the gateway, and oidcConfigRef.resourceUrl is not set to that URL',
    ],
  ],
])('the rule authServerCoupling gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('authServerCoupling', ...objects)).toEqual(expected);
});
