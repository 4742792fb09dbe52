import { expect, test } from 'vitest';
import { judgeConfig, VIEWS } from '../../../support/registry-rule.ts';

const OAUTH = 'oauth: { resourceUrl: https://r.example.com, providers: [{ name: a, issuerUrl: x, audience: r }] }';
const CLAIMED = `${VIEWS}    claims: { team: platform }\n`;

test.each<[string, string, string[]]>([
  ['roles', `${VIEWS}auth: { authz: { roles: { superAdmin: [{ role: admin }] } }, ${OAUTH} }\n`, []],
  ['empty authz with claims', `${CLAIMED}auth: { authz: {}, ${OAUTH} }\n`, []],
  [
    'claims without authz',
    `${CLAIMED}auth: { ${OAUTH} }\n`,
    [
      'LNT8002 warning 8:1 there is no auth.authz, so every caller with a valid token has all roles and sees everything',
      'LNT8002 warning 7:5 claims has no effect: there is no auth.authz',
    ],
  ],
  ['an anonymous registry server', `${VIEWS}auth: { mode: anonymous }\n`, []],
  [
    'an anonymous registry server with roles and claims',
    `${CLAIMED}auth: { mode: anonymous, authz: {} }\n`,
    [
      'LNT8003 warning 8:26 authz has no effect: the mode is anonymous',
      'LNT8003 warning 7:5 claims has no effect: the mode is anonymous',
    ],
  ],
])('the rule registryAuthorization gives the expected findings for: %s', (_, config, expected) => {
  expect(judgeConfig('registryAuthorization', config)).toEqual(expected);
});
