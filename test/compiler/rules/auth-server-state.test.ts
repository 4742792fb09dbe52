/** Keys that are omitted are ephemeral; memory storage is for a single replica. */
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
  ['its own keys, and one replica or shared storage', [signIn(keys), signIn(keys + redis, 2)], []],
  [
    'hmacSecretRefs and signingKeySecretRefs omitted',
    [
      signIn(''),
      object(
        'MCPExternalAuthConfig',
        `{ type: embeddedAuthServer, embeddedAuthServer: { ${fields(', hmacSecretRefs: []')} } }`,
      ),
    ],
    [
      'LNT4024 hint 8:3 without signingKeySecretRefs a throw-away key is made, so access tokens are void after a restart',
      'LNT4024 hint 8:3 without hmacSecretRefs a throw-away key is made, so codes and refresh tokens are void after a restart',
      'LNT4024 hint 13:35 without signingKeySecretRefs a throw-away key is made, so access tokens are void after a restart',
      'LNT4024 hint 13:35 without hmacSecretRefs a throw-away key is made, so codes and refresh tokens are void after a restart',
    ],
  ],
  [
    'several replicas',
    [signIn('', 2), signIn(`${keys}, storage: { type: memory }`, 3)],
    [
      'LNT4024 warning 8:3 without signingKeySecretRefs a throw-away key is made, so access tokens are void at another replica and after a restart',
      'LNT4024 warning 8:3 without hmacSecretRefs a throw-away key is made, so codes and refresh tokens are void at another replica and after a restart',
      'LNT4025 warning 8:3 2 replicas do not share the memory of the authorization server: a sign-in ends where it reaches another one',
      'LNT4025 warning 17:247 3 replicas do not share the memory of the authorization server: a sign-in ends where it reaches another one',
    ],
  ],
])('%s', (_, objects, expected) => {
  expect(judge('authServerState', ...objects)).toEqual(expected);
});
