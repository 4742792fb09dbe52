/** `parameters` and the schema of an elicitation are complete JSON Schemas. */
import { expect, test } from 'vitest';
import { judge, object } from '../../support/rule.ts';

const parameters = (text: string) =>
  object('VirtualMCPCompositeToolDefinition', `\n  name: w\n  steps: []\n  parameters: ${text}`);

test.each<[string, string[], string[]]>([
  [
    'every keyword of JSON Schema 2020-12',
    [
      parameters(
        `{ $schema: 'https://json-schema.org/draft/2020-12/schema', $id: 'urn:x', $comment: c, title: t, description: d, type: object, properties: { a: { type: [string, 'null'], pattern: '^a+$', format: email, minLength: 0, maxLength: 2, examples: [x], deprecated: true, readOnly: false }, b: { type: integer, minimum: 0, exclusiveMaximum: 10, multipleOf: 0.5, default: 3 }, c: { type: array, prefixItems: [{ const: 1 }], items: false, contains: {}, minContains: 1, uniqueItems: true }, d: { enum: [1, a, null] } }, required: [a], additionalProperties: false, patternProperties: { '^x': true }, propertyNames: { maxLength: 9 }, dependentRequired: { a: [b] }, dependentSchemas: { a: { minProperties: 1 } }, allOf: [{ if: { required: [b] }, then: {}, else: {} }], not: { required: [z] }, $defs: { e: { $anchor: e } } }`,
      ),
    ],
    [],
  ],
  [
    'values that are neither mappings nor Booleans in place of schemas',
    [
      parameters(
        '{ type: object, properties: { a: 1, b: true }, additionalProperties: no schema, allOf: [], not: [], items: [{}] }',
      ),
    ],
    [
      'LNT7020 error 7:48 a schema must be a mapping, or true or false',
      'LNT7020 error 7:84 a schema must be a mapping, or true or false',
      'LNT7020 error 7:102 allOf must be a list of schemas, one or more',
      'LNT7020 error 7:111 a schema must be a mapping, or true or false',
      'LNT7020 error 7:122 items must be one schema',
    ],
  ],
  [
    'keywords with values of the wrong type',
    [
      parameters(
        '{ type: object, properties: { a: { type: text, minLength: -1, maxLength: 1.5, multipleOf: 0, minimum: low, uniqueItems: maybe, enum: [], title: 1, required: [a, a], pattern: 1, format: {}, dependentRequired: [a], properties: [] } } }',
      ),
    ],
    [
      'LNT7020 error 7:56 type must be one of array, boolean, integer, null, number, object, string, or a list of them',
      'LNT7020 error 7:73 minLength must be a whole number from 0 on',
      'LNT7020 error 7:88 maxLength must be a whole number from 0 on',
      'LNT7020 error 7:105 multipleOf must be a number above 0',
      'LNT7020 error 7:117 minimum must be a number',
      'LNT7020 error 7:135 uniqueItems must be true or false',
      'LNT7020 error 7:148 enum must be a list with an item: nothing fits an empty one',
      'LNT7020 error 7:159 title must be a string',
      'LNT7020 error 7:172 required must be a list of distinct names',
      'LNT7020 error 7:189 pattern must be a string',
      'LNT7020 error 7:200 format must be a string',
      'LNT7020 error 7:223 dependentRequired must be a mapping of names to lists of names',
      'LNT7020 error 7:240 properties must be a mapping of names to schemas',
    ],
  ],
  [
    'faults of the parameters schema that another rule reports',
    [parameters('{ type: text, properties: [], required: a }')],
    [],
  ],
  [
    'misspelt keywords, and unknown keywords',
    [parameters('{ type: object, properties: { a: { typ: string, maxLenght: 1, x-order: 1, note: mine } } }')],
    [
      'LNT7021 warning 7:50 "typ" is no keyword of JSON Schema, so it has no effect',
      'LNT7021 warning 7:63 "maxLenght" is no keyword of JSON Schema, so it has no effect',
    ],
  ],
  [
    'a $ref to another document, and a $ref that cannot be resolved',
    [
      parameters(
        `{ type: object, $defs: { a: { $anchor: here }, 'b/c': true }, definitions: { d: {} }, properties: { a: { $ref: '#/$defs/a' }, b: { $ref: '#here' }, c: { $ref: '#' }, d: { $ref: '#/definitions/d' }, e: { $ref: '#/$defs/z' }, f: { $ref: '#there' }, g: { $ref: 'https://example.com/x.json' }, h: { $ref: '#/required' }, i: { $ref: '#/$defs/b~1c' }, j: { $ref: 1 } } }`,
      ),
    ],
    [
      'LNT7020 error 7:372 $ref must be a string',
      'LNT7022 error 7:224 "#/$defs/z" leads to no schema',
      'LNT7022 error 7:250 "#there" leads to no schema',
      'LNT7022 error 7:273 "https://example.com/x.json" is outside of this schema: nothing is loaded from elsewhere',
      'LNT7022 error 7:316 "#/required" leads to no schema',
    ],
  ],
  [
    'a $ref to itself',
    [
      parameters(
        `{ type: object, $defs: { a: { $ref: '#/$defs/b' }, b: { allOf: [{ $ref: '#/$defs/a' }] }, list: { properties: { next: { $ref: '#/$defs/list' } } }, into: { $ref: '#/$defs/a' } }, properties: { not: { $ref: '#/properties' }, x: { not: { $ref: '#/properties/x' } } } }`,
      ),
    ],
    [
      'LNT7022 error 7:221 "#/properties" leads to no schema',
      'LNT7022 error 7:51 the reference leads back to itself',
      'LNT7022 error 7:87 the reference leads back to itself',
      'LNT7022 error 7:257 the reference leads back to itself',
    ],
  ],
  [
    'patterns that do not compile or take too long',
    [
      parameters(
        `{ type: object, properties: { a: { pattern: '(a' }, b: { pattern: '^(\\w+\\s?)*$' }, c: { patternProperties: { '(x+)+y': {}, '[': {} } }, d: { pattern: '\\-' } } }`,
      ),
    ],
    [
      'LNT7020 error 7:59 this is not a regular expression',
      'LNT7023 warning 7:81 the pattern can match the same text in very many ways: each additional character doubles the time',
      'LNT7023 warning 7:124 the pattern can match the same text in very many ways: each additional character doubles the time',
      'LNT7020 error 7:138 this is not a regular expression',
    ],
  ],
  [
    'defaults that do not match their schema',
    [
      parameters(
        '{ type: object, properties: { a: { type: integer, default: x }, b: { enum: [1], default: 2 }, c: { type: array, items: { maxLength: 1 }, default: [a, bb] }, d: { type: object, required: [x], default: {} }, e: { minimum: 2, default: 1 }, f: { const: { a: [1] }, default: { a: [1] } }, g: { type: [string, integer], default: 1 }, h: { properties: { i: false }, default: { i: 1 } }, j: { exclusiveMinimum: 1, default: 1 }, k: { minItems: 1, default: [] }, l: { $ref: other, default: 1 } } }',
      ),
    ],
    [
      'LNT7025 warning 7:74 the default does not fit: it is not of type integer',
      'LNT7025 warning 7:104 the default does not fit: it is not in enum',
      'LNT7025 warning 7:161 the default does not fit: at item 1, at most 1 characters are allowed',
      'LNT7025 warning 7:215 the default does not fit: it has no "x"',
      'LNT7025 warning 7:247 the default does not fit: at least 2 are asked for',
      'LNT7025 warning 7:383 the default does not fit: at "i", nothing fits here',
      'LNT7025 warning 7:430 the default does not fit: it is not above 1',
      'LNT7025 warning 7:462 the default does not fit: at least 1 items are asked for',
      'LNT7022 error 7:479 "other" is outside of this schema: nothing is loaded from elsewhere',
    ],
  ],
  [
    'other dialects of JSON Schema',
    [
      parameters(
        `{ $schema: 'http://json-schema.org/draft-07/schema#', type: object, properties: { a: { items: [{}], additionalItems: false, dependencies: { a: [b], c: {} } } } }`,
      ),
      parameters(`{ $schema: 'https://json-schema.org/draft/2019-09/schema', type: object, items: [1], $defs: {} }`),
      parameters(`{ $schema: 'http://json-schema.org/draft-04/schema#', type: object, minimum: x }`),
      parameters('{ $schema: 1, type: object }'),
    ],
    [
      'LNT7020 error 15:96 a schema must be a mapping, or true or false',
      'LNT1020 warning 23:26 the schema is of a dialect that is not known here; use JSON Schema 2020-12 or draft-07',
      'LNT1020 warning 31:26 the schema is of a dialect that is not known here; use JSON Schema 2020-12 or draft-07',
    ],
  ],
  [
    'the schema of a question',
    [
      object(
        'VirtualMCPCompositeToolDefinition',
        `\n  name: w\n  steps:\n    - { id: a, type: elicitation, message: m, schema: { type: object, properties: { a: { type: text } } } }`,
      ),
    ],
    ['LNT7020 error 7:96 type must be one of array, boolean, integer, null, number, object, string, or a list of them'],
  ],
])('the rule compositeSchemas gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('compositeSchemas', ...objects)).toEqual(expected);
});
