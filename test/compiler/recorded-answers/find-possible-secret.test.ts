import { expect, test } from 'vitest';
import { findPossibleSecret } from '../../../compiler/workflow-tests/record/find-possible-secret.ts';

test.each<[what: string, value: unknown, place: string]>([
  ['a member with the name of one', { a: [{ access_token: 'abcdefgh' }] }, 'a.0.access_token'],
  ['another spelling', { clientSecret: 'abcdefgh' }, 'clientSecret'],
  ['a header', { headers: { Authorization: 'Basic YTpiY2Q=' } }, 'headers.Authorization'],
  ['a bearer token in a text', { text: 'use Bearer abcdefghijklmnop1234' }, 'text'],
  ['a JSON Web Token', ['eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbm4ifQ.c2lnbmF0dXJl'], '0'],
  ['a token of GitHub', `ghp_${'a'.repeat(36)}`, ''],
  ['a private key', '-----BEGIN EC PRIVATE KEY-----\nMHc', ''],
  ['a URL with a password', 'postgres://ann:hunter22@db/main', ''],
  ['JSON in a text', { text: '{"user":{"password":"hunter2222"}}' }, 'text'],
])('%s', (_, value, place) => {
  expect(findPossibleSecret(value)?.join('.')).toBe(place);
});

test.each<[what: string, value: unknown]>([
  ['words about them', { text: 'The token is in the vault; ask for a password.' }],
  ['a cursor', { nextToken: 'a1b2c3d4e5f6', page_token: 'abcdefghijkl' }],
  ['an empty one', { token: '' }],
  ['a placeholder', { password: '***' }],
  ['counts', { input_tokens: 12, tokens: 'many tokens here', token: 7 }],
  ['a URL without a password', 'https://tracker.example:8443/a@b'],
  ['text that only begins like JSON', { text: '{ not json: "password" }' }],
])('%s seem to be none', (_, value) => {
  expect(findPossibleSecret(value)).toBeUndefined();
});
