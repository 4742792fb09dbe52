import { expect, test } from 'vitest';
import { loadAuthorization } from '../../../compiler/analysis/cedar/access.ts';
import { entries, formatBackendKey, models } from '../../support/gateway-rule.ts';
import { gatewayWithPolicies } from '../../support/policies.ts';

const READER =
  'permit(principal in Group::"eng", action, resource) when { resource has readOnlyHint && resource.readOnlyHint };';
const OWNER = 'permit(principal == Client::"ann", action, resource);';
const DRAFTS =
  'forbid(principal in Group::"ops", action, resource == Tool::"other") when { context has arg_title && context.arg_title like "x*" };';

function access(policies: readonly string[], annotations: object) {
  const definition = { name: 'push', annotations };
  const [gateway] = models([entries('git'), gatewayWithPolicies(policies)], {
    [formatBackendKey('git')]: { tools: [definition] },
  });
  return gateway && loadAuthorization(gateway)?.getAccess('call_tool', { name: 'push', definition });
}

test('a policy condition that a known annotation makes false permits no caller', () => {
  expect(access([READER], { readOnlyHint: false })).toEqual({ type: 'nobody' });
  expect(access([READER, OWNER], { readOnlyHint: false })).toMatchObject({
    type: 'some',
    permits: [{ text: 'principal == Client::"ann"' }],
    forbids: [],
  });
  expect(access([READER], { readOnlyHint: true })).toMatchObject({ permits: [{ text: 'principal in Group::"eng"' }] });
});

test("the compiler's analysis of a tool leaves out a forbid about a different tool, although the condition of the forbid could fail", () => {
  expect(access([OWNER, DRAFTS], {})).toMatchObject({ type: 'some', forbids: [] });
});
