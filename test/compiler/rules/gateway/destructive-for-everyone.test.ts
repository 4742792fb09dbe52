import { expect, test } from 'vitest';
import { entries, formatBackendKey, judge } from '../../../support/gateway-rule.ts';
import { gatewayWithPolicies } from '../../../support/policies.ts';

const ALL = 'permit(principal, action, resource);';
const tool = (name: string, annotations?: object) => ({ name, ...(annotations && { annotations }) });
const DROP = tool('drop', { destructiveHint: true });
const EVERYONE = 'policy0 permits every authenticated caller to call tools that may destroy data';

test.each<[string, object[], string[], string[]]>([
  ['a destructive tool', [DROP], [ALL], [`LNT5007 warning 14:12 ${EVERYONE}: "git_drop"`]],
  [
    'many destructive tools',
    ['a', 'b', 'c', 'd', 'e'].map(name => tool(name, { destructiveHint: true })),
    [ALL],
    [`LNT5007 warning 14:12 ${EVERYONE}: "git_a", "git_b", "git_c" and 2 more`],
  ],
  [
    'a tool without annotations',
    [tool('x')],
    [ALL],
    [`LNT5007 hint 14:12 ${EVERYONE}, because they do not set destructiveHint to false: "git_x"`],
  ],
  ['a read-only tool', [tool('x', { readOnlyHint: true })], [ALL], []],
  ['a tool that only adds', [tool('x', { destructiveHint: false })], [ALL], []],
  ['a permit for a group', [DROP], ['permit(principal in Group::"ops", action, resource);'], []],
  [
    'a permit for everyone with a forbid for some',
    [DROP],
    [ALL, 'forbid(principal in Group::"guests", action, resource);'],
    [],
  ],
  [
    'a forbid of destructive tools for everyone',
    [DROP],
    [ALL, 'forbid(principal, action, resource) when { resource has destructiveHint && resource.destructiveHint };'],
    [],
  ],
  [
    'a permit by the name of the tool',
    [DROP],
    ['permit(principal, action, resource == Tool::"git_drop");'],
    [`LNT5007 warning 14:12 ${EVERYONE}: "git_drop"`],
  ],
  [
    'a permit unless the tool is read-only',
    [DROP],
    ['permit(principal, action, resource) unless { resource has readOnlyHint && resource.readOnlyHint };'],
    [`LNT5007 warning 14:12 ${EVERYONE}: "git_drop"`],
  ],
])('the rule destructiveForEveryone gives the expected findings for: %s', (_, tools, policies, expected) => {
  const offers = { [formatBackendKey('git')]: { tools: tools as never } };
  expect(judge('destructiveForEveryone', [gatewayWithPolicies(policies), entries('git')], offers)).toEqual(expected);
});

test('LNT5007 names the policy that permits a destructive tool to everyone', () => {
  const policies = ['permit(principal in Group::"ops", action, resource);', ALL];
  const found = judge('destructiveForEveryone', [gatewayWithPolicies(policies), entries('git')], {
    [formatBackendKey('git')]: { tools: [DROP] },
  });
  expect(found).toEqual([`LNT5007 warning 15:12 ${EVERYONE.replace('policy0', 'policy1')}: "git_drop"`]);
});

test('a destructive workflow that a policy permits to everyone gives LNT5007', () => {
  const config =
    '{ compositeTools: [{ name: flow, description: x, annotations: { destructiveHint: true }, steps: [{ id: a, tool: git_x }] }] }';
  expect(
    judge('destructiveForEveryone', [gatewayWithPolicies([ALL], { config }), entries('git')], {
      [formatBackendKey('git')]: {},
    }),
  ).toEqual([`LNT5007 warning 14:12 ${EVERYONE}: "flow"`]);
});

test('the rule destructiveForEveryone gives no finding about a permit for everyone in a gateway with anonymous callers', () => {
  const gateway = gatewayWithPolicies([ALL], { auth: 'type: anonymous' });
  expect(
    judge('destructiveForEveryone', [gateway, entries('git')], { [formatBackendKey('git')]: { tools: [DROP] } }),
  ).toEqual([]);
});
