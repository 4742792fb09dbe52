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
    'a tool without the prefix of its backend',
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
    'a tool name in a comment or a string',
    'permit(principal, action, resource) when { "Tool::\\"x\\"" == "" }; // Tool::"y"',
    [],
  ],
  ['a prompt', permit('Prompt::"git_review"'), []],
  [
    'an unknown prompt',
    permit('Prompt::"review"'),
    ['LNT5003 error 14:50 policy0: no prompt of this gateway is named "review"'],
  ],
  ['a resource', permit('Resource::"file:///readme"'), []],
  ['a resource that matches a template', permit('Resource::"file:///docs/a.md"'), []],
  ['a resource template', permit('Resource::"file:///docs/{page}.md"'), []],
  [
    'an unknown resource',
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
])('the rule policyNamesUnknownTool gives the expected findings for a policy about %s', (_, policy, expected) => {
  const config =
    '{ compositeTools: [{ name: flow, description: x, steps: [{ id: a, tool: git_search }] }], aggregation: { tools: [{ workload: hidden, excludeAll: true }] } }';
  const offers = { ...LOCKED, [formatBackendKey('hidden')]: { tools: ['push'] } };
  expect(
    judge('policyNamesUnknownTool', [gatewayWithPolicies([policy], { config }), entries('git', 'hidden')], offers),
  ).toEqual(expected);
});

const call = 'permit(principal, action == Action::"call_tool", resource)';

test.each<[string, string, string[]]>([
  ['an existing tool', `${call} when { resource.name == "git_search" };`, []],
  [
    'an unknown tool',
    `${call} when { resource.name == "git_serch" };`,
    ['LNT5003 error 14:97 policy0: no tool of this gateway is named "git_serch"'],
  ],
  [
    'an unknown tool on the left side',
    `${call} when { "git_serch" == resource.name };`,
    ['LNT5003 error 14:80 policy0: no tool of this gateway is named "git_serch"'],
  ],
  [
    'an unknown tool in a list',
    `${call} when { ["git_search", "git_pull", "git_push"].contains(resource.name) };`,
    ['LNT5003 error 14:97 policy0: no tool of this gateway is named "git_pull"'],
  ],
  [
    'an unknown tool that a forbid excepts',
    `forbid(principal, action == Action::"call_tool", resource) unless { resource.name != "git_pull" };`,
    ['LNT5003 error 14:99 policy0: no tool of this gateway is named "git_pull"'],
  ],
  ['a tool name as the value of an argument', `${call} when { context has arg_a && context.arg_a == "git_pull" };`, []],
  [
    'a tool name as the value of an argument and as a name',
    `${call} when { context has arg_a && context.arg_a == "git_pull" && resource.name == "git_pull" };`,
    ['LNT5003 error 14:151 policy0: no tool of this gateway is named "git_pull"'],
  ],
  ['a pattern of names', `${call} when { resource.name like "gti_*" };`, []],
  [
    'a tool or prompt that exists',
    'permit(principal, action, resource) when { resource has name && resource.name == "git_review" };',
    [],
  ],
  [
    'a tool or prompt that does not exist',
    'permit(principal, action, resource) when { resource has name && resource.name == "git_x" };',
    ['LNT5003 error 14:93 policy0: no tool or prompt of this gateway is named "git_x"'],
  ],
  [
    'a prompt where only tools are possible',
    `${call} when { resource.name == "git_review" };`,
    ['LNT5003 error 14:97 policy0: no tool of this gateway is named "git_review"'],
  ],
  [
    'a tool where only prompts are possible',
    'permit(principal, action, resource is Prompt) when { resource.name == "git_search" };',
    ['LNT5003 error 14:82 policy0: no prompt of this gateway is named "git_search"'],
  ],
  [
    'a hidden tool',
    `${call} when { resource.name == "hidden_push" };`,
    ['LNT5003 error 14:97 policy0: clients do not see the tool "hidden_push"'],
  ],
  [
    'a URI that matches a template',
    'permit(principal, action == Action::"read_resource", resource) when { resource.uri == "file:///docs/a.md" };',
    [],
  ],
  [
    'an unknown URI',
    'permit(principal, action == Action::"read_resource", resource) when { resource.uri == "file:///x" };',
    ['LNT5003 error 14:100 policy0: no resource of this gateway is named "file:///x"'],
  ],
  ['an empty name', `${call} when { resource.name != "" };`, []],
])(
  'the rule policyNamesUnknownTool gives the expected findings for a policy that compares resource.name or uri with %s',
  (_, policy, expected) => {
    const config = '{ aggregation: { tools: [{ workload: hidden, excludeAll: true }] } }';
    const offers = { ...LOCKED, [formatBackendKey('hidden')]: { tools: ['push'] } };
    expect(
      judge('policyNamesUnknownTool', [gatewayWithPolicies([policy], { config }), entries('git', 'hidden')], offers),
    ).toEqual(expected);
  },
);

test('the rule policyNamesUnknownTool accepts a tool name in a string without a tool lock, and gives a hint if the tool lock lacks its backend', () => {
  const policy = `${call} when { ["git_x", "gti_x"].contains(resource.name) };`;
  const judged = (offers: Offers) =>
    findings('policyNamesUnknownTool', [gatewayWithPolicies([policy]), entries('git', 'web')], offers).map(
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
])('for the unknown tool name in the condition %s, LNT5003 has the fix: %s', (condition, fix) => {
  const offers = { ...LOCKED, [formatBackendKey('web')]: { tools: ['push'] } };
  const policy = gatewayWithPolicies([`${call} when { ${condition} };`]);
  const [found] = findings('policyNamesUnknownTool', [policy, entries('git', 'web')], offers);
  expect(found?.fix).toBe(fix);
});

test.each([
  ['a name with one wrong letter', 'Tool::"git_serch"', 'did you mean Tool::"git_search"?'],
  [
    "the backend's name of a tool that two backends have",
    'Tool::"push"',
    'did you mean Tool::"git_push" or Tool::"web_push"?',
  ],
  ["the backend's name of a prompt", 'Prompt::"review"', 'did you mean Prompt::"git_review"?'],
  ['a tool name like no other', 'Tool::"x"', 'write the name that clients see: "lintel exposure" lists the names'],
  ['a prompt name like no other', 'Prompt::"x"', 'write the name that clients see: "lintel exposure" lists the names'],
  ['a URI like no other', 'Resource::"other://x"', 'write the URI of the resource: "lintel exposure" lists the URIs'],
])('LNT5003 suggests a name for %s', (_, name, fix) => {
  const offers = { ...LOCKED, [formatBackendKey('web')]: { tools: ['push'] } };
  const [found] = findings(
    'policyNamesUnknownTool',
    [gatewayWithPolicies([permit(name)]), entries('git', 'web')],
    offers,
  );
  expect(found?.fix).toBe(fix);
});

test.each<[string, string, string, Offers, string[]]>([
  ['no backend is locked', 'git_x', '', {}, []],
  ['no backend is locked, and none has the prefix', 'gti_x', '', {}, ['error']],
  ['another backend is locked', 'git_x', '', { [formatBackendKey('web')]: {} }, ['hint']],
  ['the backend of the prefix is locked', 'web_x', '', { [formatBackendKey('web')]: {} }, ['error']],
  [
    'one backend is locked, and names have no prefixes',
    'x',
    'conflictResolution: priority, conflictResolutionConfig: { priorityOrder: [git, web] }',
    { [formatBackendKey('web')]: {} },
    ['hint'],
  ],
])(
  'the rule policyNamesUnknownTool gives a finding of the expected severity about an unknown tool if %s',
  (_, name, aggregation, offers, expected) => {
    const gateway = gatewayWithPolicies([permit(`Tool::"${name}"`)], { config: `{ aggregation: { ${aggregation} } }` });
    const found = findings('policyNamesUnknownTool', [gateway, entries('git', 'web')], offers);
    expect(found.map(({ severity }) => severity)).toEqual(expected);
  },
);

test('the rule policyNamesUnknownTool gives a hint about a prompt of a backend without a tool lock', () => {
  const [found] = findings(
    'policyNamesUnknownTool',
    [gatewayWithPolicies([permit('Prompt::"git_ask"')]), entries('git', 'web')],
    {
      [formatBackendKey('web')]: {},
    },
  );
  expect(found).toMatchObject({
    severity: 'hint',
    message: 'policy0: whether there is a prompt "git_ask" is not known, because backend "git" is not in the tool lock',
    fix: 'run "lintel lock"',
  });
});

test('the rule policyNamesUnknownTool reports for a gateway without backends only a policy that names an unknown gateway', () => {
  const names = ['Tool::"x"', 'Prompt::"x"', 'Resource::"file:///x"', 'MCP::"ops"'];
  const gateway = gatewayWithPolicies(names.map(permit));
  expect(judge('policyNamesUnknownTool', [gateway, entries()])).toEqual([
    'LNT5003 error 17:50 policy3: this gateway is not named "ops"',
  ]);
});

test('an unknown tool in a policy that two gateways share gives a hint for each gateway, not an error', () => {
  const shared = object('MCPAuthzConfig', `{ type: cedarv1, config: { policies: ['${permit('Tool::"x"')}'] } }`, 'p');
  const gateway = (name: string) =>
    object(
      'VirtualMCPServer',
      '{ groupRef: { name: tools }, incomingAuth: { type: oidc, oidcConfigRef: { name: c, audience: a }, authzConfigRef: { name: p } } }',
      name,
    );
  expect(judge('policyNamesUnknownTool', [shared, entries('git'), gateway('eng'), gateway('ops')], LOCKED)).toEqual([
    'LNT5003 hint 4:84 policy0: no tool of this gateway is named "x" (gateway "eng")',
    'LNT5003 hint 4:84 policy0: no tool of this gateway is named "x" (gateway "ops")',
  ]);
});

const NAMED = 'write the name that clients see: "lintel exposure" lists the names';

test.each<[what: string, aggregation: string, name: string, fix: string]>([
  [
    'an outdated prefix',
    'conflictResolution: priority, conflictResolutionConfig: { priorityOrder: [web, git] }',
    'git_push',
    'did you mean Tool::"push"?',
  ],
  [
    'an outdated prefix of a removed tool',
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
    'a new name, by its old name with prefix',
    'tools: [{ workload: git, overrides: { push: { name: send } } }]',
    'git_push',
    'did you mean Tool::"git_send"?',
  ],
  [
    'a new name, by its old name',
    'tools: [{ workload: git, overrides: { push: { name: send } } }]',
    'push',
    'did you mean Tool::"git_send"?',
  ],
  ['two tools of one name of which one is hidden', 'tools: [{ workload: git, filter: [push] }]', 'search', NAMED],
  ['a misspelt name of a hidden tool', 'tools: [{ workload: git, filter: [push] }]', 'git_serch', NAMED],
  ['other case and separators', '', 'gitPush', 'did you mean Tool::"git_push"?'],
  ['a short word with another letter', '', 'git_pull', NAMED],
  ['a plural', '', 'git_searches', NAMED],
  ['another version number', '', 'web_read_v2', NAMED],
  ['another verb', '', 'web_set', NAMED],
])(
  'for a tool name in a policy with %s, LNT5003 suggests the present name of the same tool, and never a different tool',
  (_, aggregation, name, fix) => {
    const offers = {
      [formatBackendKey('git')]: { tools: ['search', 'push'] },
      [formatBackendKey('web')]: { tools: ['search', 'read_v1', 'get'] },
    };
    const gateway = gatewayWithPolicies([permit(`Tool::"${name}"`)], { config: `{ aggregation: { ${aggregation} } }` });
    expect(findings('policyNamesUnknownTool', [gateway, entries('git', 'web')], offers).map(one => one.fix)).toEqual([
      fix,
    ]);
  },
);

const forbid = (condition: string) =>
  `forbid(principal, action == Action::"call_tool", resource) when { ${condition} };`;
const ERROR = ['error policy0: clients do not see the tool "hidden_push"'];
const CALLED = [
  'hint policy0: clients do not see the tool "hidden_pull", and the workflow "flow" calls it without regard to this policy',
];

test.each<[what: string, policy: string, expected: readonly string[]]>([
  ['a condition of a forbid', forbid('resource == Tool::"hidden_push"'), []],
  ['the scope of a forbid', 'forbid(principal, action, resource == Tool::"hidden_push");', []],
  ['a text of a forbid', forbid('["hidden_push", "git_push"].contains(resource.name)'), []],
  ['an unless of a permit', `${call} unless { resource.name == "hidden_push" };`, []],
  ['a permit for all other tools', `${call} when { resource.name != "hidden_push" };`, []],
  [
    'an unless of a forbid',
    `forbid(principal, action == Action::"call_tool", resource) unless { resource.name == "hidden_push" };`,
    ERROR,
  ],
  ['a condition of a permit', `${call} when { resource == Tool::"hidden_push" };`, ERROR],
  ['an if of a permit', `${call} when { if resource.name == "hidden_push" then false else true };`, ERROR],
  ['a forbid, although a workflow calls the tool', forbid('resource.name == "hidden_pull"'), CALLED],
  [
    'a forbid of an unknown tool',
    forbid('resource.name == "hidden_x"'),
    ['error policy0: no tool of this gateway is named "hidden_x"'],
  ],
])('the rule policyNamesUnknownTool gives the expected findings for a hidden tool in %s', (_, policy, expected) => {
  const config =
    '{ compositeTools: [{ name: flow, description: x, steps: [{ id: a, tool: hidden_pull }] }], aggregation: { tools: [{ workload: hidden, excludeAll: true }] } }';
  const offers = { ...LOCKED, [formatBackendKey('hidden')]: { tools: ['push', 'pull'] } };
  const found = findings(
    'policyNamesUnknownTool',
    [gatewayWithPolicies([policy], { config }), entries('git', 'hidden')],
    offers,
  );
  expect(found.map(({ severity, message }) => `${severity} ${message}`)).toEqual(expected);
});
