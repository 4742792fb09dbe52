import { expect, test } from 'vitest';
import { entries, findings, judge, keyOf, type Offers, object } from '../../../support/gateway-rule.ts';
import { gatewayWithPolicies } from '../../../support/policies.ts';

const LOCKED = {
  [keyOf('git')]: {
    tools: ['search', 'push'],
    prompts: [{ name: 'review' }],
    resources: [{ uri: 'file:///readme', name: 'readme' }],
    resourceTemplates: [{ uriTemplate: 'file:///docs/{page}.md', name: 'page' }],
  },
};
const permit = (resource: string) => `permit(principal, action, resource == ${resource});`;

test.each<[string, string, string[]]>([
  ['a tool', permit('Tool::"git_search"'), []],
  [
    'a tool without its prefix',
    permit('Tool::"search"'),
    ['LNT5003 error 14:50 policy0: no tool of this gateway is named "search"'],
  ],
  ['a workflow', permit('Tool::"flow"'), []],
  [
    'a tool in a condition',
    'permit(principal, action, resource) when { resource in [Tool::"git_push", Tool::"git_pull"] };',
    ['LNT5003 error 14:88 policy0: no tool of this gateway is named "git_pull"'],
  ],
  [
    'a hidden tool',
    permit('Tool::"hidden_push"'),
    ['LNT5003 error 14:50 policy0: clients do not see the tool "hidden_push"'],
  ],
  [
    'a name in a comment or a string',
    'permit(principal, action, resource) when { "Tool::\\"x\\"" == "" }; // Tool::"y"',
    [],
  ],
  ['a prompt', permit('Prompt::"git_review"'), []],
  [
    'a prompt that there is not',
    permit('Prompt::"review"'),
    ['LNT5003 error 14:50 policy0: no prompt of this gateway is named "review"'],
  ],
  ['a resource', permit('Resource::"file:///readme"'), []],
  ['a resource of a template', permit('Resource::"file:///docs/a.md"'), []],
  ['a template itself', permit('Resource::"file:///docs/{page}.md"'), []],
  [
    'a resource that there is not',
    permit('Resource::"file:///x"'),
    ['LNT5003 error 14:50 policy0: no resource of this gateway is named "file:///x"'],
  ],
  ['the gateway', 'permit(principal, action, resource in MCP::"eng");', []],
  [
    'another gateway',
    'permit(principal, action, resource in MCP::"ops");',
    ['LNT5003 error 14:50 policy0: this gateway is not named "ops"'],
  ],
  ['a group', 'permit(principal in Group::"anything", action, resource);', []],
])('%s', (_, policy, expected) => {
  const config =
    '{ compositeTools: [{ name: flow, description: x, steps: [{ id: a, tool: git_search }] }], aggregation: { tools: [{ workload: hidden, excludeAll: true }] } }';
  const offers = { ...LOCKED, [keyOf('hidden')]: { tools: ['push'] } };
  expect(judge('policyNames', [gatewayWithPolicies([policy], { config }), entries('git', 'hidden')], offers)).toEqual(
    expected,
  );
});

test.each([
  ['the nearest name', 'Tool::"git_serch"', 'did you mean Tool::"git_search"?'],
  [
    'what clients see for the own name of a backend',
    'Tool::"push"',
    'did you mean Tool::"git_push" or Tool::"web_push"?',
  ],
  ['the same of a prompt', 'Prompt::"review"', 'did you mean Prompt::"git_review"?'],
  ['a name of its kind', 'Tool::"x"', 'name it as clients see it, such as Tool::"git_push"'],
  ['one of a prompt', 'Prompt::"x"', 'name it as clients see it, such as Prompt::"git_review"'],
  [
    'one of a resource',
    'Resource::"other://x"',
    'resources go by their URIs, such as Resource::"file:///docs/{page}.md"',
  ],
])('%s is offered', (_, name, fix) => {
  const offers = { ...LOCKED, [keyOf('web')]: { tools: ['push'] } };
  const [found] = findings('policyNames', [gatewayWithPolicies([permit(name)]), entries('git', 'web')], offers);
  expect(found?.fix).toBe(fix);
});

test.each<[string, string, string, Offers, string[]]>([
  ['nothing is known', 'git_x', '', {}, []],
  ['nothing is known, but no backend has the prefix', 'gti_x', '', {}, ['error']],
  ['the other backend is known', 'git_x', '', { [keyOf('web')]: {} }, ['hint']],
  ['its own backend is known', 'web_x', '', { [keyOf('web')]: {} }, ['error']],
  [
    'names have no prefix',
    'x',
    'conflictResolution: priority, conflictResolutionConfig: { priorityOrder: [git, web] }',
    { [keyOf('web')]: {} },
    ['hint'],
  ],
])('%s', (_, name, aggregation, offers, expected) => {
  const gateway = gatewayWithPolicies([permit(`Tool::"${name}"`)], { config: `{ aggregation: { ${aggregation} } }` });
  const found = findings('policyNames', [gateway, entries('git', 'web')], offers);
  expect(found.map(({ severity }) => severity)).toEqual(expected);
});

test('of a backend without a lock nothing is claimed', () => {
  const [found] = findings('policyNames', [gatewayWithPolicies([permit('Prompt::"git_ask"')]), entries('git', 'web')], {
    [keyOf('web')]: {},
  });
  expect(found).toMatchObject({
    severity: 'hint',
    message: 'policy0: whether there is a prompt "git_ask" is not known, for backend "git" is not in the tool lock',
    fix: 'run "lintel lock"',
  });
});

test('without backends nothing is certain but the name of the gateway', () => {
  const names = ['Tool::"x"', 'Prompt::"x"', 'Resource::"file:///x"', 'MCP::"ops"'];
  const gateway = gatewayWithPolicies(names.map(permit));
  expect(judge('policyNames', [gateway, entries()])).toEqual([
    'LNT5003 error 17:50 policy3: this gateway is not named "ops"',
  ]);
});

test('gateways that share policies need not have all tools of each other', () => {
  const shared = object('MCPAuthzConfig', `{ type: cedarv1, config: { policies: ['${permit('Tool::"x"')}'] } }`, 'p');
  const gateway = (name: string) =>
    object(
      'VirtualMCPServer',
      '{ groupRef: { name: tools }, incomingAuth: { type: oidc, oidcConfigRef: { name: c, audience: a }, authzConfigRef: { name: p } } }',
      name,
    );
  expect(judge('policyNames', [shared, entries('git'), gateway('eng'), gateway('ops')], LOCKED)).toEqual([
    'LNT5003 hint 4:84 policy0: no tool of this gateway is named "x" (gateway "eng")',
    'LNT5003 hint 4:84 policy0: no tool of this gateway is named "x" (gateway "ops")',
  ]);
});
