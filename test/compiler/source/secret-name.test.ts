import { expect, test } from 'vitest';
import { isSecretHeader, isSecretName, mayNameSecret } from '../../../compiler/source/secret-name.ts';

/** Names of variables, flags without dashes, headers and JSON members: the same words mark a secret in all four. */
test.each([
  'password',
  'DB_PASSWORD',
  'db-passwd',
  'sshPassphrase',
  'secret',
  'CLIENT_SECRET',
  'client-secret',
  'clientSecret',
  'GITHUB_TOKEN',
  'access_token',
  'accessToken',
  'accesstoken',
  'X-Auth-Token',
  'api-key',
  'apikey',
  'X-API-Key',
  'OPENAI_API_KEY',
  'private_key',
  'AWS_ACCESS_KEY_ID',
  'GITHUB_PAT',
  'credentials',
  'Authorization',
  'Proxy-Authorization',
  'cookie',
  'Set-Cookie',
])('the compiler takes %s for the name of a secret, in fields, headers and flags', name => {
  expect([isSecretName(name), isSecretHeader(name), mayNameSecret(name)]).toEqual([true, true, true]);
});

test.each([
  'MAX_TOKENS',
  'TOKEN_URL',
  'TOKENIZER',
  'SECRET_NAME',
  'nextToken',
  'nextPageToken',
  'page_token',
  'continuationToken',
  'X-CSRF-Token',
  'pattern',
  'KEYSPACE',
  'monkey',
  'author',
])('the compiler does not take %s for the name of a secret', name => {
  expect(isSecretName(name)).toBe(false);
});

test.each([
  ['X-Token-Hint', true],
  ['x-secret-id', true],
  ['X-Password-Hash', true],
  ['X-CSRF-Token', true],
  ['X-Tenant', false],
  ['X-Path-Prefix', false],
  ['User-Agent', false],
])('the compiler takes the value of the header %s for a secret: %s', (name, expected) => {
  expect(isSecretHeader(name)).toBe(expected);
});

test.each([
  ['-p', true],
  ['-H', true],
  ['--header', true],
  ['--keyfile', true],
  ['--oauth-flow', true],
  ['--pw', true],
  ['--port', false],
  ['--host', false],
])('the compiler takes a value after the flag %s for a possible secret: %s', (flag, expected) => {
  expect(mayNameSecret(flag)).toBe(expected);
});
