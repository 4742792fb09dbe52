import { expect, test } from 'vitest';
import { entries, formatBackendKey, judge } from '../../../support/gateway-rule.ts';
import { gatewayConfig } from '../../../support/rule.ts';

const OFFERS = { [formatBackendKey('a')]: { tools: ['search'] }, [formatBackendKey('b')]: { tools: ['search'] } };
const ORDER = 'conflictResolution: priority, conflictResolutionConfig: { priorityOrder: [a, b] }';

test.each<[string, string, string[]]>([
  ['an offered winner', ORDER, []],
  [
    'a hidden winner',
    `${ORDER}, tools: [{ workload: a, excludeAll: true }]`,
    [
      'LNT3003 warning 7:119 by priority "search" belongs to "a", which hides it: clients do not see the tool of "b" either',
    ],
  ],
  ['a hidden winner and a hidden loser', `${ORDER}, excludeAllTools: true`, []],
  ['a hidden loser', `${ORDER}, tools: [{ workload: b, excludeAll: true }]`, []],
  [
    'a winner that a filter hides',
    `${ORDER}, tools: [{ workload: b }, { workload: a, filter: [x] }]`,
    [
      'LNT3003 warning 7:136 by priority "search" belongs to "a", which hides it: clients do not see the tool of "b" either',
    ],
  ],
  ['no conflict by priority', 'tools: [{ workload: a, excludeAll: true }]', []],
])('the rule hiddenWinner gives the expected findings for: %s', (_, text, expected) => {
  expect(judge('hiddenWinner', [gatewayConfig(`{ aggregation: { ${text} } }`), entries('a', 'b')], OFFERS)).toEqual(
    expected,
  );
});

test('the rule hiddenWinner reports a tool that gets a name by priority and is withheld, so that clients see no tool of this name', () => {
  const offers = { ...OFFERS, [formatBackendKey('a')]: { tools: [{ name: 'search', inputSchema: {} }] } };
  expect(judge('hiddenWinner', [gatewayConfig(`{ aggregation: { ${ORDER} } }`), entries('a', 'b')], offers)).toEqual([
    'LNT3003 warning 7:26 by priority "search" belongs to "a", whose tool is withheld (inputSchema must have "type": "object"): clients do not see the tool of "b" either',
  ]);
});
