import { expect, test } from 'vitest';
import type { CatalogItem } from '#schemas';
import { entries, formatBackendKey, judge } from '../../../support/gateway-rule.ts';
import { gatewayConfig } from '../../../support/rule.ts';

const START = 'LNT3026 warning 16:19 clients may refuse the tool "t" of "a", and all other tools with it: ';
const object = { type: 'object' };
const NOT_OBJECT = 'the type of its output schema is not "object"';

test.each<[string, CatalogItem, string | undefined]>([
  ['a tool with the smallest input schema', { inputSchema: object }, undefined],
  ['an output schema of type object', { outputSchema: { ...object, anyOf: [object] } }, undefined],
  [
    'an input schema with anyOf at the top',
    { inputSchema: { ...object, anyOf: [object] } },
    'its input schema has anyOf at the top level',
  ],
  ['an input schema with $ref at the top', { inputSchema: { ...object, $ref: '#/$defs/x' } }, undefined],
  [
    'an input schema with anyOf below the top',
    { inputSchema: { ...object, properties: { n: { anyOf: [{ type: 'string' }, { type: 'null' }] } } } },
    undefined,
  ],
  ['an output schema without a type', { outputSchema: {} }, NOT_OBJECT],
  ['an output schema of type array', { outputSchema: { type: 'array' } }, NOT_OBJECT],
  ['an input schema without type object, which the gateway withholds', { inputSchema: { anyOf: [object] } }, undefined],
])('the rule invalidTools gives the expected findings for: %s', (_, tool, problem) => {
  const found = judge('invalidTools', [gatewayConfig('{}'), entries('a')], {
    [formatBackendKey('a')]: { tools: [{ ...tool, name: 't' }] },
  });
  expect(found).toEqual(problem === undefined ? [] : [START + problem]);
});

test('the rule invalidTools gives no finding about a hidden tool with an invalid definition', () => {
  const offers = { [formatBackendKey('a')]: { tools: [{ name: 't', outputSchema: {} }] } };
  expect(
    judge('invalidTools', [gatewayConfig('{ aggregation: { excludeAllTools: true } }'), entries('a')], offers),
  ).toEqual([]);
});
