import { expect, test } from 'vitest';
import { judgeConfig, VIEWS } from '../../../support/registry-rule.ts';

const roles = (text: string) => `${VIEWS}auth: { mode: anonymous, authz: { roles: { ${text} } } }\n`;

test.each<[string, string, string[]]>([
  ['claims that a caller can have', roles('superAdmin: [{ role: admin, team: [a, b] }], manageEntries: []'), []],
  [
    'an empty mapping of claims',
    roles('superAdmin: [{}]'),
    ['LNT8004 warning 7:57 an empty entry of superAdmin matches no caller'],
  ],
  [
    'an empty list of values',
    roles('manageSources: [{ role: admin }, { team: [] }]'),
    ['LNT8004 warning 7:85 no value of the claim "team" is allowed, so no caller matches'],
  ],
  [
    'an empty value',
    roles('manageSources: [{ team: "" }]'),
    ['LNT8004 warning 7:68 no value of the claim "team" is allowed, so no caller matches'],
  ],
  [
    'an empty list of values at a registry',
    `${VIEWS}    claims: { team: [] }\nauth: { mode: anonymous }\n`,
    ['LNT8004 warning 7:21 no value of the claim "team" is allowed, so no caller matches'],
  ],
])('the rule deadClaims gives the expected findings for: %s', (_, config, expected) => {
  expect(judgeConfig('deadClaims', config)).toEqual(expected);
});
