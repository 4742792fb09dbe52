import { expect, test } from 'vitest';
import { only, read, textAt } from './reading.ts';

const YAML = `base: &base
  image: nginx
  ports: [80, &p 443]
spec:
  <<: *base
  name: "é"   # comment
  text: |
    one
    two
  empty:
  list:
  - a: 1
    b: {c: x, d}
  -
  copy: *base
  port: *p
`;

type Row = [path: (string | number)[], value: string, key: string];
const rows: Row[] = [
  [['base', 'image'], 'nginx', 'image'],
  [['base', 'ports'], '[80, &p 443]', 'ports'],
  [['base', 'ports', 1], '443', '443'],
  [['base', 'ports', '1'], '443', '443'],
  [['spec', 'name'], '"é"', 'name'],
  [['spec', 'text'], '|\n    one\n    two\n', 'text'],
  [['spec', 'empty'], 'empty', 'empty'],
  [['spec', 'list'], '- a: 1\n    b: {c: x, d}\n  -', 'list'],
  [['spec', 'list', 0], 'a: 1\n    b: {c: x, d}', 'a: 1\n    b: {c: x, d}'],
  [['spec', 'list', 0, 'b', 'c'], 'x', 'c'],
  [['spec', 'list', 0, 'b', 'd'], 'd', 'd'],
  // An alias is located where it is written; its members are located at the anchor.
  [['spec', 'copy'], '*base', 'copy'],
  [['spec', 'copy', 'image'], 'nginx', 'image'],
  [['spec', 'port'], '*p', 'port'],
  [['spec', 'image'], 'nginx', 'image'],
  [['spec', 'ports', 0], '80', '80'],
  // Paths that do not exist.
  [['spec', 'nope'], 'spec', 'spec'],
  [['spec', 'empty', 'x', 'y'], 'empty', 'empty'],
  [['spec', 'list', 0, 'nope'], 'a: 1', 'a: 1'],
  [['spec', 'list', 7], 'list', 'list'],
  [['nope'], 'base: &base', 'base: &base'],
];

test.each(rows)('the compiler finds the key and value at the path %j in YAML', (path, value, key) => {
  const document = only(YAML);
  expect(textAt(document, path, 'value')).toBe(value);
  expect(textAt(document, path, 'key')).toBe(key);
});

test('the range of a whole YAML document does not include comments before and after its content', () => {
  const document = only('# before\na: 1\nb: 2 # after\n');
  expect(textAt(document, [], 'value')).toBe('a: 1\nb: 2');
});

test('a CRLF counts as two characters in offsets and as one line break in positions', () => {
  const document = only(YAML.replaceAll('\n', '\r\n'));
  expect(document.locate(['spec', 'name'], 'value')).toEqual({
    start: { line: 6, column: 9, offset: 80 },
    end: { line: 6, column: 12, offset: 83 },
  });
  expect(textAt(document, ['nope'], 'value')).toBe('base: &base');
});

test('line numbers and offsets continue from one document of a file to the next', () => {
  const [, second] = read('---\na: 1\n--- # c\na: &x\n  b: 2\nc: *x\n...\n').documents;
  expect(second?.locate(['c', 'b'], 'value')).toEqual({
    start: { line: 5, column: 6, offset: 28 },
    end: { line: 5, column: 7, offset: 29 },
  });
});

test('the compiler finds positions in JSON with tabs', () => {
  const document = only('{\n\t"a": [1, {"b": ""}],\n\t"__proto__": null\n}', 'a.json');
  expect(textAt(document, [], 'value')).toBe(document.source.text);
  expect(textAt(document, ['a'], 'value')).toBe('[1, {"b": ""}]');
  expect(textAt(document, ['a', 1, 'b'], 'value')).toBe('""');
  expect(textAt(document, ['a', 1, 'b'], 'key')).toBe('"b"');
  expect(textAt(document, ['__proto__'], 'key')).toBe('"__proto__"');
  expect(textAt(document, ['a', 'length'], 'value')).toBe('"a"');
  expect(textAt(document, ['a', 5, 'x'], 'value')).toBe('"a"');
  expect(textAt(document, ['constructor'], 'value')).toBe('{');
  expect(document.locate(['a'], 'key').start).toEqual({ line: 2, column: 2, offset: 3 });
});

test('the compiler finds the same positions regardless of the order in which it looks for them', () => {
  const text = `a: [${Array.from({ length: 50 }, (_, index) => `é${index}`).join(', ')}]\nb: 1\n`;
  const paths = Array.from({ length: 50 }, (_, index) => ['a', index]);
  const forward = paths.map(path => only(text).locate(path, 'value'));
  const document = only(text);
  expect([...paths].reverse().map(path => document.locate(path, 'value'))).toEqual([...forward].reverse());
});
