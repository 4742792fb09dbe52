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
    'a name of several',
    PRIORITY,
    NAMED,
    [
      'LNT5005 warning 14:50 policy0 permits "search" of backend "b", which outranks "a", "c": the permit applies to the tool of the backend that ranks first',
    ],
  ],
  ['a name of one', PRIORITY, NAMED.replace('search', 'only'), []],
  ['names with prefixes', '', NAMED, []],
  ['no name', PRIORITY, 'permit(principal, action, resource);', []],
  ['a forbid', PRIORITY, NAMED.replace('permit', 'forbid'), []],
  [
    'in a condition',
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
