import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../../support/process.ts';
import { read, readFindings, readValues } from './reading.ts';

const QUOTE_IT = 'if it is text, quote it';

const cases: readonly [name: string, text: string, findings: string[]][] = [
  [
    'a tab as indentation',
    'a:\n\tb: 1\n',
    ['LNT1001 2:1-2:2 a tab is used for indentation, where YAML allows only spaces'],
  ],
  [
    'a second colon',
    'a: b: c\n',
    ['LNT1001 1:4-1:5 a mapping or list cannot start on the line of a key; quote the value if it is text with ": "'],
  ],
  ['an unclosed quote', "a: 1\nb: 'x\nc: 2\n", ["LNT1001 2:4-2:5 this ' is never closed"]],
  ['an unclosed double quote', 'a: "x\n', ['LNT1001 1:4-1:5 this " is never closed']],
  [
    'an unclosed list with CRLF',
    'a: 1\r\nb: [x\r\nc: 1\r\n',
    ['LNT1001 3:1-3:2 flow sequence in block collection must be sufficiently indented and end with a ]'],
  ],
  ['a reserved character', 'a: @b\n', ['LNT1001 1:4-1:5 plain value cannot start with reserved character @']],
  ['a key without a value', 'a: 1\nb\n', ['LNT1001 2:1-2:2 implicit map keys need to be followed by map values']],
  ['a list as a key', '? [a]\n: 1\n', ['LNT1001 1:3-1:4 a key must be a string, not a list, a mapping or an alias']],
  ['an unknown alias', 'a: *x\n', ['LNT1001 1:4-1:6 the alias has no anchor before it; if it is text, quote it']],
  [
    'an alias before its anchor',
    'a: *x\nb: &x 1\n',
    ['LNT1001 1:4-1:6 the alias has no anchor before it; if it is text, quote it'],
  ],
  ['an alias inside of its own anchor', 'a: &x\n  b: *x\n', ['LNT1001 2:6-2:8 the alias is inside of its own anchor']],
  [
    'a merge key with a scalar',
    '<<: 1\n',
    ['LNT1001 1:5-1:6 the value of a merge key "<<" must be a mapping, or a list of mappings'],
  ],
  [
    'duplicate keys',
    'a: 1\nb:\n  c: 1\n  c: 2\n  "c": 3\na: 2\n',
    [
      'LNT1002 4:3-4:4 the key "c" is in this mapping twice',
      'LNT1002 5:3-5:6 the key "c" is in this mapping twice',
      'LNT1002 6:1-6:2 the key "a" is in this mapping twice',
    ],
  ],
  [
    'columns after wide characters',
    '"🎉🎉": {"a": 1, "a": 2}\n',
    ['LNT1002 1:16-1:19 the key "a" is in this mapping twice'],
  ],
  ['a byte order mark', '\uFEFFa: 1\na: 2\n', ['LNT1002 2:1-2:2 the key "a" is in this mapping twice']],
  [
    'a byte order mark in the first line',
    '\uFEFFa: *x\n',
    ['LNT1001 1:4-1:6 the alias has no anchor before it; if it is text, quote it'],
  ],
  [
    'integers that JSON rounds',
    'a: 9007199254740993\nb: 9007199254740992\nc: -9007199254740993\nd: 0x20000000000001\ne: "9007199254740993"\n',
    [1, 3, 4].map((line, index) => {
      const width = [16, 17, 16][index] ?? 0;
      return `LNT1014 ${line}:4-${line}:${4 + width} the integer cannot be represented exactly; ${QUOTE_IT}`;
    }),
  ],
  [
    'a number that is too large',
    'a: 1e999\n',
    [`LNT1014 1:4-1:9 the number is too large to be represented; ${QUOTE_IT}`],
  ],
  [
    'half of a surrogate pair',
    'a: "\\ud800"\n"\\udfff": 1\n',
    ['1:4-1:12', '2:1-2:9'].map(
      at => `LNT1014 ${at} the text holds half of a surrogate pair, which UTF-8 cannot encode`,
    ),
  ],
  [
    'an unknown tag',
    'a: !Ref b\n',
    ['LNT1008 1:4-1:8 the YAML tag has no effect: the value is read as if it had none'],
  ],
];

test.each(cases)('the compiler reports broken YAML at the line and column of the mistake: %s', (_, text, findings) => {
  expect(readFindings(text)).toEqual(findings);
});

test('the compiler reads the other documents of a file with a broken YAML document', () => {
  const text = 'a: 1\n---\nb: *x\n---\nc: 1\nc: 2\n---\nd: [\n---\ne: 5\n';
  const { documents, diagnostics } = read(text);
  expect(documents.map(({ index, value }) => [index, value])).toEqual([
    [0, { a: 1 }],
    [4, { e: 5 }],
  ]);
  expect(diagnostics.map(({ code, range }) => [code, range.start.line])).toEqual([
    ['LNT1001', 3],
    ['LNT1002', 6],
    ['LNT1001', 9],
  ]);
});

test('the compiler reads the documents before a YAML document that exceeds a limit', () => {
  const { documents, diagnostics } = read(`a: 1\n---\n{${','.repeat(200)}}\n`);
  expect(documents.map(({ value }) => value)).toEqual([{ a: 1 }]);
  expect(diagnostics.map(({ code, range }) => [code, range.start.line])).toEqual([
    ['LNT1001', 3],
    ['LNT1017', 4],
  ]);
});

test('an error after the end of a YAML document does not affect the document', () => {
  const { documents, diagnostics } = read('a: 1\n...\n%YAML x\n');
  expect(documents.map(({ value }) => value)).toEqual([{ a: 1 }]);
  expect(diagnostics.map(({ code, range }) => [code, range.start.line])).toEqual([['LNT1001', 3]]);
});

test('the message of a finding shortens a long key', () => {
  const key = 'k'.repeat(500);
  expect(readFindings(`${key}: 1\n${key}: 2\n`)).toEqual([
    `LNT1002 2:1-2:501 the key "${'k'.repeat(60)}…" is in this mapping twice`,
  ]);
});

test('LNT1002 in YAML refers to the first of two equal keys, and has a pointer', () => {
  const [found] = read('spec:\n  a/b:\n  - x: 1\n    x: 2\n').diagnostics;
  expect(found).toMatchObject({
    pointer: '/spec/a~1b/0/x',
    range: { start: { line: 4, column: 5, offset: 26 }, end: { line: 4, column: 6, offset: 27 } },
    related: [
      { message: 'the key is here first', file: 'a.yaml', range: { start: { line: 3, column: 5, offset: 17 } } },
    ],
  });
});

const INDENTATION = /^This looks like indentation: /;

test.each<[what: string, text: string, place: string]>([
  ['a key that is indented deeper', 'a: 1\nb:\n  c: 1\n   d: 2\n  e: 3\nf: 4\n', '4:4'],
  ['a key that is indented less', 'a:\n    b: 1\n  c: 2\n  d: 3\n', '3:3'],
  ['an item that is indented deeper', 'a:\n  - 1\n   - 2\nb: 1\n', ''],
  ['an item that is indented less', 'a:\n    - 1\n  - 2\n  - 3\nb: 1\n', '3:3'],
  ['a key in place of an item', 'a:\n  - b: 1\n  c: 2\n  d: 3\n', '3:3'],
  ['a block text that is not indented', 'a: |\n  text\n text: more\n - more\nb: 1\n', '3:2'],
  ['a key below a value', 'a: 1\nb: text\n  c: 2\n  d: 3\ne: 4\n', '3:3'],
])('wrong indentation in YAML gives one finding and hides no finding of the next document: %s', (_, text, place) => {
  const { diagnostics } = read(`${text}---\na: *x\n`);
  const shown = diagnostics.map(({ range: { start } }) => `${start.line}:${start.column}`);
  const sibling = `${text.split('\n').length + 1}:4`;
  expect(shown).toEqual(place === '' ? [sibling] : [place, sibling]);
  if (place !== '') expect(diagnostics[0]?.help).toMatch(INDENTATION);
  expect(diagnostics.at(-1)?.help).not.toMatch(INDENTATION);
});

test.each<[what: string, text: string, finding: string]>([
  [
    'among items with more indentation',
    'a:\n    - 1\n   -x\nb: []\n',
    '3:4 this line starts at another column than the keys or items that it belongs to',
  ],
  [
    'among other items',
    'a:\n- 1\n-x\n- 2\nb: []\n',
    '3:1 this is neither a key, which ends with ":", nor an item of a list',
  ],
  ['without other items', 'a:\n-x\nb: []\n', '2:1 this is neither a key, which ends with ":", nor an item of a list'],
])(
  'a list item without a space behind its hyphen gives one finding, whose help says to write the space: %s',
  (_, text, finding) => {
    const { diagnostics } = read(text);
    expect(diagnostics.map(({ range: { start }, message }) => `${start.line}:${start.column} ${message}`)).toEqual([
      finding,
    ]);
    expect(diagnostics[0]?.help).toMatch(
      /^If this is an item of a list, write a space behind its hyphen, as in "- x"\./,
    );
  },
);

test('lines of a YAML block that are shifted by two spaces give one finding about their indentation', () => {
  const spec = readFileSync(join(ROOT, 'examples/policies/specs/team.yaml'), 'utf8').split('\n');
  const from = spec.indexOf('          - |');
  expect(from).toBeGreaterThan(0);
  for (const length of [1, 4, 5, 12]) {
    const lines = spec.map((line, at) => (at >= from && at < from + length ? `  ${line}` : line));
    const broken = read(lines.join('\n')).diagnostics.filter(({ code }) => code === 'LNT1001');
    expect(broken.map(({ help }) => help)).toEqual([expect.stringMatching(INDENTATION)]);
  }
});

test('the help of the finding about broken YAML says to render the text first if it looks like a Helm template', () => {
  const [found] = read('a: {{ .Values.a }}\n').diagnostics;
  expect(found?.help).toBe('This looks like a template: render it first and check the result');
});

test('a rounded integer in a document that is no Lintel object is no finding', () => {
  expect(read('a: 9007199254740993\n').diagnostics).toEqual([]);
  expect(readValues('a: 9007199254740993\n')).toHaveLength(1);
});

test.each([
  ['a: |hunter2\n', ['block scalar header includes extra characters']],
  ['a: 1\n}\n', ['unexpected flow-map-end token in YAML stream']],
  ['a: *hunter2\n', ['the alias has no anchor before it; if it is text, quote it']],
])('the message of a finding about broken YAML does not repeat the text %j', (text, messages) => {
  expect(read(text).diagnostics.map(({ message }) => message)).toEqual(messages);
});
