import { expect, test } from 'vitest';
import { judgeConfig, sources } from '../../../support/registry-rule.ts';

const one = (fields: string) => sources(`  - { name: a, ${fields} }\n`);

test.each([
  ['file: { path: x }', []],
  ['kubernetes: {}', []],
  ['api: { endpoint: x }, syncPolicy: { interval: 1h }', []],
  ['filter: {}', ['LNT1010 error 2:5 the source "a" has none of git, api, file, managed, kubernetes']],
  ['file: { path: x }, api: { endpoint: x }', ['LNT1021 error 2:16 the source "a" has api and file']],
  ['managed: {}', ['LNT8016 error 2:16 a managed source needs a database, and this server has none']],
  ...['api: { endpoint: x }', 'git: { repository: x }', 'file: { url: x }'].map((type): [string, string[]] => [
    type,
    ['LNT1010 error 2:16 syncPolicy is missing: it says how often "a" is read again'],
  ]),
] as [string, string[]][])('the rule sourceTypes gives the expected findings for: %s', (fields, expected) => {
  expect(judgeConfig('sourceTypes', one(fields))).toEqual(expected);
});
