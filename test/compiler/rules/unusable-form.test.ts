/** The schema of an elicitation describes a form, so its properties must be primitives or choices, never objects (MCP, elicitation). */
import { expect, test } from 'vitest';
import { judge, object } from '../../support/rule.ts';

const ask = (schema: string) =>
  object(
    'VirtualMCPCompositeToolDefinition',
    `\n  name: w\n  steps:\n    - { id: a, type: elicitation, message: m, schema: ${schema} }`,
  );
const field = (text: string) => ask(`{ type: object, properties: { a: ${text} } }`);

test.each<[string, string[], string[]]>([
  [
    'every type of field',
    [
      ask(
        '{ type: object, required: [a], properties: { a: { type: string, title: t, description: d, minLength: 1, maxLength: 9, format: date-time, default: x }, b: { type: number, minimum: 0, maximum: 1 }, c: { type: integer, default: 1 }, d: { type: boolean, default: true }, e: { type: string, enum: [a, b], enumNames: [A, B] }, f: { type: string, oneOf: [{ const: a, title: A }] }, g: { type: array, minItems: 1, items: { type: string, enum: [a] } }, h: { type: array, items: { anyOf: [{ const: a, title: A }] } } } }',
      ),
      ask('{ type: object, properties: {} }'),
    ],
    [],
  ],
  [
    'schemas that are no object with properties',
    [ask('{ type: string }'), ask('{ properties: {} }'), ask('{ type: object }')],
    [
      'LNT7024 error 7:63 the schema of an answer must be of type "object"',
      'LNT7024 error 15:55 the schema of an answer must be of type "object"',
      'LNT7024 error 23:55 the schema of an answer needs properties',
    ],
  ],
  [
    'nested objects and lists',
    [
      field('{ type: object, properties: {} }'),
      field('{ type: array, items: { type: object } }'),
      field('{ type: array }'),
      field('{ enum: [a] }'),
      field("{ type: [string, 'null'] }"),
      field('{ type: null }'),
    ],
    [
      'LNT7024 error 7:96 a field of a form must be of type string, number, integer, boolean, array',
      'LNT7024 error 15:110 a list in a form is a choice: items must be strings with enum, or with anyOf of const and title',
      'LNT7024 error 23:88 a list in a form is a choice: items must be strings with enum, or with anyOf of const and title',
      'LNT7024 error 31:88 a field of a form must be of type string, number, integer, boolean, array',
      'LNT7024 error 39:96 a field of a form must be of type string, number, integer, boolean, array',
      'LNT7024 error 47:96 a field of a form must be of type string, number, integer, boolean, array',
    ],
  ],
  [
    'choices without titles',
    [field('{ type: string, oneOf: [{ const: a }] }'), field('{ type: string, oneOf: a }')],
    [
      'LNT7024 error 7:111 each entry of oneOf must have const and title',
      'LNT7024 error 15:111 each entry of oneOf must have const and title',
    ],
  ],
  [
    'keywords and formats that clients ignore',
    [
      field('{ type: string, pattern: "^a", format: ipv4 }'),
      field('{ type: boolean, minimum: 1 }'),
      ask('{ type: object, properties: {}, additionalProperties: false }'),
    ],
    [
      'LNT7024 warning 7:104 forms do not have "pattern": clients may ignore it or refuse the question',
      'LNT7024 warning 7:127 clients know the formats email, uri, date, date-time only',
      'LNT7024 warning 15:105 forms do not have "minimum": clients may ignore it or refuse the question',
      'LNT7024 warning 23:87 forms do not have "additionalProperties": clients may ignore it or refuse the question',
    ],
  ],
  [
    '10 and 11 levels of nesting',
    [field('{ type: string, default: [[[[[[[x]]]]]]] }'), field('{ type: string, default: [[[[[[[[x]]]]]]]] }')],
    ['LNT7024 error 15:47 the schema has more than 10 levels'],
  ],
  [
    'more than 100 KB',
    [field(`{ type: string, description: ${'x'.repeat(102_400)} }`)],
    ['LNT7024 error 7:47 the schema has 102471 bytes, at most 102400 are possible'],
  ],
  [
    'a schema at a step of another type',
    [
      object(
        'VirtualMCPCompositeToolDefinition',
        '{ name: w, steps: [{ id: a, tool: x.y, schema: { type: string } }] }',
      ),
    ],
    [],
  ],
])('the rule unusableForm gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('unusableForm', ...objects)).toEqual(expected);
});
