import { expect, test } from 'vitest';
import { describeMember, type SchemaMember } from '../../../compiler/analysis/json-schema/describe-member.ts';

const OPEN = { type: 'open' } as const;
const a = { type: 'string' };

test.each<[unknown, SchemaMember]>([
  [{ properties: { a } }, { type: 'described', schema: a }],
  [{ properties: { b: {} } }, { type: 'absent', certain: false, names: ['b'] }],
  [
    { properties: { b: {} }, additionalProperties: false },
    { type: 'absent', certain: true, names: ['b'] },
  ],
  [{ additionalProperties: false }, { type: 'absent', certain: true, names: [] }],
  [{ properties: { b: {} }, additionalProperties: true }, OPEN],
  [{ properties: { b: {} }, additionalProperties: {} }, OPEN],
  [
    { properties: { b: {} }, additionalProperties: a },
    { type: 'described', schema: a },
  ],
  [{ properties: { b: {} }, patternProperties: { '^a': a }, additionalProperties: false }, OPEN],
  [{ properties: { b: {} }, anyOf: [{ properties: { a } }] }, OPEN],
  [
    { properties: { b: {} }, allOf: [{}], additionalProperties: false },
    { type: 'absent', certain: true, names: ['b'] },
  ],
  [
    { type: 'array', items: a },
    { type: 'no-object', types: ['array'] },
  ],
  [
    { type: ['object', 'null'], properties: { a } },
    { type: 'described', schema: a },
  ],
  [{ type: 'object' }, OPEN],
  [
    { $ref: '#/$defs/x', $defs: { x: { properties: { a } } } },
    { type: 'described', schema: a },
  ],
  [{ $ref: 'elsewhere' }, OPEN],
  [true, OPEN],
  [undefined, OPEN],
])('the compiler knows what the schema %j says of the property "a"', (schema, expected) => {
  expect(describeMember(schema, 'a', schema)).toEqual(expected);
});

test('the compiler finds no description in a schema for a property called constructor, which every JavaScript object inherits', () => {
  expect(describeMember({ properties: {}, additionalProperties: false }, 'constructor', {})).toMatchObject({
    type: 'absent',
  });
});
