/** Every requirement for registry servers has a test of a known name, so that none is lost. */
import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type NamedTest, namedTests } from './named-tests.ts';
import { SEED_RULES } from './rules.ts';

const known = new Map<string, readonly NamedTest[]>();

function testsOf(file: string): readonly NamedTest[] {
  const tests = known.get(file) ?? namedTests(file);
  known.set(file, tests);
  return tests;
}

describe('every rule of the seed has its tests', () => {
  test.each(SEED_RULES.map(one => [`${one.section}: ${one.rule}`, one] as const))(
    'each rule of test/registry-seed/rules.ts has an existing test: %s',
    (_, { proofs }) => {
      for (const { file, test, row } of proofs) {
        expect(existsSync(file), file).toBe(true);
        const found = testsOf(file).find(({ name }) => name === test);
        expect(
          found?.name,
          `${file} has: ${testsOf(file)
            .map(({ name }) => name)
            .join('; ')}`,
        ).toBe(test);
        if (row !== undefined) expect([...(found?.rows ?? [])], `rows of ${test} in ${file}`).toContain(row);
      }
    },
  );

  test('the table in test/registry-seed/rules.ts has as many rules in each section as expected, and no rule twice', () => {
    const counts = Object.fromEntries(
      [...Map.groupBy(SEED_RULES, ({ section }) => section)].map(([section, rules]) => [section, rules.length]),
    );
    expect(counts).toEqual({
      modes: 3,
      auth: 2,
      'auth.oauth': 4,
      provider: 10,
      'discovery document': 1,
      endpoints: 8,
      'bearer tokens': 10,
      'cluster provider': 4,
      'discovery and challenge': 2,
      recommendations: 3,
      errors: 8,
      limits: 2,
      versioning: 2,
    });
    const rules = SEED_RULES.map(({ section, rule }) => `${section}: ${rule}`);
    expect(new Set(rules).size).toBe(rules.length);
  });
});

test('the list of tests for test/registry-seed/rules.ts has no skipped test, and names the rows of each table of tests', () => {
  const tests = namedTests('test/registry-seed/sample.ts');
  expect(tests.map(({ name, rows }) => [name, [...rows]])).toEqual([
    ['alone', []],
    ['group > inside', []],
    ['group > %s of a table', ['one', 'two', 'named']],
    ['%s > in a table of groups', ['a', 'b']],
  ]);
});
