import { expect, test } from 'vitest';
import { UniqueNames } from '../../../compiler/analysis/catalog/types/names.ts';
import { SchemaTypes } from '../../../compiler/analysis/catalog/types/schema-types.ts';

function typeOf(schema: object): string {
  const text = new SchemaTypes(schema as Readonly<Record<string, unknown>>, 'T', new UniqueNames())
    .listDeclarations([], false)
    .join('');
  return text.replaceAll(/\s+/g, ' ').trim();
}

const text = { type: 'string' };

test.each([
  ['a string', text, 'export type T = string;'],
  ['an integer becomes number', { type: 'integer' }, 'export type T = number;'],
  ['a list of types becomes a union', { type: ['string', 'null'] }, 'export type T = string | null;'],
  [
    'nullable of OpenAPI becomes a union with null',
    { type: 'string', nullable: true },
    'export type T = string | null;',
  ],
  [
    'an enum',
    { enum: ['a', 1, null, { a: [true] }] },
    'export type T = "a" | 1 | null | { readonly a: readonly [true] };',
  ],
  ['an enum and a type', { type: 'string', enum: ['a', 1] }, 'export type T = "a";'],
  ['a constant', { const: -1.5 }, 'export type T = -1.5;'],
  [
    'required and optional properties',
    { type: 'object', properties: { b: text, a: text }, required: ['a'] },
    'export interface T { readonly a: string; readonly b?: string; }',
  ],
  [
    'a required property without a schema',
    { type: 'object', required: ['a'] },
    'export interface T { readonly a: unknown; }',
  ],
  [
    'property names that are no identifiers',
    { type: 'object', properties: { 'x-y': text, __proto__: text, 'é"': text } },
    'export interface T { readonly "x-y"?: string; readonly "é\\""?: string; }',
  ],
  [
    'an object without described properties',
    { type: 'object' },
    'export interface T { readonly [name: string]: unknown; }',
  ],
  [
    'an object without allowed properties',
    { type: 'object', additionalProperties: false },
    'export interface T { readonly [name: string]: never; }',
  ],
  [
    'additional properties of another type than the listed ones',
    { type: 'object', properties: { a: { type: 'number' } }, additionalProperties: text },
    'export interface T { readonly a?: number; readonly [name: string]: string | number | undefined; }',
  ],
  [
    'a dictionary',
    { type: 'object', additionalProperties: text },
    'export interface T { readonly [name: string]: string; }',
  ],
  [
    'properties by pattern',
    { type: 'object', patternProperties: { '^x-': text }, additionalProperties: false },
    'export interface T { readonly [name: string]: string; }',
  ],
  ['a list', { type: 'array', items: { type: ['string', 'null'] } }, 'export type T = readonly (string | null)[];'],
  ['a list of anything', { type: 'array' }, 'export type T = readonly unknown[];'],
  [
    'a tuple',
    { type: 'array', prefixItems: [text, { type: 'number' }], minItems: 1, items: false },
    'export type T = readonly [string, number?];',
  ],
  [
    'a tuple of JSON Schema draft 7',
    { type: 'array', items: [text], additionalItems: { type: 'number' } },
    'export type T = readonly [string?, ...number[]];',
  ],
  ['alternatives', { anyOf: [text, { type: 'array', items: text }] }, 'export type T = string | readonly string[];'],
  [
    'alternatives of required properties',
    { type: 'object', properties: { a: text, b: text }, anyOf: [{ required: ['a'] }, { required: ['b'] }] },
    'export type T = { readonly a?: string; readonly b?: string; } & ({ readonly a: unknown; } | { readonly b: unknown; });',
  ],
  [
    'allOf becomes an intersection',
    {
      allOf: [
        { type: 'object', properties: { a: text } },
        { type: 'object', properties: { b: text } },
      ],
    },
    'export type T = { readonly a?: string; } & { readonly b?: string; };',
  ],
  [
    'a reference',
    { type: 'object', properties: { a: { $ref: '#/$defs/label' } }, $defs: { label: text } },
    'export interface T { readonly a?: TLabel; } export type TLabel = string;',
  ],
  [
    'a reference by escaped pointer',
    { type: 'object', properties: { a: { $ref: '#/$defs/x~1y%20z' } }, $defs: { 'x/y z': text } },
    'export interface T { readonly a?: TX1yZ; } export type TX1yZ = string;',
  ],
  [
    'keywords next to a $ref',
    { $ref: '#/$defs/a', required: ['x'], $defs: { a: { type: 'object', properties: { x: text } } } },
    'export type T = { readonly x: unknown; } & TA; export interface TA { readonly x?: string; }',
  ],
  [
    'keywords next to a $ref in draft 7',
    {
      $schema: 'http://json-schema.org/draft-07/schema#',
      $ref: '#/definitions/a',
      required: ['x'],
      definitions: { a: text },
    },
    'export type T = TA; export type TA = string;',
  ],
  [
    'a $ref to another document',
    { type: 'object', properties: { a: { $ref: 'https://example.com/a' } } },
    'export interface T { readonly a?: unknown; }',
  ],
  [
    'a $ref below another base URI',
    {
      type: 'object',
      properties: { a: { $ref: '#/$defs/x/$defs/y' } },
      $defs: { x: { $id: 'x', $defs: { y: text } } },
    },
    'export interface T { readonly a?: unknown; }',
  ],
  [
    'true and false as schemas',
    { type: 'object', properties: { a: true, b: false } },
    'export interface T { readonly a?: unknown; readonly b?: never; }',
  ],
  [
    'keywords that TypeScript types cannot express',
    {
      type: 'object',
      properties: {
        a: { type: 'string', description: 'When.', format: 'date-time', default: 'now', deprecated: true },
      },
    },
    'export interface T { /** * When. * Default: now. Format: date-time. * @deprecated */ readonly a?: string; }',
  ],
])('lintel lock generates a TypeScript type from a JSON schema: %s', (_, schema, expected) => {
  expect(typeOf(schema)).toBe(expected);
});

test('lintel lock generates properties called `__proto__` and `constructor` from a JSON schema', () => {
  const schema = JSON.parse(
    '{ "type": "object", "properties": { "__proto__": { "type": "string" }, "constructor": { "type": "number" } } }',
  );
  expect(typeOf(schema)).toBe('export interface T { readonly __proto__?: string; readonly constructor?: number; }');
});
