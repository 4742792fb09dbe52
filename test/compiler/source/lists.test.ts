import { expect, test } from 'vitest';
import { line, read, readFindings, textAt } from './reading.ts';

const LIST = `apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: A
  n: 9007199254740993
-
- kind: List
  items: [{kind: B}]
- text
---
kind: C
`;

test('each item of a Kubernetes List is a document of its own', () => {
  const { documents } = read(LIST);
  expect(documents.map(({ index, value }) => [index, value])).toEqual([
    [0, { apiVersion: 'v1', kind: 'A', n: 9007199254740992 }],
    [0, { kind: 'B' }],
    [0, 'text'],
    [1, { kind: 'C' }],
  ]);
});

test('in an item of a List, a path begins at the item, and a position counts from the start of the file', () => {
  const [a, b, text] = read(LIST).documents;
  expect(a?.locate(['kind'], 'value').start).toEqual({ line: 5, column: 9, offset: 58 });
  expect(a && textAt(a, ['nope'], 'key')).toBe('apiVersion: v1');
  expect(b && textAt(b, ['kind'], 'value')).toBe('B');
  expect(b && textAt(b, [], 'value')).toBe('{kind: B}');
  expect(text && textAt(text, ['x'], 'value')).toBe('text');
});

test('a problem in an item of a List does not affect the documents of the other items', () => {
  const { documents } = read(LIST);
  expect(documents.map(({ caveats }) => caveats.map(({ pointer }) => pointer))).toEqual([['/n'], [], [], []]);
});

test.each([
  ['kind: List\n', ['LNT1010 1:1-1:11 the List has no items']],
  ['apiVersion: v1\nkind: List\nitem: []\n', ['LNT1003 3:1-3:5 unknown field "item", and the List has no items']],
  ['kind: List\nitems:\n', []],
  ['kind: List\nitems: []\n', []],
  ['kind: List\nitems: {}\n', ['LNT1004 2:1-2:6 the items of a List must be a list']],
  ['{"kind": "List", "items": 1}', ['LNT1004 1:18-1:25 the items of a List must be a list']],
])('an empty or invalid List %j has the expected findings', (text, findings) => {
  expect(read(text).documents).toEqual([]);
  expect(readFindings(text)).toEqual(findings);
});

test('an object of kind List in a foreign API group is one document', () => {
  const text = 'apiVersion: example.com/v1\nkind: List\nspec: {}\n';
  expect(readFindings(text)).toEqual([]);
  expect(read(text).documents.map(({ value }) => value)).toEqual([
    { apiVersion: 'example.com/v1', kind: 'List', spec: {} },
  ]);
});

test('the finding about a YAML tag in a List belongs to the item that has the tag', () => {
  const { documents } = read('kind: List\nitems:\n- {a: !x b}\n- {a: b}\n');
  expect(documents.map(({ caveats }) => caveats.map(line))).toEqual([
    ['LNT1008 3:7-3:9 the YAML tag has no effect: the value is read as if it had none'],
    [],
  ]);
});
