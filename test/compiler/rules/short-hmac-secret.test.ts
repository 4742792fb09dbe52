import { expect, test } from 'vitest';
import { authServer } from '../../support/auth-server-spec.ts';
import { judge } from '../../support/rule.ts';

const secret = (data: string) => `apiVersion: v1
kind: Secret
metadata: { name: s }
${data}
`;

test.each<[string, string[], string[]]>([
  [
    'long secrets, and secrets that are not in the sources',
    [
      authServer('hmacSecretRefs: [{ name: s, key: k }, { name: absent, key: k }, { name: s, key: absent }]'),
      secret(`stringData: { k: ${'x'.repeat(32)} }`),
    ],
    [],
  ],
  [
    'a short literal secret',
    [authServer('hmacSecretRefs: [{ name: s, key: k }]'), secret('stringData: { k: short }')],
    ['LNT4017 error 9:22 key "k" of Secret "s" holds 5 bytes, at least 32 are needed'],
  ],
  [
    'a short secret in Base64',
    [
      authServer('hmacSecretRefs: [{ name: s, key: k }]'),
      secret(`data: { k: ${Buffer.from('x'.repeat(31)).toString('base64')} }`),
    ],
    ['LNT4017 error 9:22 key "k" of Secret "s" holds 31 bytes, at least 32 are needed'],
  ],
])('the rule shortHmacSecret gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('shortHmacSecret', ...objects)).toEqual(expected);
});
