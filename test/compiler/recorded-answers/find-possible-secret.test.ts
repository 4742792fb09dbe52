import { expect, test } from 'vitest';
import { findPossibleSecret } from '../../../compiler/workflow-tests/record/find-possible-secret.ts';

test.each<[what: string, value: unknown, place: string]>([
  ['a member with the name of a secret', { a: [{ access_token: 'abcdefgh' }] }, 'a.0.access_token'],
  ['a member in camel case', { clientSecret: 'abcdefgh' }, 'clientSecret'],
  ['an Authorization header', { headers: { Authorization: 'Basic YTpiY2Q=' } }, 'headers.Authorization'],
  ['a bearer token in a text', { text: 'use Bearer abcdefghijklmnop1234' }, 'text'],
  ['a JSON Web Token', ['eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbm4ifQ.c2lnbmF0dXJl'], '0'],
  ['a GitHub token', `ghp_${'a'.repeat(36)}`, ''],
  ['a private key', '-----BEGIN EC PRIVATE KEY-----\nMHc', ''],
  ['a URL with a password', 'postgres://ann:hunter22@db/main', ''],
  ['JSON with a password in a text', { text: '{"user":{"password":"hunter2222"}}' }, 'text'],
])('lintel test --record finds a possible secret in an answer: %s', (_, value, place) => {
  expect(findPossibleSecret(value)?.join('.')).toBe(place);
});

test.each<[what: string, value: unknown]>([
  ['words about secrets', { text: 'The token is in the vault; ask for a password.' }],
  ['cursors of pages', { nextToken: 'a1b2c3d4e5f6', page_token: 'abcdefghijkl' }],
  ['an empty token', { token: '' }],
  ['a placeholder', { password: '***' }],
  ['counts', { input_tokens: 12, tokens: 'many tokens here', token: 7 }],
  ['a URL without a password', 'https://tracker.example:8443/a@b'],
  ['text that begins like JSON', { text: '{ not json: "password" }' }],
])('lintel test --record finds no secret in %s', (_, value) => {
  expect(findPossibleSecret(value)).toBeUndefined();
});
