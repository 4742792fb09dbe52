import { expect, test } from 'vitest';
import { entries, findings, formatBackendKey, judge, object } from '../../../support/gateway-rule.ts';
import { gatewayWithPolicies } from '../../../support/policies.ts';

const tool = (name: string, annotations: object, properties: object = {}) => ({
  name,
  inputSchema: { type: 'object', properties },
  annotations,
});
const LOCKED = {
  [formatBackendKey('git')]: {
    tools: [
      tool('search', { readOnlyHint: true }, { query: { type: 'string' }, paths: { type: 'array' } }),
      tool(
        'push',
        { readOnlyHint: false, destructiveHint: true },
        { force: { type: 'boolean' }, branch: {}, count: { type: 'integer' }, query: { type: 'integer' } },
      ),
    ],
    prompts: [{ name: 'review', arguments: [{ name: 'branch' }] }],
  },
};
const when = (condition: string) => `permit(principal, action == Action::"call_tool", resource) when { ${condition} };`;

const LOST = (attribute: string, policy = 'policy0', effect = 'permit') =>
  `${attribute} may be absent, and then ${policy} fails: a gateway denies the request, even if another policy permits it, and plain Cedar skips the ${effect}`;
const NEVER = 'LNT5004 warning 14:12 policy0 can never apply:';
const noArgument = (name: string) =>
  `no tool of this gateway has a scalar argument "${name}", so there is no arg_${name}`;

test.each<[string, string, string[]]>([
  ['no condition', 'permit(principal, action, resource);', []],
  [
    'a hint that some tools state',
    when('resource.destructiveHint'),
    [`LNT5002 error 14:80 ${LOST('resource.destructiveHint')}`],
  ],
  ['a hint that every tool states', when('resource.readOnlyHint'), []],
  [
    'a hint of prompts too',
    'permit(principal, action, resource) when { resource.readOnlyHint };',
    [`LNT5002 error 14:55 ${LOST('resource.readOnlyHint')}`],
  ],
  ['a guarded hint', when('resource has destructiveHint && !resource.destructiveHint'), []],
  ['a claim', when('principal.claim_team == "a"'), [`LNT5002 error 14:80 ${LOST('principal.claim_team')}`]],
  ['the subject', when('principal.claim_sub == "a"'), []],
  [
    'a claim of what a choice gives',
    when('(if context has claim_email then context else context) has claim_suspended'),
    [],
  ],
  ['a guarded list of roles', when('principal has claim_roles && principal.claim_roles.contains("dev")'), []],
  [
    'a list of roles',
    when('principal.claim_roles.contains("dev")'),
    [`LNT5002 error 14:80 ${LOST('principal.claim_roles')}`],
  ],
  [
    'a member of a claim',
    when(
      'principal has claim_realm_access && principal.claim_realm_access has roles && principal.claim_realm_access.roles.contains("dev")',
    ),
    [],
  ],
  [
    'a member of a claim in one guard',
    when('context has claim_a.b.c && context.claim_a.b.c > 5 && context.claim_a.b has d && context.claim_a.b.d'),
    [],
  ],
  [
    'a member of a claim without a guard of its own',
    when('principal has claim_a && principal.claim_a.b == 1'),
    [`LNT5002 error 14:105 ${LOST('principal.claim_a.b')}`],
  ],
  [
    'a claim that is an object and a text',
    when('principal has claim_a.b && principal.claim_a == "x"'),
    ['LNT5011 error 14:107 the types String and {b?: String,} are not compatible'],
  ],
  [
    'a claim of a standard type',
    when('principal has claim_exp && principal.claim_exp == "x"'),
    ['LNT5011 error 14:107 the types Long and String are not compatible'],
  ],
  ['an argument', when('context.arg_force'), [`LNT5002 error 14:80 ${LOST('context.arg_force')}`]],
  ['a guarded argument', when('context has arg_force && context.arg_force'), []],
  [
    'a guarded argument that nobody takes',
    when('context has arg_forse && context.arg_forse'),
    [`${NEVER} ${noArgument('forse')}`],
  ],
  ['an argument that nobody takes', when('context.arg_forse'), [`LNT5010 error 14:80 ${noArgument('forse')}`]],
  ['a list as argument', when('context.arg_paths.contains("x")'), [`LNT5010 error 14:80 ${noArgument('paths')}`]],
  ['that a list is there', when('context has arg_paths_present && context.arg_paths_present'), []],
  ['an argument of two types', when('context has arg_query && context.arg_query like "x*"'), []],
  [
    'an argument of one type',
    when('context has arg_count && context.arg_count like "x*"'),
    ['LNT5011 error 14:105 unexpected type: expected String but saw Long'],
  ],
  [
    'an attribute of tools that there is not',
    when('resource.nam == "x"'),
    ['LNT5010 error 14:80 there is no attribute "nam" on Tool'],
  ],
  [
    'an attribute of callers that there is not',
    when('principal.email == "x"'),
    ['LNT5010 error 14:80 there is no attribute "email" on Client'],
  ],
  [
    'an attribute of the context that there is not',
    when('context.email == "x"'),
    ['LNT5010 error 14:80 the context has no "email": it has claim_<name> and arg_<name>'],
  ],
  [
    'an attribute of resources',
    'permit(principal, action, resource) when { resource.uri like "file:*" };',
    [`LNT5002 error 14:55 ${LOST('resource.uri')}`],
  ],
  [
    'a guarded attribute of resources',
    'permit(principal, action, resource) when { resource has uri && resource.uri like "file:*" };',
    [],
  ],
  [
    'a type',
    'permit(principal in Team::"x", action, resource);',
    ['LNT5009 error 14:32 unrecognized entity type Team'],
  ],
  [
    'an action',
    'permit(principal, action == Action::"tools/call", resource);',
    ['LNT5009 error 14:40 unrecognized action Action::"tools/call"'],
  ],
  [
    'an idle action',
    'permit(principal, action == Action::"list_tools", resource);',
    [`${NEVER} no request asks for list_tools`],
  ],
  [
    'an action and what it is never about',
    'permit(principal, action == Action::"get_prompt", resource == Tool::"x");',
    [`${NEVER} no request matches it`],
  ],
  ['a condition that is never true', when('1 == 2'), [`${NEVER} no request matches it`]],
  ['an empty set', when('[].contains(1)'), ['LNT5011 error 14:80 empty set literals are forbidden in policies']],
  [
    'letters of two scripts',
    'permit(principal in Group::"\u0430dmins", action, resource);',
    ['LNT5012 warning 14:12 identifier "\u0430dmins" contains mixed scripts'],
  ],
  [
    'two places of one policy',
    '@id("one") forbid(principal, action, resource) unless { context.arg_branch == "é" && context.arg_branch != "x" };',
    [
      `LNT5002 error 14:70 ${LOST('context.arg_branch', 'one', 'forbid')}`,
      `LNT5002 error 14:101 ${LOST('context.arg_branch', 'one', 'forbid')}`,
    ],
  ],
])('the rule policyValidation gives the expected findings for: %s', (_, policy, expected) => {
  expect(judge('policyValidation', [gatewayWithPolicies([policy]), entries('git')], LOCKED)).toEqual(expected);
});

test.each([
  ['arguments', when('context has arg_branch && context.arg_branch == "main"')],
  ['lists of arguments', when('context has arg_paths && context.arg_paths.contains("x")')],
  ['guarded hints', when('resource has readOnlyHint && resource.readOnlyHint')],
])('without a tool lock %s are taken as they are used', (_, policy) => {
  expect(judge('policyValidation', [gatewayWithPolicies([policy]), entries('git')])).toEqual([]);
});

test('without a tool lock no hint is certain', () => {
  const found = judge('policyValidation', [gatewayWithPolicies([when('resource.readOnlyHint')]), entries('git')]);
  expect(found).toEqual([`LNT5002 error 14:80 ${LOST('resource.readOnlyHint')}`]);
});

test.each<[string, string, string[]]>([
  ['a type and an attribute', when('resource in Owner::"data" && resource has tier && resource.tier == 1'), []],
  ['an attribute that only one has', when('resource.tier == 1'), [`LNT5002 error 14:80 ${LOST('resource.tier')}`]],
])('entities next to the policies bring %s', (_, policy, expected) => {
  const entities = [
    { uid: { type: 'Tool', id: 'git_push' }, attrs: { tier: 1 }, parents: [{ type: 'Owner', id: 'data' }] },
  ];
  const inline = `entitiesJson: '${JSON.stringify(entities)}'`;
  const found = judge('policyValidation', [gatewayWithPolicies([policy], { inline }), entries('git')], LOCKED);
  expect(found.map(one => one.replace(' 15:', ' 14:'))).toEqual(expected);
});

test.each<[string, string, object]>([
  ['a type that nothing else has', 'X', { a: { __entity: { type: 'Y', id: 'y' } } }],
  ['such a type in a set', 'X', { a: [{ __entity: { type: 'N::Y', id: 'y' } }] }],
  ['such a type in a record', 'X', { a: { b: { __entity: { type: 'Y', id: 'y' } } } }],
  ['an action', 'X', { a: { __entity: { type: 'Action', id: 'call_tool' } } }],
  ['a namespace that JavaScript knows', 'constructor::X', {}],
  ['the namespace of prototypes', '__proto__::X', {}],
  ['the name of prototypes', '__proto__', JSON.parse('{"__proto__": "v"}')],
])('entities with %s are no obstacle', (_, type, attrs) => {
  const entities = [{ uid: { type, id: 'x' }, attrs, parents: [{ type: 'toString::P', id: 'p' }] }];
  const policies = ['permit(principal, action, resource);', when('resource.nam == "x"')];
  const inline = `entitiesJson: '${JSON.stringify(entities)}'`;
  const found = judge('policyValidation', [gatewayWithPolicies(policies, { inline }), entries('git')], LOCKED);
  expect(found).toEqual(['LNT5010 error 16:80 there is no attribute "nam" on Tool']);
});

test('groups may be called what callers are', () => {
  const gateway = gatewayWithPolicies([when('principal.claim_sub == "a"')]).replace(
    'type: inline',
    'type: inline\n      groupEntityType: Client',
  );
  expect(judge('policyValidation', [gateway, entries('git')])).toEqual([]);
});

test('a type with a name that Cedar keeps to itself is a finding', () => {
  const gateway = gatewayWithPolicies([when('true')]).replace(
    'type: inline',
    'type: inline\n      groupEntityType: Action',
  );
  expect(judge('policyValidation', [gateway, entries('git')])).toEqual([
    expect.stringMatching(/^LNT5011 error 15:12 cannot be checked: .*Action/),
  ]);
});

test('the type of groups is as the spec says', () => {
  const [own, other] = ['Team', 'Group'].map(type => `permit(principal in ${type}::"x", action, resource);`) as [
    string,
    string,
  ];
  const gateway = gatewayWithPolicies([own, other]).replace(
    'type: inline',
    'type: inline\n      groupEntityType: Team',
  );
  expect(judge('policyValidation', [gateway, entries('git')])).toEqual([
    'LNT5009 error 16:32 unrecognized entity type Group',
  ]);
});

test('without claims, as callers are anonymous, the subject may be absent', () => {
  const gateway = gatewayWithPolicies([when('principal.claim_sub == "a"')], { auth: 'type: anonymous' });
  expect(judge('policyValidation', [gateway, entries('git')]).map(one => one.slice(0, 7))).toEqual(['LNT5002']);
});

test('a policy that cannot be read hides no mistake of another, and keeps its number', () => {
  const policies = ['permit(; permit(principal, action, resource);', when('resource.x')];
  expect(judge('policyValidation', [gatewayWithPolicies(policies), entries('git')])).toEqual([
    'LNT5010 error 15:80 there is no attribute "x" on Tool',
  ]);
  const names = [
    'permit(principal,; permit(principal, action, resource);',
    'permit(principal, action, resource == Tool::"x");',
  ];
  const [found] = findings('policyNames', [gatewayWithPolicies(names), entries('git')], LOCKED);
  expect(found?.message).toBe('policy2: no tool of this gateway is named "x"');
});

test.each([
  ['one gateway', ['eng'], 'error'],
  ['two gateways', ['eng', 'ops'], 'hint'],
])('an argument that a gateway lacks, in policies of %s', (_, names, severity) => {
  const shared = object(
    'MCPAuthzConfig',
    `{ type: cedarv1, config: { policies: ['${when('context.arg_x == 1')}'] } }`,
    'p',
  );
  const gateways = names.map(name =>
    object(
      'VirtualMCPServer',
      '{ groupRef: { name: tools }, incomingAuth: { type: oidc, oidcConfigRef: { name: c, audience: a }, authzConfigRef: { name: p } } }',
      name,
    ),
  );
  const found = judge('policyValidation', [shared, entries('git'), ...gateways], LOCKED);
  expect(found).toEqual(names.map(() => `LNT5010 ${severity} 4:112 ${noArgument('x')}`));
});

test('what the validator quotes with backticks is quoted once', () => {
  const policy = 'permit(principal, action == Action::"call_tol", resource);';
  const [found] = findings('policyValidation', [gatewayWithPolicies([policy]), entries('git')], LOCKED);
  expect(found?.fix).toBe('did you mean Action::"call_tool"?');
});

test.each([
  ['a misspelt one', 'context has arg_brnch && context.arg_brnch == "x"', 'did you mean arg_branch?'],
  ['a misspelt one without a guard', 'context.arg_brnch == "x"', 'did you mean arg_branch?'],
  [
    'a list, of which there is no more than that it is there',
    'context.arg_paths.contains("x")',
    'did you mean arg_paths_present?',
  ],
])('an argument that there is not: %s', (_, condition, fix) => {
  const found = findings('policyValidation', [gatewayWithPolicies([when(condition)]), entries('git')], LOCKED);
  expect(found.map(one => one.fix)).toEqual([fix]);
});

test('where none is near, those that there are', () => {
  const policy = when('context has arg_zzzzzzz && context.arg_zzzzzzz == "x"');
  const [found] = findings('policyValidation', [gatewayWithPolicies([policy]), entries('git')], LOCKED);
  expect([found?.fix, found?.help]).toEqual([
    undefined,
    'Tools of this gateway have the arguments branch, count, force, paths, query',
  ]);
});
