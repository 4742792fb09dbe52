/**
 * Findings about an authorization server's state: without configured keys it generates ones that a restart loses, and its storage in memory is
 * for a single replica.
 */
import { expect, test } from 'vitest';
import { gateway, judge, object } from '../../support/rule.ts';

const fields = (more: string) =>
  `issuer: https://a.example.com, upstreamProviders: [{ name: o, type: oidc, oidcConfig: { issuerUrl: https://o.example.com, clientId: c } }]${more}`;
const keys = ', signingKeySecretRefs: [{ name: k, key: a }], hmacSecretRefs: [{ name: k, key: b }]';
const redis =
  ', storage: { type: redis, redis: { addr: redis:6379, aclUserConfig: { passwordSecretRef: { name: r, key: p } } } }';
const signIn = (more: string, replicas = 1) =>
  gateway(`incomingAuth: { type: anonymous }\n  replicas: ${replicas}\n  authServerConfig: { ${fields(more)} }`);

test.each<[string, string[], string[]]>([
  ['keys in Secrets, and one replica or shared storage', [signIn(keys), signIn(keys + redis, 2)], []],
  [
    'one replica without signing keys and HMAC secrets',
    [
      signIn(''),
      object(
        'MCPExternalAuthConfig',
        `{ type: embeddedAuthServer, embeddedAuthServer: { ${fields(', hmacSecretRefs: []')} } }`,
      ),
    ],
    [
      'LNT4024 hint 8:3 without signingKeySecretRefs the server makes a temporary key, so access tokens are invalid after a restart',
      'LNT4024 hint 8:3 without hmacSecretRefs the server makes a temporary key, so codes and refresh tokens are invalid after a restart',
      'LNT4024 hint 13:35 without signingKeySecretRefs the server makes a temporary key, so access tokens are invalid after a restart',
      'LNT4024 hint 13:35 without hmacSecretRefs the server makes a temporary key, so codes and refresh tokens are invalid after a restart',
    ],
  ],
  [
    'several replicas without keys or shared storage',
    [signIn('', 2), signIn(`${keys}, storage: { type: memory }`, 3)],
    [
      'LNT4024 warning 8:3 without signingKeySecretRefs the server makes a temporary key, so access tokens are invalid at another replica and after a restart',
      'LNT4024 warning 8:3 without hmacSecretRefs the server makes a temporary key, so codes and refresh tokens are invalid at another replica and after a restart',
      'LNT4025 warning 8:3 2 replicas do not share the memory of the authorization server: a sign-in fails when one of its requests reaches another replica',
      'LNT4025 warning 17:247 3 replicas do not share the memory of the authorization server: a sign-in fails when one of its requests reaches another replica',
    ],
  ],
])('the rule authServerState gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('authServerState', ...objects)).toEqual(expected);
});
