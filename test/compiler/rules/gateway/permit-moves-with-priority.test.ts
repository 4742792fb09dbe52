import { expect, test } from 'vitest';
import { entries, formatBackendKey, judge } from '../../../support/gateway-rule.ts';
import { gatewayWithPolicies } from '../../../support/policies.ts';

const OFFERS = {
  [formatBackendKey('a')]: { tools: ['search', 'only'] },
  [formatBackendKey('b')]: { tools: ['search'] },
  [formatBackendKey('c')]: { tools: ['search'] },
};
const PRIORITY =
  '{ aggregation: { conflictResolution: priority, conflictResolutionConfig: { priorityOrder: [b, a, c] } } }';
const NAMED = 'permit(principal, action, resource == Tool::"search");';

test.each<[string, string, string, string[]]>([
  [
    'a permit of a tool name that several backends have',
    PRIORITY,
    NAMED,
    [
      'LNT5005 warning 14:50 policy0 permits "search" of backend "b", which outranks "a", "c": the permit applies to the tool of the backend that ranks first',
    ],
  ],
  ['a permit of a tool name that one backend has', PRIORITY, NAMED.replace('search', 'only'), []],
  ['names with prefixes', '', NAMED, []],
  ['a permit of all tools', PRIORITY, 'permit(principal, action, resource);', []],
  ['a forbid of a tool name', PRIORITY, NAMED.replace('permit', 'forbid'), []],
  [
    'a permit of a tool name in a condition',
    PRIORITY,
    'permit(principal, action, resource) when { resource == Tool::"search" };',
    [
      'LNT5005 warning 14:67 policy0 permits "search" of backend "b", which outranks "a", "c": the permit applies to the tool of the backend that ranks first',
    ],
  ],
])('the rule permitMovesWithPriority gives the expected findings for: %s', (_, config, policy, expected) => {
  expect(
    judge('permitMovesWithPriority', [gatewayWithPolicies([policy], { config }), entries('a', 'b', 'c')], OFFERS),
  ).toEqual(expected);
});
