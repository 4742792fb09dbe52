/** The types of arguments in schemas of real tools, which use unions, references and lists of values. */
import { expect, test } from 'vitest';
import { coerceArgument, listArgumentTypes } from '#shared/plan';

const LEVEL = { enum: ['low', 'high'] };
let circle: object = { type: 'integer' };
for (let level = 0; level < 20; level += 1) circle = { anyOf: [circle, { type: 'null' }] };

test.each<[what: string, schema: unknown, types: readonly string[]]>([
  ['a type', { type: 'integer' }, ['integer']],
  ['several types', { type: ['integer', 'null'] }, ['integer', 'null']],
  ['an empty schema', {}, []],
  ['the schema true', true, []],
  ['an optional value, as pydantic writes it', { anyOf: [{ type: 'integer' }, { type: 'null' }] }, ['integer', 'null']],
  ['oneOf', { oneOf: [{ type: 'array' }, { type: 'object' }] }, ['array', 'object']],
  ['anyOf with an empty schema', { anyOf: [{ type: 'integer' }, {}] }, []],
  ['a reference', { $ref: '#/$defs/Level' }, ['string']],
  ['a reference in a union', { anyOf: [{ $ref: '#/$defs/Size~1Max' }, { type: 'null' }] }, ['integer', 'null']],
  ['a reference to a missing definition', { $ref: '#/$defs/None' }, []],
  ['a reference to another document', { $ref: 'https://example.com/schema' }, []],
  ['a reference to itself', { $ref: '#/properties/p' }, []],
  ['enum', { enum: [1, 2, null] }, ['integer', 'null']],
  ['const', { const: false }, ['boolean']],
  ['allOf', { allOf: [{ minimum: 1 }, { type: 'number' }] }, ['number']],
  ['more levels of references than are followed', circle, []],
])('a workflow reads the types of a tool argument from its JSON schema: %s', (_, schema, types) => {
  const root = { type: 'object', properties: { p: schema }, $defs: { Level: LEVEL, 'Size/Max': { type: 'integer' } } };
  expect(listArgumentTypes(root, 'p')).toEqual(types);
});

test.each<[text: string, types: readonly string[], value: unknown]>([
  ['3', ['integer', 'null'], 3],
  ['null', ['integer', 'null'], null],
  ['null', ['integer'], 'null'],
  ['true', ['boolean', 'integer'], true],
  ['1', ['boolean', 'integer'], 1],
  ['{"a":1}', ['array', 'object'], { a: 1 }],
  ['', ['integer'], ''],
])('a workflow turns the rendered text "%s" into an argument of the types %j', (text, types, value) => {
  expect(coerceArgument(text, types)).toEqual(value);
});
