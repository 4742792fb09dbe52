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
  ['a locked backend without offered tools', [READS], DENY, LOCKED, FOUND],
  ['an unlocked backend without offered tools', [CALLS], DENY, {}, FOUND],
  ['excludeAllTools', [CALLS], { aggregation: { excludeAllTools: true } }, LOCKED, FOUND],
  [
    'a filter of a name that the locked backend does not have',
    [CALLS],
    { aggregation: { tools: [{ workload: 'git', filter: ['pull'] }] } },
    LOCKED,
    FOUND,
  ],
  [
    'a filter of a name that the unlocked backend may have',
    [CALLS],
    { aggregation: { tools: [{ workload: 'git', filter: ['pull'] }] } },
    {},
    [],
  ],
  ['an offered tool', [CALLS], {}, LOCKED, []],
  ['a workflow', [CALLS], { ...DENY, compositeTools: [WORKFLOW] }, LOCKED, []],
  [
    'a prompt, which the policy permits as well',
    [READS],
    DENY,
    { [formatBackendKey('git')]: { tools: ['push'], prompts: ['ask'] } },
    [],
  ],
  ['a policy that permits resources only', [READING], DENY, LOCKED, []],
  ['a policy that permits nothing', ['forbid(principal, action, resource);'], DENY, LOCKED, []],
])('the rule nothingOffered gives the expected findings for: %s', (_, policies, config, offers, found) => {
  expect(
    judge(
      'nothingOffered',
      [entries('git'), gatewayWithPolicies(policies, { config: JSON.stringify(config) })],
      offers,
    ),
  ).toEqual(found);
});
