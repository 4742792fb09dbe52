import { expect, test } from 'vitest';
import { judgeConfig, sources } from '../../../support/registry-rule.ts';

const one = (filter: string) => sources(`  - { name: a, filter: { ${filter} }, file: { path: x } }\n`);
const excluded = (text: string) => [`LNT8019 warning 2:45 "${text}" is excluded as well`];
const impossible = (text: string) => [
  `LNT8018 error 2:45 "${text}" has a character that no name has; the only wildcard is "*"`,
];

test.each<[filter: string, expected: string[]]>([
  ['names: { include: ["io.github.*/*"], exclude: ["*-preview", "*/internal-*"] }', []],
  ['tags: { include: [a], exclude: [b] }', []],
  // Tags are plain words, in which "*" is an ordinary character.
  ['tags: { include: ["a b"], exclude: ["*"] }', []],
  ['names: { include: ["a/b"], exclude: ["a/b"] }', excluded('a/b')],
  ['names: { include: ["a/b"], exclude: ["*"] }', excluded('a/b')],
  ['names: { include: ["io.x/b*"], exclude: ["io.*/*"] }', excluded('io.x/b*')],
  ['names: { include: ["a/bcb"], exclude: ["a*c*b"] }', excluded('a/bcb')],
  ['names: { include: ["a/b"], exclude: ["a/b*b"] }', []],
  ['names: { include: ["a*"], exclude: ["a/b"] }', []],
  ['names: { include: ["[ab]/c"] }', impossible('[ab]/c')],
  ['names: { exclude: ["a/b?"] }', impossible('a/b?')],
  ['names: { exclude: ["a b"] }', impossible('a b')],
  ['tags: { include: [ab], exclude: [ab] }', ['LNT8019 warning 2:44 "ab" is excluded as well']],
])('the rule sourceFilters gives the expected findings for: %s', (filter, expected) => {
  expect(judgeConfig('sourceFilters', one(filter))).toEqual(expected);
});
