import { expect, test } from 'vitest';
import { entries, findings, formatBackendKey, judge, type Offers, object } from '../../../support/gateway-rule.ts';
import { gatewayWithPolicies } from '../../../support/policies.ts';

const LOCKED = {
  [formatBackendKey('git')]: {
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
])('the rule policyNames gives the expected findings for: %s', (_, policy, expected) => {
  const config =
    '{ compositeTools: [{ name: flow, description: x, steps: [{ id: a, tool: git_search }] }], aggregation: { tools: [{ workload: hidden, excludeAll: true }] } }';
  const offers = { ...LOCKED, [formatBackendKey('hidden')]: { tools: ['push'] } };
  expect(judge('policyNames', [gatewayWithPolicies([policy], { config }), entries('git', 'hidden')], offers)).toEqual(
    expected,
  );
});

const call = 'permit(principal, action == Action::"call_tool", resource)';

test.each<[string, string, string[]]>([
  ['a name that a tool has', `${call} when { resource.name == "git_search" };`, []],
  [
    'a name that none has',
    `${call} when { resource.name == "git_serch" };`,
    ['LNT5003 error 14:97 policy0: no tool of this gateway is named "git_serch"'],
  ],
  [
    'the same on the left',
    `${call} when { "git_serch" == resource.name };`,
    ['LNT5003 error 14:80 policy0: no tool of this gateway is named "git_serch"'],
  ],
  [
    'one of a list',
    `${call} when { ["git_search", "git_pull", "git_push"].contains(resource.name) };`,
    ['LNT5003 error 14:97 policy0: no tool of this gateway is named "git_pull"'],
  ],
  [
    'what a forbid is not about',
    `forbid(principal, action == Action::"call_tool", resource) unless { resource.name != "git_pull" };`,
    ['LNT5003 error 14:99 policy0: no tool of this gateway is named "git_pull"'],
  ],
  ['the same text elsewhere', `${call} when { context has arg_a && context.arg_a == "git_pull" };`, []],
  [
    'the same text in both places',
    `${call} when { context has arg_a && context.arg_a == "git_pull" && resource.name == "git_pull" };`,
    ['LNT5003 error 14:151 policy0: no tool of this gateway is named "git_pull"'],
  ],
  ['a pattern', `${call} when { resource.name like "gti_*" };`, []],
  [
    'a name of what may be a tool or a prompt',
    'permit(principal, action, resource) when { resource has name && resource.name == "git_review" };',
    [],
  ],
  [
    'a name that neither has',
    'permit(principal, action, resource) when { resource has name && resource.name == "git_x" };',
    ['LNT5003 error 14:93 policy0: no tool or prompt of this gateway is named "git_x"'],
  ],
  [
    'a prompt as a tool',
    `${call} when { resource.name == "git_review" };`,
    ['LNT5003 error 14:97 policy0: no tool of this gateway is named "git_review"'],
  ],
  [
    'the type of the scope',
    'permit(principal, action, resource is Prompt) when { resource.name == "git_search" };',
    ['LNT5003 error 14:82 policy0: no prompt of this gateway is named "git_search"'],
  ],
  [
    'a hidden tool',
    `${call} when { resource.name == "hidden_push" };`,
    ['LNT5003 error 14:97 policy0: clients do not see the tool "hidden_push"'],
  ],
  [
    'a URI of a template',
    'permit(principal, action == Action::"read_resource", resource) when { resource.uri == "file:///docs/a.md" };',
    [],
  ],
  [
    'a URI of none',
    'permit(principal, action == Action::"read_resource", resource) when { resource.uri == "file:///x" };',
    ['LNT5003 error 14:100 policy0: no resource of this gateway is named "file:///x"'],
  ],
  ['no name at all', `${call} when { resource.name != "" };`, []],
])('%s as a text', (_, policy, expected) => {
  const config = '{ aggregation: { tools: [{ workload: hidden, excludeAll: true }] } }';
  const offers = { ...LOCKED, [formatBackendKey('hidden')]: { tools: ['push'] } };
  expect(judge('policyNames', [gatewayWithPolicies([policy], { config }), entries('git', 'hidden')], offers)).toEqual(
    expected,
  );
});

test('of names as texts nothing is claimed without a lock, and of a backend without one a hint', () => {
  const policy = `${call} when { ["git_x", "gti_x"].contains(resource.name) };`;
  const judged = (offers: Offers) =>
    findings('policyNames', [gatewayWithPolicies([policy]), entries('git', 'web')], offers).map(
      ({ severity, message }) => `${severity} ${message}`,
    );
  expect(judged({})).toEqual(['error policy0: no tool of this gateway is named "gti_x"']);
  expect(judged({ [formatBackendKey('web')]: {} })).toEqual([
    'hint policy0: whether there is a tool "git_x" is not known, because backend "git" is not in the tool lock',
    'error policy0: no tool of this gateway is named "gti_x"',
  ]);
});

test.each([
  ['resource.name == "git_serch"', 'did you mean "git_search"?'],
  ['resource.name == "push"', 'did you mean "git_push" or "web_push"?'],
  ['resource.name == "x"', 'write the name that clients see: "lintel exposure" lists the names'],
])('the remedy for %s', (condition, fix) => {
  const offers = { ...LOCKED, [formatBackendKey('web')]: { tools: ['push'] } };
  const policy = gatewayWithPolicies([`${call} when { ${condition} };`]);
  const [found] = findings('policyNames', [policy, entries('git', 'web')], offers);
  expect(found?.fix).toBe(fix);
});

test.each([
  ['a name with one slip', 'Tool::"git_serch"', 'did you mean Tool::"git_search"?'],
  [
    'what clients see for the own name of a backend',
    'Tool::"push"',
    'did you mean Tool::"git_push" or Tool::"web_push"?',
  ],
  ['the same of a prompt', 'Prompt::"review"', 'did you mean Prompt::"git_review"?'],
  ['no other tool', 'Tool::"x"', 'write the name that clients see: "lintel exposure" lists the names'],
  ['no other prompt', 'Prompt::"x"', 'write the name that clients see: "lintel exposure" lists the names'],
  ['no other URI', 'Resource::"other://x"', 'write the URI of the resource: "lintel exposure" lists the URIs'],
])('%s is offered', (_, name, fix) => {
  const offers = { ...LOCKED, [formatBackendKey('web')]: { tools: ['push'] } };
  const [found] = findings('policyNames', [gatewayWithPolicies([permit(name)]), entries('git', 'web')], offers);
  expect(found?.fix).toBe(fix);
});

test.each<[string, string, string, Offers, string[]]>([
  ['nothing is known', 'git_x', '', {}, []],
  ['nothing is known, but no backend has the prefix', 'gti_x', '', {}, ['error']],
  ['the other backend is known', 'git_x', '', { [formatBackendKey('web')]: {} }, ['hint']],
  ['its own backend is known', 'web_x', '', { [formatBackendKey('web')]: {} }, ['error']],
  [
    'names have no prefix',
    'x',
    'conflictResolution: priority, conflictResolutionConfig: { priorityOrder: [git, web] }',
    { [formatBackendKey('web')]: {} },
    ['hint'],
  ],
])('the rule policyNames gives the expected findings for: %s', (_, name, aggregation, offers, expected) => {
  const gateway = gatewayWithPolicies([permit(`Tool::"${name}"`)], { config: `{ aggregation: { ${aggregation} } }` });
  const found = findings('policyNames', [gateway, entries('git', 'web')], offers);
  expect(found.map(({ severity }) => severity)).toEqual(expected);
});

test('of a backend without a lock nothing is claimed', () => {
  const [found] = findings('policyNames', [gatewayWithPolicies([permit('Prompt::"git_ask"')]), entries('git', 'web')], {
    [formatBackendKey('web')]: {},
  });
  expect(found).toMatchObject({
    severity: 'hint',
    message: 'policy0: whether there is a prompt "git_ask" is not known, because backend "git" is not in the tool lock',
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

const NAMED = 'write the name that clients see: "lintel exposure" lists the names';

test.each<[what: string, aggregation: string, name: string, fix: string]>([
  [
    'a prefix that is gone',
    'conflictResolution: priority, conflictResolutionConfig: { priorityOrder: [web, git] }',
    'git_push',
    'did you mean Tool::"push"?',
  ],
  [
    'a prefix that is gone, with the tool',
    'conflictResolution: priority, conflictResolutionConfig: { priorityOrder: [web, git] }',
    'git_search',
    NAMED,
  ],
  [
    'another prefix',
    'conflictResolutionConfig: { prefixFormat: "{workload}." }',
    'git_push',
    'did you mean Tool::"git.push"?',
  ],
  [
    'a new name',
    'tools: [{ workload: git, overrides: { push: { name: send } } }]',
    'git_push',
    'did you mean Tool::"git_send"?',
  ],
  [
    'a new name, by the old one',
    'tools: [{ workload: git, overrides: { push: { name: send } } }]',
    'push',
    'did you mean Tool::"git_send"?',
  ],
  ['two tools of one name, one hidden', 'tools: [{ workload: git, filter: [push] }]', 'search', NAMED],
  ['a slip in a hidden name', 'tools: [{ workload: git, filter: [push] }]', 'git_serch', NAMED],
  ['other case and separators', '', 'gitPush', 'did you mean Tool::"git_push"?'],
  ['a short word with another letter', '', 'git_pull', NAMED],
  ['the plural', '', 'git_searches', NAMED],
  ['another number', '', 'web_read_v2', NAMED],
  ['another verb', '', 'web_set', NAMED],
])('of a tool with %s another one is never proposed', (_, aggregation, name, fix) => {
  const offers = {
    [formatBackendKey('git')]: { tools: ['search', 'push'] },
    [formatBackendKey('web')]: { tools: ['search', 'read_v1', 'get'] },
  };
  const gateway = gatewayWithPolicies([permit(`Tool::"${name}"`)], { config: `{ aggregation: { ${aggregation} } }` });
  expect(findings('policyNames', [gateway, entries('git', 'web')], offers).map(one => one.fix)).toEqual([fix]);
});

const forbid = (condition: string) =>
  `forbid(principal, action == Action::"call_tool", resource) when { ${condition} };`;
const ERROR = ['error policy0: clients do not see the tool "hidden_push"'];
const CALLED = [
  'hint policy0: clients do not see the tool "hidden_pull", and the workflow "flow" calls it, whatever this policy says',
];

test.each<[what: string, policy: string, expected: readonly string[]]>([
  ['a forbid', forbid('resource == Tool::"hidden_push"'), []],
  ['the scope of a forbid', 'forbid(principal, action, resource == Tool::"hidden_push");', []],
  ['a forbid, as a text', forbid('["hidden_push", "git_push"].contains(resource.name)'), []],
  ['the unless of a permit', `${call} unless { resource.name == "hidden_push" };`, []],
  ['a permit for all others', `${call} when { resource.name != "hidden_push" };`, []],
  [
    'what a forbid leaves out',
    `forbid(principal, action == Action::"call_tool", resource) unless { resource.name == "hidden_push" };`,
    ERROR,
  ],
  ['a permit', `${call} when { resource == Tool::"hidden_push" };`, ERROR],
  ['a condition that may do both', `${call} when { if resource.name == "hidden_push" then false else true };`, ERROR],
  ['a forbid, where a workflow calls it', forbid('resource.name == "hidden_pull"'), CALLED],
  [
    'a forbid of what there is not',
    forbid('resource.name == "hidden_x"'),
    ['error policy0: no tool of this gateway is named "hidden_x"'],
  ],
])('a hidden tool in %s', (_, policy, expected) => {
  const config =
    '{ compositeTools: [{ name: flow, description: x, steps: [{ id: a, tool: hidden_pull }] }], aggregation: { tools: [{ workload: hidden, excludeAll: true }] } }';
  const offers = { ...LOCKED, [formatBackendKey('hidden')]: { tools: ['push', 'pull'] } };
  const found = findings('policyNames', [gatewayWithPolicies([policy], { config }), entries('git', 'hidden')], offers);
  expect(found.map(({ severity, message }) => `${severity} ${message}`)).toEqual(expected);
});
