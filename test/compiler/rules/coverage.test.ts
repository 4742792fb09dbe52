/** COVERAGE.md only names existing files, tests and codes, and lists every rule. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { CODES } from '#compiler';
import { GATEWAY_RULES } from '../../../compiler/rules/gateway/index.ts';
import { RULES } from '../../../compiler/rules/index.ts';
import { REGISTRY_RULES } from '../../../compiler/rules/registry/index.ts';

const RULE_FOLDER = 'compiler/rules';
const lines = readFileSync(`${RULE_FOLDER}/COVERAGE.md`, 'utf8').split('\n');
const rows = lines.filter(line => line.startsWith('|'));

function named(pattern: RegExp, lines: readonly string[] = rows): string[] {
  return [...new Set(lines.flatMap(line => [...line.matchAll(pattern)].map(match => match[1] ?? '')))].sort();
}

test('COVERAGE.md names only files that exist', () => {
  const files = [
    ...named(/`([a-z-]+\.ts)`/g).map(file => `${RULE_FOLDER}/${file}`),
    ...named(/`((?:registry|gateway|support)\/[a-z-]+\.ts)`/g).map(file => `${RULE_FOLDER}/${file}`),
    ...named(/`(lower\/(?:registry\/)?[a-z-]+\.ts)`/g).map(file => `compiler/${file}`),
    ...named(/`(rules\/(?:registry\/|gateway\/)?[a-z-]+)`/g).map(file => `test/compiler/${file}.test.ts`),
    ...named(/`(goldens\/cases\/[a-z-]+)`/g).map(folder => `test/compiler/${folder}`),
  ];
  expect(files.filter(file => !existsSync(file))).toEqual([]);
});

test('COVERAGE.md names only codes that exist, except in rows marked "not yet"', () => {
  const done = rows.filter(row => !row.includes('not yet'));
  expect(named(/(LNT\d{4})/g, done).filter(code => !Object.hasOwn(CODES, code))).toEqual([]);
});

test('COVERAGE.md mentions every code', () => {
  const number = (code: string) => Number(code.slice('LNT'.length));
  const ranges = lines.flatMap(line => [...line.matchAll(/(LNT\d{4})–(LNT\d{4})/g)]);
  const within = (code: string) =>
    ranges.some(([, first = '', last = '']) => number(first) <= number(code) && number(code) <= number(last));
  const single = named(/(LNT\d{4})/g, lines);
  expect(Object.keys(CODES).filter(code => !single.includes(code) && !within(code))).toEqual([]);
});

test('COVERAGE.md lists every rule', () => {
  const nameOf = (file: string) => file.slice(0, -3).replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  const inTable = named(/`(?:(?:gateway|registry|support)\/)?([a-z-]+\.ts)`/g).map(nameOf);
  const rules = [...RULES, ...GATEWAY_RULES, ...REGISTRY_RULES];
  expect(rules.map(rule => rule.name).filter(name => !inTable.includes(name))).toEqual([]);
  expect(readdirSync(RULE_FOLDER)).toEqual(expect.arrayContaining(named(/`([a-z-]+\.ts)`/g)));
});

test('a rule file that reports one code, which no other rule file reports, has the name of the code', () => {
  const files = readdirSync(RULE_FOLDER, { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.ts') && !/(?:^|\/)(?:index|rule|run-rules)\.ts$/.test(file))
    .map(file => {
      const text = readFileSync(`${RULE_FOLDER}/${file}`, 'utf8');
      return { file, codes: [...new Set([...text.matchAll(/LNT\d{4}/g)].map(([code]) => code))] };
    });
  const counts = Map.groupBy(
    files.flatMap(({ codes }) => codes),
    code => code,
  );
  // The codes below LNT2000 are also reported without a rule: by the schema of a field.
  const single = files.filter(({ codes: [code = ''], codes }) => codes.length === 1 && code >= 'LNT2000');
  const own = single.filter(({ codes: [code = ''] }) => counts.get(code)?.length === 1);
  expect(own.length).toBeGreaterThan(50);
  const wrong = own.filter(({ file, codes: [code] }) => {
    const { name } = CODES[code as keyof typeof CODES];
    return !file.startsWith('support/') && basename(file) !== `${name}.ts`;
  });
  expect(wrong).toEqual([]);
});
