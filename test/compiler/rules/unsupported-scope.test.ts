import { expect, test } from 'vitest';
import { authServer } from '../../support/auth-server-spec.ts';
import { judge } from '../../support/rule.ts';

test.each<[string, string[], string[]]>([
  ['the scopes openid and offline_access', [authServer('baselineClientScopes: [openid, offline_access]')], []],
  [
    'a scope that no upstream is asked for',
    [authServer('baselineClientScopes: [openid, repo]')],
    ['LNT4015 error 9:36 no upstream is asked for scope "repo": the authorization server would not start'],
  ],
])('the rule unsupportedScope gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('unsupportedScope', ...objects)).toEqual(expected);
});
