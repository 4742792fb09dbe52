import { expect, test } from 'vitest';
import { entries, formatBackendKey, judge, type Offers } from '../../../support/gateway-rule.ts';
import { gatewayWithPolicies } from '../../../support/policies.ts';

const DENY = { aggregation: { defaultToolVisibility: 'deny' } };
const READS = 'permit(principal in Group::"eng", action, resource) when { resource has readOnlyHint };';
const CALLS = 'permit(principal, action in [Action::"call_tool"], resource);';
const READING = 'permit(principal, action == Action::"read_resource", resource);';
const FOUND = [expect.stringMatching(/^LNT5016 warning .* policy0 permits calls of tools, and .* offers no tool$/)];
const WORKFLOW = { name: 'clean', description: 'Cleans', steps: [{ id: 'a', tool: 'git.push' }] };
const LOCKED = { [formatBackendKey('git')]: { tools: ['push'] } };

test.each<[what: string, policies: readonly string[], config: object, offers: Offers, found: readonly unknown[]]>([
  ['nothing is shown of a backend', [READS], DENY, LOCKED, FOUND],
  ['nor of one that is not locked', [CALLS], DENY, {}, FOUND],
  ['all tools are left out', [CALLS], { aggregation: { excludeAllTools: true } }, LOCKED, FOUND],
  [
    'a name that the backend does not have',
    [CALLS],
    { aggregation: { tools: [{ workload: 'git', filter: ['pull'] }] } },
    LOCKED,
    FOUND,
  ],
  ['a name that it may have', [CALLS], { aggregation: { tools: [{ workload: 'git', filter: ['pull'] }] } }, {}, []],
  ['a tool', [CALLS], {}, LOCKED, []],
  ['a workflow', [CALLS], { ...DENY, compositeTools: [WORKFLOW] }, LOCKED, []],
  [
    'a prompt is what everything may mean',
    [READS],
    DENY,
    { [formatBackendKey('git')]: { tools: ['push'], prompts: ['ask'] } },
    [],
  ],
  ['resources alone are permitted', [READING], DENY, LOCKED, []],
  ['nothing is permitted', ['forbid(principal, action, resource);'], DENY, LOCKED, []],
])('the rule nothingOffered gives the expected findings for: %s', (_, policies, config, offers, found) => {
  expect(
    judge(
      'nothingOffered',
      [entries('git'), gatewayWithPolicies(policies, { config: JSON.stringify(config) })],
      offers,
    ),
  ).toEqual(found);
});
