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
  ['different ones', [ENG, TOOL, WHEN, FORBID.replace('"a"', '"b"')], []],
  ['the same twice', [ENG, `@id("x") ${ENG}`], ['15 permit x says the same as permit policy0']],
  [
    'the same in other words',
    [WHEN, WHEN.replace('when {', 'when\n{ // x\n')],
    ['15 permit policy1 says the same as permit policy0'],
  ],
  ['part of a wider one', [ALL, TOOL], ['15 permit policy1 adds nothing to permit policy0']],
  ['a wider one behind it', [TOOL, ALL], ['14 permit policy0 adds nothing to permit policy1']],
  ['one action of several', [BOTH, TOOL], ['15 permit policy1 adds nothing to permit policy0']],
  [
    'several actions of one',
    [BOTH.replace(', Action::"get_prompt"', ''), BOTH],
    ['14 permit policy0 adds nothing to permit policy1'],
  ],
  ['a condition in a wider one', [ALL, WHEN], ['15 permit policy1 adds nothing to permit policy0']],
  ['a wider one that has a condition', [WHEN, TOOL], []],
  [
    'a condition that is always true',
    [ALL.replace(';', ' when { true };'), TOOL],
    ['15 permit policy1 adds nothing to permit policy0'],
  ],
  [
    'callers, who are all clients',
    [ALL.replace('principal', 'principal is Client'), ENG],
    ['15 permit policy1 adds nothing to permit policy0'],
  ],
  [
    'a type and one of it',
    [ALL.replace('resource', 'resource is Tool'), TOOL],
    ['15 permit policy1 adds nothing to permit policy0'],
  ],
  ['a type and one of another', [ALL.replace('resource', 'resource is Prompt'), TOOL], []],
  ['a group and who may be in it', [ENG, 'permit(principal == Client::"ann", action, resource);'], []],
  [
    'a group and those of it of a type',
    [ENG, ENG.replace('principal in', 'principal is Client in')],
    ['15 permit policy1 adds nothing to permit policy0'],
  ],
  ['a permit that a forbid overrides', [TOOL, FORBID], ['14 permit policy0 is always overridden by forbid policy1']],
  ['a permit of which a forbid leaves some', [ALL, FORBID], []],
  [
    'a forbid within a forbid',
    [FORBID, 'forbid(principal in Group::"eng", action, resource == Tool::"a");'],
    ['15 forbid policy1 adds nothing to forbid policy0'],
  ],
  [
    'a permit next to a forbid with a condition',
    [TOOL, 'forbid(principal, action, resource) unless { principal has claim_a };'],
    [],
  ],
])('the rule policyOverlap gives the expected findings for: %s', (_, policies, expected) => {
  const found = judge('policyOverlap', [gatewayWithPolicies(policies), entries('git')]);
  expect(found).toEqual(expected.map(one => `LNT5004 warning ${one.replace(' ', ':12 ')}`));
});

test('shows the other one', () => {
  const text = gatewayWithPolicies([ALL, TOOL]);
  const [found] = findings('policyOverlap', [text, entries('git')]);
  const [other] = found?.related ?? [];
  expect(other?.message).toBe('permit policy0');
  expect(text.slice(other?.range.start.offset, other?.range.end.offset)).toBe(ALL);
});

test('thousands of policies are not compared one with another', () => {
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
