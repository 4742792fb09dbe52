import { expect, test } from 'vitest';
import { findValueProblem } from '#compiler';
import { listPossibleValues } from '../../../compiler/rules/support/list-possible-values.ts';
import { measureCpuMs } from '../../support/cpu-time.ts';

const asWritten = (text: string) => [text];
const said = (value: unknown, schema: unknown) => {
  const found = findValueProblem(value, schema, asWritten);
  return found && `/${found.path.join('/')} ${found.message}`;
};

test.each<[unknown, unknown, string | undefined]>([
  [1, true, undefined],
  [1, {}, undefined],
  [1, 'no schema', undefined],
  [1, false, '/ is not allowed'],
  ['a', { type: 'string' }, undefined],
  [1, { type: 'integer' }, undefined],
  [1.5, { type: 'integer' }, '/ must be integer, not number'],
  [1.5, { type: 'number' }, undefined],
  [null, { type: ['string', 'null'] }, undefined],
  [[], { type: ['string', 'null'] }, '/ must be string or null, not array'],
  [1, { type: 'int' }, undefined],
  ['c', { enum: ['a', 1, null] }, '/ must be one of "a", 1, null'],
  [{ a: [1] }, { enum: [{ a: [1] }] }, undefined],
  [{ a: [2] }, { enum: [{ a: [1] }] }, '/ must be one of {"a":[1]}'],
  [2, { const: 1 }, '/ must be 1'],
  ['é', { maxLength: 1 }, undefined],
  ['😀', { maxLength: 1 }, undefined],
  ['ab', { maxLength: 1 }, '/ must have at most 1 characters'],
  ['', { minLength: 1 }, '/ must have at least 1 characters'],
  ['abc', { pattern: '^b' }, '/ must match ^b'],
  ['abc', { pattern: 'b' }, undefined],
  ['abc', { pattern: String.raw`^\d+\.\d+\.\d+$` }, String.raw`/ must match ^\d+\.\d+\.\d+$`],
  ['1.4.0', { pattern: String.raw`^\d+\.\d+\.\d+$` }, undefined],
  [`${'a'.repeat(100_000)}b`, { pattern: '^a+a+$' }, undefined],
  ['abc', { pattern: '(?P<x>' }, undefined],
  [0, { minimum: 1 }, '/ must be at least 1'],
  [2, { maximum: 1 }, '/ must be at most 1'],
  [1, { exclusiveMinimum: 1 }, '/ must be above 1'],
  [1, { exclusiveMaximum: 1 }, '/ must be below 1'],
  [[1], { minItems: 2 }, '/ must have at least 2 items'],
  [[1, 2], { maxItems: 1 }, '/ must have at most 1 items'],
  [[1, 'a'], { items: { type: 'integer' } }, '/1 must be integer, not string'],
  [[1, 'a'], { items: [{ type: 'integer' }] }, undefined],
  [{}, { required: ['a'] }, '/ must have "a"'],
  [
    { a: { b: 1 } },
    { properties: { a: { properties: { b: { type: 'string' } } } } },
    '/a/b must be string, not number',
  ],
  [{ a: 1 }, { additionalProperties: false }, '/a is not allowed'],
  [{ a: 1 }, { additionalProperties: { type: 'string' } }, '/a must be string, not number'],
  [{ a: 1 }, { patternProperties: { a: {} }, additionalProperties: false }, undefined],
  [1, { allOf: [{}, { minimum: 2 }] }, '/ must be at least 2'],
  [1, { anyOf: [{ type: 'string' }, { minimum: 2 }] }, '/ fits none of the alternatives of the schema'],
  [1, { anyOf: [{ type: 'string' }, { minimum: 1 }] }, undefined],
  [1, { oneOf: [{ type: 'string' }] }, '/ must be string, not number'],
  [1, { not: {} }, undefined],
  [1, { $ref: '#/$defs/a', $defs: { a: { type: 'string' } } }, '/ must be string, not number'],
  [1, { $ref: '#/$defs/a~1b', $defs: { 'a/b': { type: 'string' } } }, '/ must be string, not number'],
  [1, { $ref: '#/$defs/none' }, undefined],
  [1, { $ref: 'https://example.com/schema' }, undefined],
  [1, { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } }, undefined],
  [1, { $ref: '#/constructor' }, undefined],
])('the compiler checks the value %j against the schema %j (message if invalid: $2)', (value, schema, expected) => {
  expect(said(value, schema)).toBe(expected);
});

test('the compiler accepts an integer beyond the safe integers of JavaScript as an integer', () => {
  expect(said(10n ** 20n, { type: 'integer', minimum: 1 })).toBeUndefined();
});

test('the compiler checks a value against a schema that refers to itself', () => {
  const schema = { allOf: [{ $ref: '#' }], properties: { a: { $ref: '#' } }, type: 'object' };
  expect(findValueProblem({ a: { a: { a: 1 } } }, schema, asWritten)).toEqual({
    path: ['a', 'a', 'a'],
    message: 'must be object, not number',
  });
});

test('the compiler checks a value within 2 seconds against a schema that branches into itself', () => {
  const schema = { anyOf: [{ $ref: '#' }, { $ref: '#' }], allOf: [{ $ref: '#' }, { $ref: '#' }] };
  const cpuMs = measureCpuMs(() => {
    expect(findValueProblem(1, schema, asWritten)).toBeUndefined();
  });
  expect(cpuMs).toBeLessThan(2_000);
});

test('the compiler names the first ten of many enum values, and counts the others', () => {
  const choices = Array.from({ length: 12 }, (_, number) => number);
  expect(said('x', { enum: choices })).toBe('/ must be one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more');
});

test.each([
  ['(a+)+$', `${'a'.repeat(100)}b`],
  ['(a|a)*$', `${'a'.repeat(100)}b`],
  ['a?'.repeat(60) + 'a'.repeat(60), 'a'.repeat(60)],
  ['.*.*.*.*.*x', 'a'.repeat(128)],
  ['^[a-z]*[a-z]*x$', 'a'.repeat(128)],
])('the compiler checks a text against the pattern %j within 2 seconds', (pattern, text) => {
  expect(measureCpuMs(() => said(text, { pattern }))).toBeLessThan(2_000);
});

test.each<[string, readonly unknown[] | undefined]>([
  ['a', ['a']],
  ['5', ['5', 5]],
  ['-1.5e3', ['-1.5e3', -1500]],
  ['1', ['1', 1, true]],
  ['False', ['False', false]],
  ['[1]', ['[1]', [1]]],
  ['[1', ['[1']],
  ['0x10', ['0x10']],
  ['{{ .params.x }}', undefined],
])('the compiler lists the JSON values that the text %j may stand for', (text, expected) => {
  expect(listPossibleValues(text)).toEqual(expected);
});
