import { expect, test } from 'vitest';
import { decode } from '../../../compiler/source/decode.ts';
import { MAX_FILE_BYTES } from '../../../compiler/source/limits.ts';
import { read, readFindings } from './reading.ts';

const REST = 'the rest of the file was not read';
const DEEP = 'values are nested more than 100 levels deep';

/** Measures in milliseconds of this process's processor time, because other processes may keep the machine busy. */
function stopwatch(): () => number {
  const before = process.cpuUsage();
  return () => process.cpuUsage(before).user / 1000;
}

const deep: readonly [name: string, file: string, text: string, finding: string][] = [
  ['flow lists', 'a.yaml', '['.repeat(10_000) + ']'.repeat(10_000), `LNT1017 1:103-1:104 ${DEEP}; ${REST}`],
  ['flow mappings', 'a.yaml', '{a: '.repeat(10_000), `LNT1017 1:406-1:407 ${DEEP}; ${REST}`],
  ['block lists', 'a.yaml', `${'- '.repeat(10_000)}x`, `LNT1017 1:204-1:205 ${DEEP}; ${REST}`],
  ['explicit keys', 'a.yaml', '? '.repeat(10_000), `LNT1017 1:204-1:205 ${DEEP}; ${REST}`],
  ['one level too many', 'a.yaml', '['.repeat(101) + ']'.repeat(101), `LNT1017 1:101-1:103 ${DEEP}`],
  ['JSON', 'a.json', '['.repeat(10_000), `LNT1017 1:101-1:102 ${DEEP}`],
  ['JSON in a YAML file', 'a.yaml', '{"a":'.repeat(10_000), `LNT1017 1:501-1:502 ${DEEP}`],
];

test.each(deep)('the compiler stops at more than 100 levels of nesting: %s', (_, file, text, finding) => {
  expect(readFindings(text, file)).toEqual([finding]);
});

test.each(['a.yaml', 'a.json'])('the compiler reads 100 levels of nesting in %s', file => {
  expect(readFindings('['.repeat(100) + ']'.repeat(100), file)).toEqual([]);
});

test('the compiler stops at more than 100 levels of block mappings', () => {
  const text = Array.from({ length: 1000 }, (_, index) => `${' '.repeat(index)}a:`).join('\n');
  expect(readFindings(text)).toEqual([`LNT1017 102:103-102:104 ${DEEP}; ${REST}`]);
});

test('the compiler counts levels of nesting through aliases', () => {
  const open = '['.repeat(60);
  const close = ']'.repeat(60);
  expect(readFindings(`a: &x ${open}${close}\nb: ${open}*x${close}\n`)).toEqual([`LNT1017 1:46-1:88 ${DEEP}`]);
});

test('the compiler rejects a document with exponential aliases within 3 seconds', () => {
  const levels = Array.from(
    { length: 9 },
    (_, level) => `a${level + 1}: &a${level + 1} [${Array(9).fill(`*a${level}`)}]\n`,
  );
  const elapsed = stopwatch();
  const findings = readFindings(`a0: &a0 [${Array(9).fill('x')}]\n${levels.join('')}`);
  expect(findings).toEqual([
    expect.stringMatching(/^LNT1017 .* the document has more than 1000000 values, with its aliases expanded$/),
  ]);
  expect(elapsed()).toBeLessThan(3000);
});

test('the compiler allows 100 aliases in each document', () => {
  const aliases = (count: number): string => `a: &x 1\nb: [${Array(count).fill('*x ')}]\n`;
  expect(readFindings(`${aliases(100)}---\n${aliases(100)}`)).toEqual([]);
  expect(readFindings(aliases(101))).toEqual(['LNT1017 2:405-2:407 the document has more than 100 aliases']);
});

test('the compiler allows 10,000 documents in a file', () => {
  const text = '---\na: 1\n'.repeat(10_001);
  const { documents, diagnostics } = read(text);
  expect(documents).toHaveLength(10_000);
  expect(diagnostics.map(({ message }) => message)).toEqual([`the file has more than 10000 documents; ${REST}`]);
  expect(read('---\na: 1\n'.repeat(10_000)).diagnostics).toEqual([]);
});

test('the compiler reports a List with more than 10,000 items', () => {
  const items = Array(10_001).fill('{"kind": "A"}');
  expect(readFindings(`{"kind": "List", "items": [${items}]}`, 'a.json')).toEqual([
    'LNT1017 1:18-1:25 the List has more than 10000 items',
  ]);
});

test.each([
  ['outside of a collection', ']'.repeat(100_000), 'LNT1017 1:101-1:102'],
  ['inside of a collection', `{${','.repeat(100_000)}`, 'LNT1017 1:100002-1:100002'],
])('the compiler stops reading a file with more than 100 syntax errors %s', (_, text, at) => {
  const findings = readFindings(text);
  expect(findings.at(-1)).toBe(`${at} the file has more than 100 syntax errors; ${REST}`);
  expect(findings).toHaveLength(2);
});

test.each([
  ['line breaks', '\n'.repeat(MAX_FILE_BYTES)],
  ['comments', '#\n'.repeat(MAX_FILE_BYTES / 2)],
  ['items', '-\n'.repeat(MAX_FILE_BYTES / 2)],
])('the compiler stops reading a file with 8 MB of %s within 20 seconds', (_, text) => {
  const elapsed = stopwatch();
  const [finding] = readFindings(text);
  expect(finding).toContain(`the file has more than 3000000 words, signs and line breaks; ${REST}`);
  expect(elapsed()).toBeLessThan(20_000);
});

test('the compiler reports a JSON document with more than 1,000,000 values', () => {
  const text = `[${'0,'.repeat(1_000_000)}0]`;
  expect(readFindings(text, 'a.json')).toEqual([
    'LNT1017 1:2000000-1:2000001 the document has more than 1000000 values',
  ]);
});

test('the compiler allows 8 MB in a file', () => {
  const result = decode('a.yaml', Buffer.alloc(MAX_FILE_BYTES + 1, 'x'));
  expect(result).toMatchObject({
    diagnostic: { code: 'LNT1017', message: 'the file is larger than 8388608 bytes; it was not read' },
  });
  expect(decode('a.yaml', Buffer.alloc(MAX_FILE_BYTES, 'x'))).toHaveProperty('source');
});

test('the compiler reports 49,999 findings on one line within 5 seconds', () => {
  const text = `{${Array(50_000).fill('"a":1')}}`;
  const elapsed = stopwatch();
  expect(read(text, 'a.json').diagnostics).toHaveLength(49_999);
  expect(elapsed()).toBeLessThan(5000);
});
