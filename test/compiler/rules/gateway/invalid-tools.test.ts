import { expect, test } from 'vitest';
import type { CatalogItem } from '#schemas';
import { entries, formatBackendKey, judge } from '../../../support/gateway-rule.ts';
import { gatewayConfig } from '../../../support/rule.ts';

const START = 'LNT3026 warning 16:19 clients may refuse the tool "t" of "a", and all other tools with it: ';
const object = { type: 'object' };
const NOT_OBJECT = 'the type of its output schema is not "object"';

test.each<[string, CatalogItem, string | undefined]>([
  ['the smallest', { inputSchema: object }, undefined],
  ['an output of type object', { outputSchema: { ...object, anyOf: [object] } }, undefined],
  [
    'alternatives at the top',
    { inputSchema: { ...object, anyOf: [object] } },
    'its input schema has anyOf at the top level',
  ],
  ['a reference at the top', { inputSchema: { ...object, $ref: '#/$defs/x' } }, undefined],
  [
    'alternatives below',
    { inputSchema: { ...object, properties: { n: { anyOf: [{ type: 'string' }, { type: 'null' }] } } } },
    undefined,
  ],
  ['output without a type', { outputSchema: {} }, NOT_OBJECT],
  ['output of a list', { outputSchema: { type: 'array' } }, NOT_OBJECT],
  ['what no client gets', { inputSchema: { anyOf: [object] } }, undefined],
])('the rule invalidTools gives the expected findings for: %s', (_, tool, problem) => {
  const found = judge('invalidTools', [gatewayConfig('{}'), entries('a')], {
    [formatBackendKey('a')]: { tools: [{ ...tool, name: 't' }] },
  });
  expect(found).toEqual(problem === undefined ? [] : [START + problem]);
});

test('a hidden tool with an invalid definition gives no finding', () => {
  const offers = { [formatBackendKey('a')]: { tools: [{ name: 't', outputSchema: {} }] } };
  expect(
    judge('invalidTools', [gatewayConfig('{ aggregation: { excludeAllTools: true } }'), entries('a')], offers),
  ).toEqual([]);
});
