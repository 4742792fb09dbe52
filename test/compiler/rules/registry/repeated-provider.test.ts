import { expect, test } from 'vitest';
import { judgeConfig, oauth } from '../../../support/registry-rule.ts';

const two = (second: string) =>
  oauth(`providers:
      - { name: a, issuerUrl: https://a.example.com, audience: r }
      - { name: b, ${second} }`);

test.each([
  ['issuerUrl: https://b.example.com, audience: r', []],
  ['issuerUrl: https://a.example.com, audience: s', []],
  // Issuers are compared byte for byte.
  ['issuerUrl: https://a.example.com/, audience: r', []],
  [
    'issuerUrl: https://a.example.com, audience: r',
    ['LNT8005 warning 13:17 provider "b" accepts the issuer and the audience of "a"'],
  ],
])('the rule repeatedProvider gives the expected findings for a second provider with %s', (second, expected) => {
  expect(judgeConfig('repeatedProvider', two(second))).toEqual(expected);
});
