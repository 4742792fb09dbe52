import { expect, test } from 'vitest';
import { judgeConfig, sources } from '../../../support/registry-rule.ts';

const TWO = '  - { name: first, file: { path: x } }\n  - { name: second, file: { path: x } }\n';

test.each([
  ['first, second', []],
  [
    'first, secnod',
    ['LNT2001 error 4:45 no source is named "secnod"', 'LNT8015 warning 3:13 no registry shows the source "second"'],
  ],
])('the rule registrySources gives the expected findings for a registry with the sources %s', (shown, expected) => {
  expect(judgeConfig('registrySources', sources(TWO, shown))).toEqual(expected);
});
