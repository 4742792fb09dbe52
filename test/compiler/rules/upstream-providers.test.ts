import { expect, test } from 'vitest';
import { gateway, judge, object } from '../../support/rule.ts';

const upstreams = (text: string) =>
  object(
    'MCPExternalAuthConfig',
    `
  type: embeddedAuthServer
  embeddedAuthServer:
    issuer: https://auth.example.com
    upstreamProviders:
      - ${text}`,
  );

test.each<[string, string[], string[]]>([
  [
    'complete upstreams',
    [
      upstreams(
        '{ name: a, type: oidc, oidcConfig: { issuerUrl: https://a.example.com, clientId: c, additionalAuthorizationParams: { prompt: consent } } }',
      ),
      upstreams(
        '{ name: a, type: oauth2, oauth2Config: { authorizationEndpoint: http://localhost:1/a, tokenEndpoint: http://127.0.0.1/t, clientId: c } }',
      ),
    ],
    [],
  ],
  [
    'reserved parameters',
    [
      upstreams(
        '{ name: a, type: oidc, oidcConfig: { issuerUrl: https://a.example.com, clientId: c, additionalAuthorizationParams: { scope: x, nonce: y } } }',
      ),
      upstreams(
        '{ name: a, type: oauth2, oauth2Config: { authorizationEndpoint: https://a.example.com, tokenEndpoint: https://a.example.com, clientId: c, additionalAuthorizationParams: { state: x } } }',
      ),
    ],
    [
      'LNT4013 error 9:126 "scope" is set by the protocol itself and cannot be an additional parameter',
      'LNT4013 error 9:136 "nonce" is set by the protocol itself and cannot be an additional parameter',
      'LNT4013 error 19:180 "state" is set by the protocol itself and cannot be an additional parameter',
    ],
  ],
  [
    'dynamic registration at a fixed endpoint',
    [
      upstreams(
        '{ name: a, type: oauth2, oauth2Config: { authorizationEndpoint: https://a.example.com, tokenEndpoint: https://a.example.com, dcrConfig: { registrationEndpoint: https://a.example.com/r } } }',
      ),
    ],
    [
      'LNT1010 error 9:34 upstream "a" registers at a fixed endpoint, so its scopes cannot be discovered: write the scopes',
    ],
  ],
  [
    'endpoints over plain http',
    [
      upstreams(
        '{ name: a, type: oauth2, oauth2Config: { authorizationEndpoint: http://a.example.com, tokenEndpoint: http://a.example.com, clientId: c } }',
      ),
      upstreams(
        '{ name: a, type: oauth2, oauth2Config: { authorizationEndpoint: http://a.example.com, tokenEndpoint: http://a.example.com, clientId: c, insecureAllowHTTP: true } }',
      ),
      upstreams(
        '{ name: a, type: oauth2, oauth2Config: { authorizationEndpoint: https://a.example.com, tokenEndpoint: https://a.example.com, userInfo: { endpointUrl: http://a.example.com } } }',
      ),
      upstreams(
        '{ name: a, type: oidc, oidcConfig: { issuerUrl: https://a.example.com, clientId: c, userInfoOverride: { endpointUrl: http://localhost/me } } }',
      ),
    ],
    [
      'LNT4004 error 9:73 authorizationEndpoint of upstream "a" is plain http, and connections to it are refused',
      'LNT4004 error 9:110 tokenEndpoint of upstream "a" is plain http, and connections to it are refused',
      'LNT4004 error 29:159 endpointUrl of upstream "a" is plain http, and connections to it are refused',
      'LNT4004 error 39:126 endpointUrl of upstream "a" is plain http, and connections to it are refused',
    ],
  ],
  [
    'redirect URIs',
    [
      upstreams(
        '{ name: a, type: oidc, oidcConfig: { issuerUrl: https://a.example.com, clientId: c, redirectUri: https://auth.example.com/cb } }',
      ),
      upstreams(
        '{ name: a, type: oidc, oidcConfig: { issuerUrl: https://a.example.com, clientId: c, redirectUri: /oauth/callback } }',
      ),
      upstreams(
        '{ name: a, type: oauth2, oauth2Config: { authorizationEndpoint: https://a.example.com, tokenEndpoint: https://a.example.com, clientId: c, redirectUri: "ftp://auth.example.com/cb" } }',
      ),
      upstreams(
        '{ name: a, type: oidc, oidcConfig: { issuerUrl: https://a.example.com, clientId: c, redirectUri: "https://u:p@auth.example.com/cb" } }',
      ),
      upstreams(
        '{ name: a, type: oidc, oidcConfig: { issuerUrl: https://a.example.com, clientId: c, redirectUri: "https://auth.example.com/cb#" } }',
      ),
      upstreams(
        '{ name: a, type: oidc, oidcConfig: { issuerUrl: https://a.example.com, clientId: c, redirectUri: "http://auth.example.com/cb" } }',
      ),
      upstreams(
        '{ name: a, type: oidc, oidcConfig: { issuerUrl: https://a.example.com, clientId: c, redirectUri: "http://localhost:8080/cb" } }',
      ),
      upstreams(
        '{ name: a, type: oidc, oidcConfig: { issuerUrl: https://a.example.com, clientId: c, redirectUri: "" } }',
      ),
    ],
    [
      'LNT6011 error 19:106 redirectUri of upstream "a" is not a complete URL',
      'LNT6011 error 29:160 redirectUri of upstream "a" is not http or https',
      'LNT6011 error 39:106 redirectUri of upstream "a" contains credentials, which everyone who reads this file could use',
      'LNT6011 error 49:106 redirectUri of upstream "a" has a fragment',
      'LNT4004 warning 59:106 redirectUri of upstream "a" is plain http: secrets would cross the network unencrypted',
    ],
  ],
  [
    'upstreams in a gateway',
    [
      gateway(`incomingAuth: { type: anonymous }
  authServerConfig:
    issuer: https://auth.example.com
    upstreamProviders:
      - { name: a, type: oidc, oidcConfig: { issuerUrl: https://a.example.com, clientId: c, additionalAuthorizationParams: { client_id: x } } }`),
    ],
    ['LNT4013 error 10:126 "client_id" is set by the protocol itself and cannot be an additional parameter'],
  ],
])('the rule upstreamProviders gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('upstreamProviders', ...objects)).toEqual(expected);
});
