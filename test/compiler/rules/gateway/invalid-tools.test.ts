import { expect, test } from 'vitest';
import type { CatalogItem } from '#schemas';
import { invalidTools } from '../../../../compiler/rules/gateway/invalid-tools.ts';
import { entries, judge, keyOf } from '../../../support/gateway-rule.ts';
import { gatewayConfig } from '../../../support/rule.ts';

const START = 'LNT3026 warning 16:19 clients may refuse the tool "t" of "a", and all others with it: ';
const object = { type: 'object' };
const member = (schema: unknown) => ({ inputSchema: { type: 'object', properties: { n: schema } } });

test.each<[string, CatalogItem, string | undefined]>([
  ['the smallest', { inputSchema: object }, undefined],
  [
    'references, conditions, drafts',
    {
      inputSchema: { ...object, $defs: { x: true, y: false }, required: ['a'], if: {}, items: [object] },
      outputSchema: { ...object, $schema: 'http://json-schema.org/draft-07/schema#' },
    },
    undefined,
  ],
  ['no input schema', {}, 'it has no input schema'],
  ['a list as schema', { inputSchema: [] }, 'it has no input schema'],
  ['no type', { inputSchema: {} }, 'the type of its input schema is not "object"'],
  ['another type', { inputSchema: { type: 'string' } }, 'the type of its input schema is not "object"'],
  [
    'alternatives at the top',
    { inputSchema: { ...object, anyOf: [object] } },
    'its input schema has anyOf at the top level',
  ],
  ['a reference at the top', { inputSchema: { ...object, $ref: '#/$defs/x' } }, undefined],
  ['alternatives below', member({ anyOf: [{ type: 'string' }, { type: 'null' }] }), undefined],
  [
    'an unknown type',
    member({ type: 'int' }),
    'in its input schema, /properties/n/type is "int", which is no type of JSON Schema',
  ],
  [
    'an unknown type among others',
    member({ type: ['string', 'any'] }),
    'in its input schema, /properties/n/type is "any", which is no type of JSON Schema',
  ],
  ['a member named type', { inputSchema: { type: 'object', properties: { type: { type: 'string' } } } }, undefined],
  ['a default that looks like a schema', member({ type: 'object', default: { type: 'int' } }), undefined],
  [
    'required at the member',
    member({ type: 'string', required: true }),
    'in its input schema, /properties/n/required is no list of names',
  ],
  [
    'properties as a list',
    { inputSchema: { type: 'object', properties: [] } },
    'in its input schema, /properties is no mapping of names to schemas',
  ],
  ['text as a schema', member('string'), 'in its input schema, /properties/n is no schema'],
  [
    'deep within',
    member({ items: { oneOf: [{ patternProperties: { '^a/b$': { type: 'text' } } }] } }),
    'in its input schema, /properties/n/items/oneOf/0/patternProperties/^a~1b$/type is "text", which is no type of JSON Schema',
  ],
  ['output without a type', { inputSchema: object, outputSchema: {} }, 'the type of its output schema is not "object"'],
  [
    'output with an unknown type',
    { inputSchema: object, outputSchema: { type: 'object', properties: { n: { type: 'int' } } } },
    'in its output schema, /properties/n/type is "int", which is no type of JSON Schema',
  ],
])('%s', (_, tool, problem) => {
  const found = judge(invalidTools, [gatewayConfig('{}'), entries('a')], {
    [keyOf('a')]: { tools: [{ ...tool, name: 't' }] },
  });
  expect(found).toEqual(problem === undefined ? [] : [START + problem]);
});

test('a hidden tool harms nobody', () => {
  const offers = { [keyOf('a')]: { tools: [{ name: 't' }] } };
  expect(
    judge(invalidTools, [gatewayConfig('{ aggregation: { excludeAllTools: true } }'), entries('a')], offers),
  ).toEqual([]);
});
