import { expect, test } from 'vitest';
import { upstreamProviders } from '../../../compiler/rules/upstream-providers.ts';
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
    'nothing to say',
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
    'registration at a fixed endpoint',
    [
      upstreams(
        '{ name: a, type: oauth2, oauth2Config: { authorizationEndpoint: https://a.example.com, tokenEndpoint: https://a.example.com, dcrConfig: { registrationEndpoint: https://a.example.com/r } } }',
      ),
    ],
    ['LNT1010 error 9:34 upstream "a" registers at a fixed endpoint, so nothing tells its scopes: write them out'],
  ],
  [
    'plain http',
    [
      upstreams(
        '{ name: a, type: oauth2, oauth2Config: { authorizationEndpoint: http://a.example.com, tokenEndpoint: http://a.example.com, clientId: c } }',
      ),
      upstreams(
        '{ name: a, type: oauth2, oauth2Config: { authorizationEndpoint: http://a.example.com, tokenEndpoint: http://a.example.com, clientId: c, insecureAllowHTTP: true } }',
      ),
    ],
    [
      'LNT4004 warning 9:73 authorizationEndpoint of upstream "a" is plain http: secrets would cross the network readable',
      'LNT4004 warning 9:110 tokenEndpoint of upstream "a" is plain http: secrets would cross the network readable',
    ],
  ],
  [
    'in a gateway',
    [
      gateway(`incomingAuth: { type: anonymous }
  authServerConfig:
    issuer: https://auth.example.com
    upstreamProviders:
      - { name: a, type: oidc, oidcConfig: { issuerUrl: https://a.example.com, clientId: c, additionalAuthorizationParams: { client_id: x } } }`),
    ],
    ['LNT4013 error 10:126 "client_id" is set by the protocol itself and cannot be an additional parameter'],
  ],
])('%s', (_, objects, expected) => {
  expect(judge(upstreamProviders, ...objects)).toEqual(expected);
});
