import { expect, test } from 'vitest';
import { judgeConfig, VIEWS } from '../../../support/registry-rule.ts';

test.each<[string, string[]]>([
  ['{ host: db, password: "" }', []],
  [
    '{ password: hunter2, migrationPassword: hunter3 }',
    [
      'LNT6001 warning 8:1 password holds a secret in the clear',
      'LNT6001 warning 8:1 migrationPassword holds a secret in the clear',
    ],
  ],
])('the rule databasePasswords gives the expected findings for: %s', (database, expected) => {
  expect(judgeConfig('databasePasswords', `${VIEWS}auth: { mode: anonymous }\ndatabase: ${database}\n`)).toEqual(
    expected,
  );
});
