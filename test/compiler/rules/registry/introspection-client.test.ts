import { expect, test } from 'vitest';
import { judgeConfig, provider } from '../../../support/registry-rule.ts';

test.each([
  ['', []],
  [', clientId: c, clientSecretFile: /s', []],
  [', clientId: c', []],
  [', clientSecretFile: /s', ['LNT1010 error 12:70 clientSecretFile is set, and clientId is missing']],
])('the rule introspectionClient gives the expected findings for: %s', (fields, expected) => {
  const config = provider(`issuerUrl: https://a.example.com, audience: r${fields}`);
  expect(judgeConfig('introspectionClient', config)).toEqual(expected);
});
