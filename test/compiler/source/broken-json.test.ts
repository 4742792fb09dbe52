import { expect, test } from 'vitest';
import { read, readFindings, readValues } from './reading.ts';

const sound: readonly [name: string, text: string, values: unknown[]][] = [
  ['an empty file', '', []],
  ['white space', ' \r\n\t', []],
  ['null', 'null', []],
  ['tabs', '{\n\t"a": [\n\t\t1,\n\t\t2\n\t]\n}\n', [{ a: [1, 2] }]],
  ['escapes', '{"a": "\\u00e9\\n\\ud83c\\udf89\\/\\\\"}', [{ a: 'é\n🎉/\\' }]],
  ['numbers', '[-0, 1.5e-3, 1E2]', [[-0, 0.0015, 100]]],
  ['true, false and null', '[true, false, null]', [[true, false, null]]],
  ['empty collections', '[{}, [], ""]', [[{}, [], '']]],
  ['a byte order mark', '\uFEFF{"a": 1}', [{ a: 1 }]],
];

test.each(sound)('the compiler reads a JSON file with %s', (_, text, values) => {
  expect(readValues(text, 'a.json')).toEqual(values);
});

const broken: readonly [name: string, text: string, finding: string][] = [
  ['trailing comma', '{"a":1,}', 'LNT1001 1:8-1:9 this is no JSON: expected a key in double quotes after the comma'],
  ['trailing comma in a list', '[1, ]', 'LNT1001 1:5-1:6 this is no JSON: expected a value after the comma'],
  ['open list', '[1,\n2', 'LNT1001 2:2-2:2 this is no JSON: expected "," or "]"'],
  ['open object', '{', 'LNT1001 1:2-1:2 this is no JSON: expected a key in double quotes'],
  ['bare key', '{a: 1}', 'LNT1001 1:2-1:3 this is no JSON: expected a key in double quotes'],
  ['single quotes', "['a']", 'LNT1001 1:2-1:3 this is no JSON: expected a value'],
  ['no colon', '{"a" 1}', 'LNT1001 1:6-1:7 this is no JSON: expected ":" after a key'],
  ['no value', '{"a":', 'LNT1001 1:6-1:6 this is no JSON: the text ends where a value is expected'],
  ['misspelt literal', '{"a": tru}', 'LNT1001 1:7-1:8 this is no JSON: expected a value'],
  ['leading zero', '{"a":01}', 'LNT1001 1:7-1:8 this is no JSON: expected "," or "}"'],
  ['comment', '// a\n{}', 'LNT1001 1:1-1:2 this is no JSON: expected a value'],
  ['two documents', '{}\r\n{}', 'LNT1001 2:1-2:2 this is no JSON: unexpected text after the end of the document'],
  ['open string', '{"a": "b}', 'LNT1001 1:7-1:8 this is no JSON: a string has no closing quote'],
  ['unknown escape', '{"a": "b\\x"}', 'LNT1001 1:9-1:10 this is no JSON: a string holds an unknown escape'],
  ['control character', '{"a": "b\nc"}', 'LNT1001 1:9-2:1 this is no JSON: a string holds a control character'],
  ['duplicate key', '{"a": 1,\n "a": 2}', 'LNT1002 2:2-2:5 the key "a" is in this object twice'],
  ['escaped duplicate key', '{"a": 1, "\\u0061": 2}', 'LNT1002 1:10-1:18 the key "a" is in this object twice'],
  [
    'rounded integer',
    '{"a": 9007199254740993}',
    'LNT1014 1:7-1:23 the integer cannot be represented exactly; if it is text, quote it',
  ],
];

test.each(broken)('the compiler reports broken JSON at the line and column of the mistake: %s', (_, text, finding) => {
  expect(readFindings(text, 'a.json')).toEqual([finding]);
});

test('LNT1002 in JSON refers to the first of two equal keys', () => {
  const [found] = read('{"x": [{"a": 1, "a": 2}]}', 'a.json').diagnostics;
  expect(found).toMatchObject({
    pointer: '/x/0/a',
    related: [{ file: 'a.json', range: { start: { line: 1, column: 9 }, end: { line: 1, column: 12 } } }],
  });
});
