import { expect, test } from 'vitest';
import { readValues } from './reading.ts';

const cases: readonly [name: string, text: string, values: unknown[]][] = [
  ['an empty file has no document', '', []],
  ['a file of comments has no document', '# nothing\n# here\n', []],
  ['empty documents are left out', '---\n---\n# c\n---\nnull\n---\na: 1\n', [{ a: 1 }]],
  ['words of YAML 1.1 are strings', 'a: [yes, no, on, off, y, n]\n', [{ a: ['yes', 'no', 'on', 'off', 'y', 'n'] }]],
  ['a %YAML 1.1 directive changes nothing', '%YAML 1.1\n---\na: yes\nb: 0777\n', [{ a: 'yes', b: 777 }]],
  [
    'timestamps are strings',
    'a: 2020-01-01\nb: 2020-01-01T00:00:00Z\n',
    [{ a: '2020-01-01', b: '2020-01-01T00:00:00Z' }],
  ],
  [
    'tagged timestamps and binaries are strings',
    'a: !!timestamp 2020-01-01\nb: !!binary aGk=\n',
    [{ a: '2020-01-01', b: 'aGk=' }],
  ],
  ['a !!str tag makes a string', 'a: !!str 5\n', [{ a: '5' }]],
  ['numbers in all notations', 'a: [1, -2, 0x10, 0o17, 1.5, 1e3]\n', [{ a: [1, -2, 16, 15, 1.5, 1000] }]],
  ['infinity and NaN are kept', 'a: [.inf, -.inf, .nan]\n', [{ a: [Infinity, -Infinity, Number.NaN] }]],
  [
    'keys are strings as written',
    '8080: a\ntrue: b\nnull: c\n1.0: d\n',
    [{ 8080: 'a', true: 'b', null: 'c', '1.0': 'd' }],
  ],
  ['a missing value is null', 'a:\nb: {c}\n? d\n', [{ a: null, b: { c: null }, d: null }]],
  [
    'an alias stands for the last anchor before it',
    'a: &x {p: &y 1}\nb: &y 2\nc: *x\nd: *y\n',
    [{ a: { p: 1 }, b: 2, c: { p: 1 }, d: 2 }],
  ],
  [
    'own keys win over merged ones, wherever they stand',
    'a: &x {p: 1, q: 2}\nb:\n  p: 9\n  <<: *x\n',
    [{ a: { p: 1, q: 2 }, b: { p: 9, q: 2 } }],
  ],
  [
    'earlier merge sources win',
    'a: &x {p: 1}\nb: &y {p: 2, q: 3}\nc: {<<: [*x, *y]}\n',
    [{ a: { p: 1 }, b: { p: 2, q: 3 }, c: { p: 1, q: 3 } }],
  ],
  [
    'a merge source may be an aliased list',
    'a: &l [{p: 1}, {q: 2}]\nb: {<<: *l}\n',
    [{ a: [{ p: 1 }, { q: 2 }], b: { p: 1, q: 2 } }],
  ],
  [
    'merged mappings may merge',
    'a: &x {p: 1}\nb: &y {<<: *x, q: 2}\nc: {<<: *y}\n',
    [{ a: { p: 1 }, b: { p: 1, q: 2 }, c: { p: 1, q: 2 } }],
  ],
  ['a quoted << is an ordinary key', '"<<": {p: 1}\n', [{ '<<': { p: 1 } }]],
  ['lines that end in CRLF', 'a: 1\r\nb: |\r\n  x\r\n  y\r\n---\r\nc: 2\r\n', [{ a: 1, b: 'x\ny\n' }, { c: 2 }]],
  ['a byte order mark', '\uFEFFa: 1\n', [{ a: 1 }]],
  ['JSON with tabs in a YAML file', '{\n\t"a": [1,\t2],\n\t"b": "\\/"\n}\n', [{ a: [1, 2], b: '/' }]],
  ['a flow mapping that is not JSON', '{a: 1, b: [x]}\n', [{ a: 1, b: ['x'] }]],
  ['two JSON documents in a YAML file', '{"a": 1}\n---\n{"b": 2}\n', [{ a: 1 }, { b: 2 }]],
  ['scalars and lists are documents', 'x\n---\n- 1\n', ['x', [1]]],
];

test.each(cases)('the compiler reads values as YAML 1.2 defines them: %s', (_, text, values) => {
  expect(readValues(text)).toEqual(values);
});

test('an alias or merge in YAML gives a copy of the value', () => {
  const [value] = readValues('a: &x {p: [1]}\nb: *x\nc: {<<: *x}\n') as [Record<'a' | 'b' | 'c', { p: unknown }>];
  expect(value.b).not.toBe(value.a);
  expect(value.b.p).not.toBe(value.a.p);
  expect(value.c.p).not.toBe(value.a.p);
});

test.each(['a.yaml', 'a.json'])('__proto__ is an ordinary key in %s', file => {
  const [value] = readValues('{"__proto__": {"polluted": true}, "constructor": 1}', file) as [Record<string, unknown>];
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(Object.keys(value)).toEqual(['__proto__', 'constructor']);
  expect(value.polluted).toBeUndefined();
});

test('__proto__ from a YAML merge is an ordinary key', () => {
  const [value] = readValues('a: &x\n  __proto__: {polluted: true}\nb: {<<: *x}\n') as [Record<string, object>];
  expect(Object.keys(value.b ?? {})).toEqual(['__proto__']);
  expect(Object.getPrototypeOf(value.b)).toBe(Object.prototype);
});
