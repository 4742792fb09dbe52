/** An output schema that an official client cannot compile costs that client the whole list; the test runs it. */
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv-provider.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { presentTool } from '#shared/plan';
import { findCompileError } from '../../../../shared/plan/output-schema.ts';

type Schema = { readonly [keyword: string]: unknown };

function compiles(schema: Schema): boolean {
  try {
    new AjvJsonSchemaValidator().getValidator(schema);
    return true;
  } catch {
    return false;
  }
}

const NODE = { $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } } };

test.each<[string, Schema, boolean]>([
  ['a reference to a definition', { ...NODE, properties: { a: { $ref: '#/$defs/node' } } }, true],
  ['a reference to the whole schema', { properties: { a: { $ref: '#' } } }, true],
  ['a pointer with escapes', { $defs: { 'a/b~': {} }, properties: { a: { $ref: '#/$defs/a~1b~0' } } }, true],
  ['a pointer that is encoded', { $defs: { 'ö b': true }, properties: { a: { $ref: '#/$defs/%C3%B6%20b' } } }, true],
  ['an anchor', { $defs: { x: { $id: '#n' } }, properties: { a: { $ref: '#n' } } }, true],
  ['a property that is called $ref', { properties: { $ref: { type: 'string' } } }, true],
  ['a constant that looks like a reference', { properties: { a: { const: { $ref: '#/no' } } } }, true],
  ['a broken definition that is never referenced', { $defs: { x: { $ref: '#/no' } } }, true],
  ['a meta-schema', { properties: { a: { $ref: 'http://json-schema.org/draft-07/schema#' } } }, true],
  ['a reference to the $id of the schema', { $id: 'https://x/y', properties: { a: { $ref: 'https://x/y' } } }, true],
  ['a definition that is missing', { properties: { a: { $ref: '#/$defs/node' } } }, false],
  ['an anchor that is missing', { properties: { a: { $ref: '#n' } } }, false],
  ['a definition with a reference that leads nowhere', { $ref: '#/$defs/x', $defs: { x: { $ref: '#/no' } } }, false],
  ['a reference to another document', { items: { $ref: 'http://127.0.0.1:9/x' } }, false],
  ['a reference to a file', { allOf: [{ $ref: 'common.json#/definitions/x' }] }, false],
  ['a pattern that is only valid without Unicode mode', { properties: { a: { pattern: '^[\\w-.]+$' } } }, false],
  ['a patternProperties name that is only valid without Unicode mode', { patternProperties: { '[\\w-.]': {} } }, true],
])('the gateway accepts an output schema only if Ajv compiles it: %s', (_, schema, expected) => {
  const output = { type: 'object', ...schema };
  expect(compiles(output)).toBe(expected);
  expect(findCompileError(output) === undefined).toBe(expected);
});

test('the error for an output schema names the reference or pattern that is wrong', () => {
  expect(findCompileError({ $ref: '#/constructor' })).toContain('"#/constructor"');
  expect(findCompileError({ properties: { a: { $ref: '#/no' } } })).toBe(
    'the reference "#/no" leads nowhere within the schema',
  );
  expect(findCompileError({ properties: { a: { pattern: '\\-' } } })).toBe(
    '"\\\\-" is no regular expression of ECMAScript\'s Unicode mode',
  );
});

test('the check of an output schema visits each part a few times, even with ten thousand references', () => {
  let looks = 0;
  const counted = new Proxy({} as Schema, {
    ownKeys: () => {
      looks++;
      return [];
    },
  });
  const refs = Array.from({ length: 10_000 }, (_, index) => ({ $ref: index % 2 === 0 ? '#here' : '#no' }));
  const schema = {
    $defs: { a: counted, b: { $anchor: 'here' } },
    anyOf: refs.slice(0, -1).map(() => ({ $ref: '#here' })),
  };
  expect(findCompileError(schema)).toBeUndefined();
  expect(findCompileError({ ...schema, anyOf: refs })).toContain('"#no"');
  expect(looks).toBeLessThan(10);
});

const REFS = [
  '#',
  '#/$defs/a',
  '#/$defs/b',
  '#/properties/a',
  '#/properties/c',
  '#/allOf/0',
  '#x',
  'x.json',
  '#/$defs/a/not',
];

test('an output schema that the gateway accepts can always be compiled', () => {
  const { schema } = fc.letrec(tie => {
    const inner = fc.oneof({ maxDepth: 2 }, fc.constant({}), tie('schema'));
    const members = {
      $ref: fc.constantFrom(...REFS),
      $defs: fc.dictionary(fc.constantFrom('a', 'b'), inner, { maxKeys: 2 }),
      properties: fc.dictionary(fc.constantFrom('a', 'c', '$ref'), inner, { maxKeys: 2 }),
      allOf: fc.array(inner, { minLength: 1, maxLength: 2 }),
      not: inner,
      items: inner,
      pattern: fc.constantFrom('a+', '\\p{L}', '\\-', '^[a-z]$'),
      const: fc.constant({ $ref: '#/no' }),
    };
    return { schema: fc.record(members, { requiredKeys: [] }) };
  });
  const seen = { passed: 0, refused: 0 };
  fc.assert(
    fc.property(schema as fc.Arbitrary<Schema>, given => {
      const output = JSON.parse(JSON.stringify({ ...given, type: 'object' })) as Schema;
      if (findCompileError(output) === undefined) {
        expect(compiles(output)).toBe(true);
        seen.passed++;
      } else seen.refused++;
    }),
    { numRuns: 2_000, seed: 1 },
  );
  expect(Math.min(seen.passed, seen.refused)).toBeGreaterThan(50);
});

test.each(['inputSchema', 'outputSchema'])('the gateway presents a boolean subschema in %s as an object', member => {
  const tool = { name: 'a', inputSchema: { type: 'object' } };
  const properties = { any: true, none: false, text: { type: 'string' }, ['__proto__']: true };
  const shown = presentTool({ ...tool, [member]: { type: 'object', properties, required: ['any'] } }, 'b', undefined);
  expect(JSON.stringify(shown[member])).toBe(
    '{"type":"object","properties":{"any":{},"none":{"not":{}},"text":{"type":"string"},"__proto__":{}},"required":["any"]}',
  );
  const usual = { ...tool, [member]: { type: 'object', properties: { text: {} } } };
  expect(presentTool(usual, 'b', undefined)[member]).toBe(usual[member as 'inputSchema']);
});
