/** `forceConfidentialRedirectUris` must not be loopback addresses, and a client may send its secret over http on loopback only after the opt-in. */
import { expect, test } from 'vitest';
import { judge, object } from '../../support/rule.ts';

const server = (fields: string, issuer = 'https://a.example.com') =>
  object(
    'MCPExternalAuthConfig',
    `
  type: embeddedAuthServer
  embeddedAuthServer:
    issuer: ${issuer}
    upstreamProviders: [{ name: o, type: oidc, oidcConfig: { issuerUrl: https://o.example.com, clientId: c } }]
    allowConfidentialClientRegistration: true
    ${fields}`,
  );

test.each<[string, string[], string[]]>([
  [
    'redirect URIs of servers over https',
    [server('forceConfidentialRedirectUris: [https://app.example.com/callback]')],
    [],
  ],
  [
    'redirect URIs on localhost, and invalid redirect URIs',
    [
      server(
        "forceConfidentialRedirectUris: ['https://localhost/cb', 'https://127.0.0.1:8080/cb', 'https://[::1]/cb', 'https://app.example.com/#x', 'https://']",
      ),
    ],
    [
      'LNT4020 error 10:37 a redirect URI of confidential clients cannot be on loopback: programs on desktops cannot keep a secret',
      'LNT4020 error 10:61 a redirect URI of confidential clients cannot be on loopback: programs on desktops cannot keep a secret',
      'LNT4020 error 10:90 a redirect URI of confidential clients cannot be on loopback: programs on desktops cannot keep a secret',
      'LNT4020 error 10:110 a redirect URI of confidential clients cannot have a fragment',
      'LNT4020 error 10:140 a redirect URI of confidential clients must be a complete URL',
    ],
  ],
  [
    'client secrets over plain http on localhost',
    [
      server('cimd: { enabled: false }', 'http://localhost:8080'),
      server('insecureAllowConfidentialOverLoopbackHTTP: true', 'http://localhost:8080'),
    ],
    ['LNT4021 error 9:42 the server sends client secrets over plain http, though only on this machine'],
  ],
])('the rule confidentialClients gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('confidentialClients', ...objects)).toEqual(expected);
});
