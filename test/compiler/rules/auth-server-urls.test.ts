import { expect, test } from 'vitest';
import { judge, object } from '../../support/rule.ts';

const server = (fields: string) =>
  object(
    'MCPExternalAuthConfig',
    `
  type: embeddedAuthServer
  embeddedAuthServer:
    upstreamProviders: [{ name: okta, type: oidc }]
    ${fields}`,
  );

test.each<[string, string[], string[]]>([
  [
    'https URLs, and http URLs on localhost',
    [
      server('issuer: https://auth.example.com'),
      server('issuer: http://localhost:8080'),
      server('issuer: http://127.0.0.1:8080'),
      server('issuer: http://[::1]:8080'),
    ],
    [],
  ],
  [
    'http URLs on other hosts',
    [
      server('issuer: http://auth.example.com'),
      server('issuer: https://a.example.com\n    authorizationEndpointBaseUrl: http://localhost.example.com'),
    ],
    [
      'LNT4004 error 8:13 issuer is plain http on a host that is not loopback: tokens would cross the network unencrypted',
      'LNT4004 error 18:35 authorizationEndpointBaseUrl is plain http on a host that is not loopback: tokens would cross the network unencrypted',
    ],
  ],
  ['http URLs with insecureAllowHTTP', [server('issuer: http://auth.example.com\n    insecureAllowHTTP: true')], []],
])('the rule authServerUrls gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('authServerUrls', ...objects)).toEqual(expected);
});
