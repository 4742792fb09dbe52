import { expect, test } from 'vitest';
import { createMatcher, findGlobBase } from '../../../compiler/lint/index.ts';

/** Rows of: the pattern, the folder from which it is resolved, paths that match, paths that do not. */
test.each<[string, string, readonly string[], readonly string[]]>([
  ['specs', 'specs', ['specs', 'specs/a.yaml', 'specs/b/c.yaml'], ['specs2/a.yaml', 'a/specs', 'a.yaml']],
  ['./specs/', 'specs', ['specs/a.yaml'], ['a.yaml']],
  ['.', '.', ['a.yaml', 'a/b.yaml'], []],
  ['specs/*.yaml', 'specs', ['specs/a.yaml', 'specs/.yaml'], ['specs/a.yml', 'specs/b/a.yaml', 'specs/axyaml']],
  ['specs/**/*.yaml', 'specs', ['specs/a.yaml', 'specs/b/c/a.yaml'], ['specs/a.yml', 'a.yaml']],
  ['specs/**', 'specs', ['specs/a.yaml', 'specs/b/c.json'], ['spec/a.yaml']],
  ['**/generated', '.', ['generated/a.yaml', 'a/b/generated/c.yaml'], ['regenerated/a.yaml', 'generated2']],
  ['teams/*/gateways', 'teams', ['teams/a/gateways/g.yaml'], ['teams/gateways/g.yaml', 'teams/a/b/gateways/g.yaml']],
  ['a?.yaml', '.', ['ab.yaml'], ['a.yaml', 'a/.yaml', 'abc.yaml']],
  ['{specs,more}/*.{yaml,yml}', '.', ['specs/a.yaml', 'more/a.yml'], ['other/a.yaml', 'specs/a.json']],
  ['a+(b).[c].yaml', 'a+(b).[c].yaml', ['a+(b).[c].yaml'], ['aab.c.yaml']],
  ['../common/**', '../common', ['../common/a.yaml'], ['common/a.yaml', '../a.yaml']],
])('the pattern %s in lintel.yaml matches the expected paths', (pattern, base, matching, others) => {
  const matches = createMatcher(pattern);
  expect(findGlobBase(pattern)).toBe(base);
  expect(matching.filter(path => !matches(path))).toEqual([]);
  expect(others.filter(matches)).toEqual([]);
});

test.each([
  ['folders', `${'**/'.repeat(12)}x`, `${'a/'.repeat(60)}y`],
  ['names', `${'*a'.repeat(12)}b`, 'a'.repeat(200)],
  ['anything', `${'**a'.repeat(12)}b`, 'a/'.repeat(200)],
  ['choices', `${'{*,a*}'.repeat(12)}b`, 'a'.repeat(200)],
])('a pattern with many wildcards for %s is matched in under a second', (_, pattern, path) => {
  const start = process.cpuUsage();
  expect(createMatcher(pattern)(path)).toBe(false);
  expect(process.cpuUsage(start).user / 1000).toBeLessThan(1_000);
});
