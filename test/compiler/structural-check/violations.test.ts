import { describe, expect, test } from 'vitest';
import type { StructuralSchema } from '#schemas';
import { checkStructure, type Violation } from '../../../compiler/check/structural.ts';

const text: StructuralSchema = { type: 'string' };
const secret: StructuralSchema = {
  type: 'string',
  'x-lintel-sensitive': true,
  maxLength: 5,
  pattern: '^a',
  enum: ['ab'],
};
const schema: StructuralSchema = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 4, pattern: '^[a-z😀]*$' },
    mode: { type: 'string', enum: ['on', 'off'] },
    port: { type: 'integer', format: 'int32', minimum: 1, maximum: 65535 },
    big: { type: 'integer', format: 'int64' },
    small: { type: 'integer', format: 'int32' },
    share: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
    enabled: { type: 'boolean' },
    timeout: { type: 'string', pattern: '^([0-9]+(ms|s|m|h))+$', 'x-lintel-form': 'a duration such as 30s or 1h30m' },
    since: { type: 'string', format: 'date-time' },
    either: { 'x-kubernetes-int-or-string': true },
    maybe: { type: 'string', nullable: true },
    open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { a: text } },
    any: { 'x-kubernetes-preserve-unknown-fields': true },
    labels: { type: 'object', additionalProperties: text, maxProperties: 2 },
    tags: { type: 'array', items: text, 'x-kubernetes-list-type': 'set', minItems: 1 },
    secret,
    secrets: { type: 'array', items: { type: 'string', 'x-lintel-sensitive': true }, 'x-kubernetes-list-type': 'set' },
    empty: { type: 'object', properties: {} },
    chosen: { type: 'object', required: ['type'], properties: { type: { type: 'string', enum: ['cedar', 'none'] } } },
    rows: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['id', 'zone'],
      items: { type: 'object', required: ['id'], properties: { id: text, zone: { type: 'string', default: 'a' } } },
    },
  },
};

function check(value: object): Violation[] {
  return checkStructure(schema, { name: 'a', ...value });
}

type Row = readonly [name: string, value: object, violation: Partial<Violation>];
const ROWS: readonly Row[] = [
  [
    'wrong-type: integer',
    { port: '3' },
    {
      kind: 'wrong-type',
      path: ['port'],
      at: 'value',
      expected: 'an integer',
      message: 'expected an integer, found the string "3"',
    },
  ],
  ['wrong-type: fraction', { port: 1.5 }, { kind: 'wrong-type', message: 'expected an integer, found the number 1.5' }],
  [
    'wrong-type: string',
    { mode: false },
    { kind: 'wrong-type', message: 'expected a string, found false; put it in quotes' },
  ],
  [
    'wrong-type: boolean',
    { enabled: 'yes' },
    { kind: 'wrong-type', message: 'expected true or false, found the string "yes"' },
  ],
  [
    'wrong-type: not finite',
    { share: Number.NaN },
    { kind: 'wrong-type', message: 'expected a number, found the number NaN' },
  ],
  ['wrong-type: list', { tags: 'hunter2' }, { kind: 'wrong-type', message: 'expected a list, found a string' }],
  [
    'wrong-type: object',
    { labels: ['a'] },
    { kind: 'wrong-type', message: 'expected an object, found a list of 1 item' },
  ],
  [
    'wrong-type: date object',
    { labels: new Date(0) },
    { kind: 'wrong-type', message: 'expected an object, found a value that YAML does not have' },
  ],
  [
    'wrong-type: either',
    { either: 1.5 },
    { kind: 'wrong-type', message: 'expected an integer or a string, found the number 1.5' },
  ],
  [
    'wrong-type: null field',
    { mode: null },
    {
      kind: 'wrong-type',
      message: 'expected a string, found null; give the field a value or leave it out',
    },
  ],
  ['wrong-type: null required field', { name: null }, { kind: 'wrong-type', message: 'expected a string, found null' }],
  [
    'wrong-type: null item',
    { tags: [null] },
    { kind: 'wrong-type', path: ['tags', 0], message: 'expected a string, found null' },
  ],
  [
    'wrong-type: map value',
    { labels: { a: 1 } },
    { kind: 'wrong-type', path: ['labels', 'a'], message: 'expected a string, found the integer 1; put it in quotes' },
  ],
  ['wrong-type: known field of an open object', { open: { a: 1, b: 2 } }, { kind: 'wrong-type', path: ['open', 'a'] }],
  [
    'not-in-enum',
    { mode: 'onn' },
    {
      kind: 'not-in-enum',
      path: ['mode'],
      expected: 'one of "on", "off"',
      candidates: ['on', 'off'],
      message: 'expected one of "on", "off", found the string "onn"',
    },
  ],
  [
    'pattern',
    { name: 'A' },
    { kind: 'pattern', message: 'expected a string that matches ^[a-z😀]*$, found the string "A"' },
  ],
  [
    'pattern: what is wanted, in words',
    { timeout: '30' },
    {
      kind: 'pattern',
      expected: 'a duration such as 30s or 1h30m',
      message: 'expected a duration such as 30s or 1h30m, found the string "30"',
    },
  ],
  [
    'bounds: too short',
    { name: '' },
    { kind: 'bounds', expected: '1 to 4 characters', message: 'expected 1 to 4 characters, found 0' },
  ],
  ['bounds: too long', { name: 'ABCDE' }, { kind: 'bounds', message: 'expected 1 to 4 characters, found 5' }],
  ['bounds: number', { port: 70000 }, { kind: 'bounds', message: 'expected 1 to 65535, found the integer 70000' }],
  ['bounds: exclusive below', { share: 0 }, { kind: 'bounds', message: 'expected more than 0, found the integer 0' }],
  ['bounds: exclusive above', { share: 1 }, { kind: 'bounds', message: 'expected less than 1, found the integer 1' }],
  ['bounds: items', { tags: [] }, { kind: 'bounds', message: 'expected at least 1 item, found 0' }],
  [
    'bounds: entries',
    { labels: { a: '', b: '', c: '' } },
    { kind: 'bounds', message: 'expected at most 2 fields, found 3' },
  ],
  [
    'format: int32',
    { small: 2 ** 31 },
    {
      kind: 'format',
      message: 'expected an integer of 32 bits, -2147483648 to 2147483647, found the integer 2147483648',
    },
  ],
  ['format: int64', { big: 2 ** 63 }, { kind: 'format', path: ['big'] }],
  [
    'format: int64 as bigint',
    { big: 2n ** 63n },
    {
      kind: 'format',
      message:
        'expected an integer of 64 bits, -9223372036854775808 to 9223372036854775807, found the integer 9223372036854775808',
    },
  ],
  [
    'format: date',
    { since: '2026-02-29T00:00:00Z' },
    {
      kind: 'format',
      message: 'expected a date and time such as 2026-01-31T12:00:00Z, found the string "2026-02-29T00:00:00Z"',
    },
  ],
  [
    'unknown-field',
    { prot: 1 },
    {
      kind: 'unknown-field',
      path: ['prot'],
      at: 'key',
      field: 'prot',
      candidates: Object.keys(schema.properties ?? {}),
    },
  ],
  [
    'unknown-field: none allowed',
    { empty: { a: 1 } },
    { kind: 'unknown-field', path: ['empty', 'a'], message: 'unknown field "a"; no field is allowed here' },
  ],
  [
    'unknown-field: __proto__',
    { empty: JSON.parse('{"__proto__": 1}') },
    { kind: 'unknown-field', path: ['empty', '__proto__'] },
  ],
  [
    'unknown-field: inherited name',
    { empty: { constructor: 1 } },
    { kind: 'unknown-field', path: ['empty', 'constructor'] },
  ],
  [
    'missing-field',
    { name: undefined },
    { kind: 'missing-field', path: [], at: 'key', field: 'name', message: 'missing required field "name", a string' },
  ],
  [
    'missing-field: misspelt, which is one violation',
    { name: undefined, nmae: 'a' },
    { kind: 'unknown-field', path: ['nmae'], at: 'key', field: 'nmae' },
  ],
  [
    'missing-field: one of few values',
    { chosen: {} },
    {
      kind: 'missing-field',
      path: ['chosen'],
      at: 'key',
      field: 'type',
      message: 'missing required field "type", one of "cedar", "none"',
      expected: 'one of "cedar", "none"',
    },
  ],
  ['missing-field: in an item', { rows: [{}] }, { kind: 'missing-field', path: ['rows', 0], at: 'key', field: 'id' }],
  [
    'duplicate-item: set',
    { tags: ['a', 'b', 'a'] },
    { kind: 'duplicate-item', path: ['tags', 2], message: 'items must differ: item 2, "a", is the same as item 0' },
  ],
  [
    'duplicate-item: map with a default',
    { rows: [{ id: 'x' }, { id: 'x', zone: 'b' }, { id: 'x', zone: 'a' }] },
    {
      kind: 'duplicate-item',
      path: ['rows', 2],
      field: 'id, zone',
      message: 'items must differ in id, zone: item 2 has the same id "x", zone "a" as item 0',
    },
  ],
];

describe('one violation', () => {
  test.each(ROWS)('the schema check finds one violation: %s', (_, value, violation) =>
    expect(check(value)).toEqual([expect.objectContaining(violation)]),
  );
});

const ACCEPTED: readonly (readonly [name: string, value: object])[] = [
  ['lengths in code points', { name: '😀😀😀😀' }],
  ['integers as bigint', { port: 80n, big: 2n ** 63n - 1n }],
  ['null where it is allowed', { maybe: null }],
  ['an integer or a string', { either: '50%' }],
  ['undefined as a missing field', { mode: undefined, unknown: undefined }],
  ['any value in free-form fields', { any: [null, { x: Number.NaN }], open: { b: new Date(0) } }],
  ['objects without a prototype', Object.assign(Object.create(null), { labels: Object.create(null) })],
  ['timestamps with offsets and fractions', { since: '2024-02-29T23:59:59.123+05:30' }],
];
test.each(ACCEPTED)('the schema check accepts %s', (_, value) => expect(check(value)).toEqual([]));

test('the schema check lists all violations in document order', () => {
  const found = checkStructure(schema, { port: '1', prot: 2, rows: [{ id: 1 }], tags: [] });
  expect(found.map(({ kind, path }) => [kind, path.join('.')])).toEqual([
    ['wrong-type', 'port'],
    ['unknown-field', 'prot'],
    ['wrong-type', 'rows.0.id'],
    ['bounds', 'tags'],
    ['missing-field', ''],
  ]);
});

test('the schema check stops at the limit of violations', () => {
  const labels = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`k${index}`, index]));
  expect(checkStructure(schema, { name: 'a', labels }, 7)).toHaveLength(7);
  expect(checkStructure(schema, { name: 'a', labels })).toHaveLength(100);
});

test('the schema check does not check the values inside of free-form fields', () => {
  let deep: unknown = null;
  for (let level = 0; level < 100_000; level += 1) deep = [deep];
  expect(check({ any: deep })).toEqual([]);
});

describe('secrets in violations', () => {
  const ROWS: readonly (readonly [name: string, value: object])[] = [
    ['a sensitive string', { secret: 'hunter2' }],
    ['a sensitive value of the wrong type', { secret: 4711 }],
    ['sensitive items', { secrets: ['hunter2', 'hunter2', 4711] }],
    ['a secret in place of an object', { labels: 'hunter2' }],
    ['a whole Secret', { kind: 'Secret', mode: 'hunter2', port: 4711.5, tags: ['hunter2', 'hunter2'] }],
  ];
  test.each(ROWS)('the message of a schema violation shows no secret: %s', (_, value) => {
    const found = check(value);
    expect(found.length).toBeGreaterThan(0);
    expect(JSON.stringify(found)).not.toMatch(/hunter2|4711/);
  });
});

test('the message of a schema violation shortens a long text without splitting a character', () => {
  const [violation] = check({ mode: '😀'.repeat(500) });
  expect(violation?.message).toBe(`expected one of "on", "off", found the string "${'😀'.repeat(60)}…"`);
});
