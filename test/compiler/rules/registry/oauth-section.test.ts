import { expect, test } from 'vitest';
import { judgeConfig, provider, VIEWS } from '../../../support/registry-rule.ts';

test.each<[string, string, string[]]>([
  ['mode oauth with the oauth section', provider('issuerUrl: https://a.example.com, audience: r'), []],
  ['mode anonymous without the oauth section', `${VIEWS}auth: { mode: anonymous }\n`, []],
  [
    'the default mode without the oauth section',
    `${VIEWS}auth: { authz: {} }\n`,
    ['LNT1010 error 7:1 auth.oauth is missing, and the mode is oauth'],
  ],
  [
    'mode oauth without the oauth section',
    `${VIEWS}auth: { mode: oauth }\n`,
    ['LNT1010 error 7:1 auth.oauth is missing, and the mode is oauth'],
  ],
])('the rule oauthSection gives the expected findings for: %s', (_, config, expected) => {
  expect(judgeConfig('oauthSection', config)).toEqual(expected);
});
