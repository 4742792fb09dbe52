import { expect, test } from 'vitest';
import type { CatalogItem } from '#schemas';
import { entries, findings, formatBackendKey, judge } from '../../../support/gateway-rule.ts';
import { gatewayConfig } from '../../../support/rule.ts';

const object = { type: 'object' };
const judged = (tools: readonly (string | CatalogItem)[], config = '{}') =>
  judge('withheldTools', [gatewayConfig(config), entries('a')], { [formatBackendKey('a')]: { tools } });

test.each<[string, CatalogItem, string | undefined]>([
  ['the smallest input schema', { inputSchema: object }, undefined],
  ['an input schema with anyOf at the top', { inputSchema: { ...object, anyOf: [object] } }, undefined],
  ['an output schema without a type', { outputSchema: {} }, undefined],
  ['no input schema', { inputSchema: undefined }, 'inputSchema must be a JSON Schema of type "object"'],
  ['an input schema without a type', { inputSchema: {} }, 'inputSchema must have "type": "object"'],
  [
    'required as a Boolean of a property',
    { inputSchema: { ...object, properties: { n: { type: 'string', required: true } } } },
    'inputSchema: /properties/n/required must be a list of property names',
  ],
  [
    'an output schema with an unknown type',
    { outputSchema: { type: 'object', properties: { n: { type: 'int' } } } },
    'outputSchema: /properties/n/type must be a JSON type or a list of them',
  ],
  [
    'an x-mcp-header for a number',
    { inputSchema: { ...object, properties: { n: { type: 'number', 'x-mcp-header': 'N' } } } },
    'parameter "n" has an x-mcp-header and is no integer, string or boolean',
  ],
])('the rule withheldTools gives the expected findings for: %s', (_, tool, flaw) => {
  const start = 'LNT3027 warning 16:19 clients do not get the tool "t" of "a": ';
  expect(judged([{ ...tool, name: 't' }, 'other'])).toEqual(flaw === undefined ? [] : [start + flaw]);
});

test('the rule withheldTools gives no finding about a hidden tool', () => {
  const config = '{ aggregation: { excludeAllTools: true } }';
  expect(judged([{ name: 't', inputSchema: 'none' }, 'a b'], config)).toEqual([]);
});

test('the rule withheldTools gives one finding about all tool names that a prefix format makes invalid', () => {
  const config = '{ aggregation: { conflictResolutionConfig: { prefixFormat: "{workload}: " } } }';
  expect(judged(['x', 'y'], config)).toEqual([
    'LNT3027 warning 7:13 clients do not get "a: x" and "a: y" of "a": the name has spaces, control characters or invisible ones',
  ]);
});

test('the rule withheldTools suggests an override for an invalid tool name of a backend, unless the name is too long', () => {
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

test('the rule withheldTools gives no finding about an override with an invalid tool name', () => {
  expect(judged(['x'], '{ aggregation: { tools: [{ workload: a, overrides: { x: { name: a b } } }] } }')).toEqual([]);
});
