import { expect, test } from 'vitest';
import type { CatalogItem } from '#schemas';
import { entries, findings, formatBackendKey, judge } from '../../../support/gateway-rule.ts';
import { gatewayConfig } from '../../../support/rule.ts';

const object = { type: 'object' };
const judged = (tools: readonly (string | CatalogItem)[], config = '{}') =>
  judge('withheldTools', [gatewayConfig(config), entries('a')], { [formatBackendKey('a')]: { tools } });

test.each<[string, CatalogItem, string | undefined]>([
  ['the smallest', { inputSchema: object }, undefined],
  ['alternatives at the top', { inputSchema: { ...object, anyOf: [object] } }, undefined],
  ['an output of any type', { outputSchema: {} }, undefined],
  ['no input schema', { inputSchema: undefined }, 'inputSchema must be a JSON Schema of type "object"'],
  ['an input of no type', { inputSchema: {} }, 'inputSchema must have "type": "object"'],
  [
    'required at the member',
    { inputSchema: { ...object, properties: { n: { type: 'string', required: true } } } },
    'inputSchema: /properties/n/required must be a list of property names',
  ],
  [
    'an output with an unknown type',
    { outputSchema: { type: 'object', properties: { n: { type: 'int' } } } },
    'outputSchema: /properties/n/type must be a JSON type or a list of them',
  ],
  [
    'a header of a number',
    { inputSchema: { ...object, properties: { n: { type: 'number', 'x-mcp-header': 'N' } } } },
    'parameter "n" has an x-mcp-header and is no integer, string or boolean',
  ],
])('the rule withheldTools gives the expected findings for: %s', (_, tool, flaw) => {
  const start = 'LNT3027 warning 16:19 clients do not get the tool "t" of "a": ';
  expect(judged([{ ...tool, name: 't' }, 'other'])).toEqual(flaw === undefined ? [] : [start + flaw]);
});

test('a hidden tool is not reported as withheld', () => {
  const config = '{ aggregation: { excludeAllTools: true } }';
  expect(judged([{ name: 't', inputSchema: 'none' }, 'a b'], config)).toEqual([]);
});

test('names that a prefix makes unfit are one finding', () => {
  const config = '{ aggregation: { conflictResolutionConfig: { prefixFormat: "{workload}: " } } }';
  expect(judged(['x', 'y'], config)).toEqual([
    'LNT3027 warning 7:13 clients do not get "a: x" and "a: y" of "a": the name has spaces, control characters or invisible ones',
  ]);
});

test('a name of the backend can be put right by an override', () => {
  const offers = { [formatBackendKey('a')]: { tools: ['a b', 'x'.repeat(127)] } };
  const found = findings('withheldTools', [gatewayConfig('{}'), entries('a')], offers);
  expect(found.map(({ message, fix }) => [message, fix])).toEqual([
    [
      'clients do not get "a_a b" of "a": the name has spaces, control characters or invisible ones',
      'rename it in aggregation.tools: { workload: a, overrides: { "a b": { name: a_b } } }',
    ],
    [expect.stringMatching(/^clients do not get "a_x+…?" of "a": the name is longer than 128 characters$/), undefined],
  ]);
});

test('a name that is invalid where it is written is reported there', () => {
  expect(judged(['x'], '{ aggregation: { tools: [{ workload: a, overrides: { x: { name: a b } } }] } }')).toEqual([]);
});
