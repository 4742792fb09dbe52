import { expect, test } from 'vitest';
import { sourceOrigins } from '../../../../compiler/rules/registry/source-origins.ts';
import { judgeConfig, sources } from '../../../support/registry-rule.ts';

const one = (fields: string) => sources(`  - { name: a, ${fields} }\n`);

test.each<[fields: string, expected: string[]]>([
  ['git: { repository: "git@github.com:a/b.git", branch: main }', []],
  ['git: { repository: x, branch: a, commit: b }', ['LNT1021 error 2:57 set one of branch and commit']],
  [
    'git: { repository: "https://u:hunter2@x.example.com/a.git" }',
    ['LNT6011 error 2:35 repository contains credentials; use auth'],
  ],
  ['file: {}', ['LNT1010 error 2:22 a file needs path or url']],
  ['file: { path: x, url: https://x.example.com }', ['LNT1021 error 2:38 set one of path and url']],
  ['file: { url: x.json }', ['LNT6011 error 2:29 url is not a complete http or https URL']],
  [
    'file: { url: http://x.example.com/a.json }',
    ['LNT8007 warning 2:29 url is plain http, so entries can be changed on the way'],
  ],
  ['file: { url: http://localhost/a.json, timeout: 5m }', []],
  [
    'api: { endpoint: https://x.example.com/v0.1/ }',
    ['LNT6011 error 2:33 endpoint ends with the version of the API, which is added to it'],
  ],
  [
    'api: { endpoint: https://x.example.com, timeout: 0s }',
    ['LNT1013 error 2:65 expected a duration longer than zero, found "0s"'],
  ],
  [
    'api: { endpoint: https://x.example.com, timeout: 5m1s }',
    ['LNT1013 error 2:65 expected a duration of at most 5m, found "5m1s"'],
  ],
  [
    'file: { path: x }, syncPolicy: { interval: 0s }',
    ['LNT1013 error 2:59 expected a duration longer than zero, found "0s"'],
  ],
  [
    'file: { path: x }, syncPolicy: { interval: 1000h }',
    ['LNT1013 error 2:59 expected a duration of at most 24 days, found "1000h"'],
  ],
])('%s', (fields, expected) => {
  expect(judgeConfig(sourceOrigins, one(fields))).toEqual(expected);
});
