import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { toStructural } from '../../../schemas/generate/to-structural.ts';
import { fields, freeForm, listMap, listSet, record } from '../../../schemas/kinds/define.ts';

const item = fields(
  'Item',
  { name: Type.Optional(Type.String()), tags: Type.Array(Type.String()) },
  { description: 'x' },
);
const options = { description: 'x' };

const REFUSED: readonly (readonly [name: string, schema: unknown, message: string])[] = [
  ['a schema that is not an object', 'string', 'K.spec: a schema must be an object'],
  [
    'a union',
    Type.Union([Type.String(), Type.Number()]),
    'K.spec: keyword "anyOf" has no place in a structural schema',
  ],
  ['a record', Type.Record(Type.String(), Type.String()), 'K.spec: keyword "patternProperties" has no place'],
  ['a reference', { $ref: '#' }, 'K.spec: keyword "$ref" has no place in a structural schema'],
  ['no type', { description: 'x' }, 'K.spec: `type` is missing'],
  ['two types', { type: ['string', 'null'] }, 'K.spec: `type` must be one type; use `nullable`'],
  ['a bare list', { type: 'array' }, 'K.spec: an array needs `items`'],
  ['a bare object', { type: 'object' }, 'K.spec: an object needs `properties`, `additionalProperties` or'],
  [
    'fields next to a map',
    { type: 'object', properties: {}, additionalProperties: { type: 'string' } },
    'exclude each other',
  ],
  [
    'a required field that does not exist',
    { type: 'object', properties: {}, required: ['a'] },
    'required field "a" is not among',
  ],
  ['a set of objects', listSet(item, options), 'K.spec: items of a set must be scalars'],
  ['an optional list key', listMap(item, ['name'], options), 'list-map key "name" must be required or have a default'],
  ['an unknown list key', listMap(item, ['id'], options), 'K.spec: list-map key "id" is not a field of the items'],
  ['a list as list key', listMap(item, ['tags'], options), 'K.spec: list-map key "tags" must be a scalar'],
  ['a list map without keys', listMap(item, [], options), 'K.spec: a list map needs `x-kubernetes-list-map-keys`'],
  [
    'a set that is not a list',
    { type: 'string', 'x-kubernetes-list-type': 'set' },
    'stands on something that is no list',
  ],
  ['a mistake deep in the schema', record(Type.Array(Type.Null()), options), 'K.spec.*[]: '],
];

test.each(REFUSED)('a schema that has no structural form is refused: %s', (_, schema, message) => {
  expect(() => toStructural(schema, 'K.spec')).toThrow(message);
});

const KEPT: readonly (readonly [name: string, schema: unknown, expected: unknown])[] = [
  ['a constant as an enum', Type.Literal('a'), { type: 'string', enum: ['a'] }],
  [
    'an open object',
    freeForm({ ...options, type: 'object' }),
    { type: 'object', description: 'x', 'x-kubernetes-preserve-unknown-fields': true },
  ],
  [
    'no additionalProperties: false',
    Type.Object({}, { additionalProperties: false }),
    { type: 'object', properties: {} },
  ],
  [
    'the keywords of Lintel',
    Type.String({ 'x-lintel-unit': 'duration' }),
    { type: 'string', 'x-lintel-unit': 'duration' },
  ],
  [
    'a list key with a default',
    listMap(fields('I', { k: Type.Optional(Type.String({ default: '' })) }, options), ['k'], options),
    expect.anything(),
  ],
];

test.each(KEPT)("the structural form of a field's schema keeps %s", (_, schema, expected) => {
  expect(toStructural(schema, 'K.spec')).toEqual(expected);
});

test('the structural form of a schema has a fixed order of keywords, regardless of their order in the schema', () => {
  const one = toStructural({ description: 'd', 'x-lintel-b': 1, 'x-lintel-a': 2, type: 'string' }, 'K');
  expect(JSON.stringify(one)).toBe('{"type":"string","description":"d","x-lintel-a":2,"x-lintel-b":1}');
});
