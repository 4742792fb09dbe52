import { expect, test } from 'vitest';
import { measureCpuMs } from '../../../support/cpu-time.ts';
import { entries, findings, judge } from '../../../support/gateway-rule.ts';
import { gatewayWithPolicies } from '../../../support/policies.ts';

const ALL = 'permit(principal, action, resource);';
const ENG = 'permit(principal in Group::"eng", action, resource);';
const TOOL = 'permit(principal, action == Action::"call_tool", resource == Tool::"a");';
const BOTH = 'permit(principal, action in [Action::"call_tool", Action::"get_prompt"], resource);';
const WHEN = 'permit(principal, action, resource) when { principal has claim_a };';
const FORBID = 'forbid(principal, action, resource == Tool::"a");';

test.each<[string, string[], string[]]>([
  ['different policies', [ENG, TOOL, WHEN, FORBID.replace('"a"', '"b"')], []],
  ['two equal policies', [ENG, `@id("x") ${ENG}`], ['15 permit x says the same as permit policy0']],
  [
    'two policies that differ in spaces',
    [WHEN, WHEN.replace('when {', 'when\n{ // x\n')],
    ['15 permit policy1 says the same as permit policy0'],
  ],
  ['a narrower permit after a wider permit', [ALL, TOOL], ['15 permit policy1 adds nothing to permit policy0']],
  ['a narrower permit before a wider permit', [TOOL, ALL], ['14 permit policy0 adds nothing to permit policy1']],
  ['a permit of one of two actions', [BOTH, TOOL], ['15 permit policy1 adds nothing to permit policy0']],
  [
    'a permit of the same action as a list',
    [BOTH.replace(', Action::"get_prompt"', ''), BOTH],
    ['14 permit policy0 adds nothing to permit policy1'],
  ],
  [
    'a conditional permit next to an unconditional permit',
    [ALL, WHEN],
    ['15 permit policy1 adds nothing to permit policy0'],
  ],
  ['a wider permit with a condition', [WHEN, TOOL], []],
  [
    'a condition that is always true',
    [ALL.replace(';', ' when { true };'), TOOL],
    ['15 permit policy1 adds nothing to permit policy0'],
  ],
  [
    'all principals as clients',
    [ALL.replace('principal', 'principal is Client'), ENG],
    ['15 permit policy1 adds nothing to permit policy0'],
  ],
  [
    'a permit for the resource type',
    [ALL.replace('resource', 'resource is Tool'), TOOL],
    ['15 permit policy1 adds nothing to permit policy0'],
  ],
  ['a permit for another resource type', [ALL.replace('resource', 'resource is Prompt'), TOOL], []],
  ['a group and a possible member', [ENG, 'permit(principal == Client::"ann", action, resource);'], []],
  [
    'a group, and its clients',
    [ENG, ENG.replace('principal in', 'principal is Client in')],
    ['15 permit policy1 adds nothing to permit policy0'],
  ],
  [
    'a permit that a forbid always overrides',
    [TOOL, FORBID],
    ['14 permit policy0 is always overridden by forbid policy1'],
  ],
  ['a permit that a forbid partly overrides', [ALL, FORBID], []],
  [
    'a narrower forbid',
    [FORBID, 'forbid(principal in Group::"eng", action, resource == Tool::"a");'],
    ['15 forbid policy1 adds nothing to forbid policy0'],
  ],
  [
    'a permit and a conditional forbid',
    [TOOL, 'forbid(principal, action, resource) unless { principal has claim_a };'],
    [],
  ],
])('the rule policyOverlap gives the expected findings for: %s', (_, policies, expected) => {
  const found = judge('policyOverlap', [gatewayWithPolicies(policies), entries('git')]);
  expect(found).toEqual(expected.map(one => `LNT5004 warning ${one.replace(' ', ':12 ')}`));
});

test('LNT5004 about a superfluous permit refers to the permit that already permits the same calls', () => {
  const text = gatewayWithPolicies([ALL, TOOL]);
  const [found] = findings('policyOverlap', [text, entries('git')]);
  const [other] = found?.related ?? [];
  expect(other?.message).toBe('permit policy0');
  expect(text.slice(other?.range.start.offset, other?.range.end.offset)).toBe(ALL);
});

test('the rule policyOverlap compares 3,001 policies in under 15 seconds', () => {
  const one = (number: number) =>
    `permit(principal in Group::"g${number % 50}", action == Action::"call_tool", resource == Tool::"t${number}");`;
  const policies = Array.from({ length: 3000 }, (_, number) => one(number));
  let found: unknown;
  const cpuMs = measureCpuMs(() => {
    found = judge('policyOverlap', [gatewayWithPolicies([...policies, one(7)]), entries('git')]);
  });
  expect(found).toEqual([expect.stringContaining('permit policy3000 says the same as permit policy7')]);
  // Comparing all pairs would take tens of seconds.
  expect(cpuMs).toBeLessThan(15_000);
});
