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
  ['a policy without a condition', 'permit(principal, action, resource);', []],
  [
    'an annotation that some tools have',
    when('resource.destructiveHint'),
    [`LNT5002 error 14:80 ${LOST('resource.destructiveHint')}`],
  ],
  ['an annotation that every tool has', when('resource.readOnlyHint'), []],
  [
    'an annotation that prompts do not have',
    'permit(principal, action, resource) when { resource.readOnlyHint };',
    [`LNT5002 error 14:55 ${LOST('resource.readOnlyHint')}`],
  ],
  ['an annotation with a guard', when('resource has destructiveHint && !resource.destructiveHint'), []],
  [
    'a claim without a guard',
    when('principal.claim_team == "a"'),
    [`LNT5002 error 14:80 ${LOST('principal.claim_team')}`],
  ],
  ['the claim sub', when('principal.claim_sub == "a"'), []],
  [
    'a claim of an if that gives the context',
    when('(if context has claim_email then context else context) has claim_suspended'),
    [],
  ],
  ['a list claim with a guard', when('principal has claim_roles && principal.claim_roles.contains("dev")'), []],
  [
    'a list claim without a guard',
    when('principal.claim_roles.contains("dev")'),
    [`LNT5002 error 14:80 ${LOST('principal.claim_roles')}`],
  ],
  [
    'a nested claim with guards',
    when(
      'principal has claim_realm_access && principal.claim_realm_access has roles && principal.claim_realm_access.roles.contains("dev")',
    ),
    [],
  ],
  [
    'a nested claim with one guard',
    when('context has claim_a.b.c && context.claim_a.b.c > 5 && context.claim_a.b has d && context.claim_a.b.d'),
    [],
  ],
  [
    'a nested claim without a guard of its own',
    when('principal has claim_a && principal.claim_a.b == 1'),
    [`LNT5002 error 14:105 ${LOST('principal.claim_a.b')}`],
  ],
  [
    'a claim as object and as text',
    when('principal has claim_a.b && principal.claim_a == "x"'),
    ['LNT5011 error 14:107 the types String and {b?: String,} are not compatible'],
  ],
  [
    'a standard claim of another type',
    when('principal has claim_exp && principal.claim_exp == "x"'),
    ['LNT5011 error 14:107 the types Long and String are not compatible'],
  ],
  ['an argument without a guard', when('context.arg_force'), [`LNT5002 error 14:80 ${LOST('context.arg_force')}`]],
  ['an argument with a guard', when('context has arg_force && context.arg_force'), []],
  [
    'an unknown argument with a guard',
    when('context has arg_forse && context.arg_forse'),
    [`${NEVER} ${noArgument('forse')}`],
  ],
  ['an unknown argument without a guard', when('context.arg_forse'), [`LNT5010 error 14:80 ${noArgument('forse')}`]],
  ['a list argument', when('context.arg_paths.contains("x")'), [`LNT5010 error 14:80 ${noArgument('paths')}`]],
  ['the presence of a list argument', when('context has arg_paths_present && context.arg_paths_present'), []],
  ['an argument that is a text in one tool', when('context has arg_query && context.arg_query like "x*"'), []],
  [
    'an argument of another type',
    when('context has arg_count && context.arg_count like "x*"'),
    ['LNT5011 error 14:105 unexpected type: expected String but saw Long'],
  ],
  [
    'an unknown attribute of tools',
    when('resource.nam == "x"'),
    ['LNT5010 error 14:80 there is no attribute "nam" on Tool'],
  ],
  [
    'an unknown attribute of callers',
    when('principal.email == "x"'),
    ['LNT5010 error 14:80 there is no attribute "email" on Client'],
  ],
  [
    'an unknown attribute of the context',
    when('context.email == "x"'),
    ['LNT5010 error 14:80 the context has no "email": it has claim_<name> and arg_<name>'],
  ],
  [
    'an attribute of resources without a guard',
    'permit(principal, action, resource) when { resource.uri like "file:*" };',
    [`LNT5002 error 14:55 ${LOST('resource.uri')}`],
  ],
  [
    'an attribute of resources with a guard',
    'permit(principal, action, resource) when { resource has uri && resource.uri like "file:*" };',
    [],
  ],
  [
    'an unknown entity type',
    'permit(principal in Team::"x", action, resource);',
    ['LNT5009 error 14:32 unrecognized entity type Team'],
  ],
  [
    'an unknown action',
    'permit(principal, action == Action::"tools/call", resource);',
    ['LNT5009 error 14:40 unrecognized action Action::"tools/call"'],
  ],
  [
    'an action that no request uses',
    'permit(principal, action == Action::"list_tools", resource);',
    [`${NEVER} no request asks for list_tools`],
  ],
  [
    'an action and a resource that never occur together',
    'permit(principal, action == Action::"get_prompt", resource == Tool::"x");',
    [`${NEVER} no request matches it`],
  ],
  ['a condition that is never true', when('1 == 2'), [`${NEVER} no request matches it`]],
  ['an empty set', when('[].contains(1)'), ['LNT5011 error 14:80 empty set literals are forbidden in policies']],
  [
    'an identifier with letters of two scripts',
    'permit(principal in Group::"\u0430dmins", action, resource);',
    ['LNT5012 warning 14:12 identifier "\u0430dmins" contains mixed scripts'],
  ],
  [
    'two findings in one policy',
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
])('the rule policyValidation without a tool lock gives no finding about %s', (_, policy) => {
  expect(judge('policyValidation', [gatewayWithPolicies([policy]), entries('git')])).toEqual([]);
});

test('the rule policyValidation reports a policy that reads an annotation without testing `has` for it, even without a tool lock', () => {
  const found = judge('policyValidation', [gatewayWithPolicies([when('resource.readOnlyHint')]), entries('git')]);
  expect(found).toEqual([`LNT5002 error 14:80 ${LOST('resource.readOnlyHint')}`]);
});

test.each<[string, string, string[]]>([
  [
    'an entity type and a guarded attribute',
    when('resource in Owner::"data" && resource has tier && resource.tier == 1'),
    [],
  ],
  ['an attribute without a guard', when('resource.tier == 1'), [`LNT5002 error 14:80 ${LOST('resource.tier')}`]],
])(
  'with the entities of the spec, the rule policyValidation gives the expected findings for %s',
  (_, policy, expected) => {
    const entities = [
      { uid: { type: 'Tool', id: 'git_push' }, attrs: { tier: 1 }, parents: [{ type: 'Owner', id: 'data' }] },
    ];
    const inline = `entitiesJson: '${JSON.stringify(entities)}'`;
    const found = judge('policyValidation', [gatewayWithPolicies([policy], { inline }), entries('git')], LOCKED);
    expect(found.map(one => one.replace(' 15:', ' 14:'))).toEqual(expected);
  },
);

test.each<[string, string, object]>([
  ['an attribute of an unknown entity type', 'X', { a: { __entity: { type: 'Y', id: 'y' } } }],
  ['an unknown entity type in a set', 'X', { a: [{ __entity: { type: 'N::Y', id: 'y' } }] }],
  ['an unknown entity type in a record', 'X', { a: { b: { __entity: { type: 'Y', id: 'y' } } } }],
  ['an action as attribute', 'X', { a: { __entity: { type: 'Action', id: 'call_tool' } } }],
  ['the namespace constructor', 'constructor::X', {}],
  ['the namespace __proto__', '__proto__::X', {}],
  ['the type __proto__', '__proto__', JSON.parse('{"__proto__": "v"}')],
])('the rule policyValidation checks policies next to entities with %s', (_, type, attrs) => {
  const entities = [{ uid: { type, id: 'x' }, attrs, parents: [{ type: 'toString::P', id: 'p' }] }];
  const policies = ['permit(principal, action, resource);', when('resource.nam == "x"')];
  const inline = `entitiesJson: '${JSON.stringify(entities)}'`;
  const found = judge('policyValidation', [gatewayWithPolicies(policies, { inline }), entries('git')], LOCKED);
  expect(found).toEqual(['LNT5010 error 16:80 there is no attribute "nam" on Tool']);
});

test('the rule policyValidation accepts Client as groupEntityType', () => {
  const gateway = gatewayWithPolicies([when('principal.claim_sub == "a"')]).replace(
    'type: inline',
    'type: inline\n      groupEntityType: Client',
  );
  expect(judge('policyValidation', [gateway, entries('git')])).toEqual([]);
});

test('the rule policyValidation reports by LNT5011 that it cannot check policies if groupEntityType is Action', () => {
  const gateway = gatewayWithPolicies([when('true')]).replace(
    'type: inline',
    'type: inline\n      groupEntityType: Action',
  );
  expect(judge('policyValidation', [gateway, entries('git')])).toEqual([
    expect.stringMatching(/^LNT5011 error 15:12 cannot be checked: .*Action/),
  ]);
});

test('if groupEntityType is Team, policies may name groups of the type Team, and Group is an unknown entity type', () => {
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

test('the rule policyValidation reports a policy that reads the claim sub without testing `has` if callers are anonymous', () => {
  const gateway = gatewayWithPolicies([when('principal.claim_sub == "a"')], { auth: 'type: anonymous' });
  expect(judge('policyValidation', [gateway, entries('git')]).map(one => one.slice(0, 7))).toEqual(['LNT5002']);
});

test('the rules check the policies after a text that does not parse, and number them as if that text parsed', () => {
  const policies = ['permit(; permit(principal, action, resource);', when('resource.x')];
  expect(judge('policyValidation', [gatewayWithPolicies(policies), entries('git')])).toEqual([
    'LNT5010 error 15:80 there is no attribute "x" on Tool',
  ]);
  const names = [
    'permit(principal,; permit(principal, action, resource);',
    'permit(principal, action, resource == Tool::"x");',
  ];
  const [found] = findings('policyNamesUnknownTool', [gatewayWithPolicies(names), entries('git')], LOCKED);
  expect(found?.message).toBe('policy2: no tool of this gateway is named "x"');
});

test.each([
  ['one gateway', ['eng'], 'error'],
  ['two gateways', ['eng', 'ops'], 'hint'],
])('an unknown argument in policies of %s is $2', (_, names, severity) => {
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

test.each([
  ['principal.email == "x"', 'did you mean principal.claim_email?'],
  ['context.force', undefined],
  ['resource.nam == "x"', 'did you mean "name"?'],
])('LNT5010 about %s suggests the prefix of a claim of principal alone', (condition, fix) => {
  const found = findings('policyValidation', [gatewayWithPolicies([when(condition)]), entries('git')], LOCKED);
  expect(found.map(one => [one.code, one.fix])).toEqual([['LNT5010', fix]]);
});

test('the fix for a misspelt entity in a policy gives the right entity in Cedar syntax, not in additional quotes', () => {
  const policy = 'permit(principal, action == Action::"call_tol", resource);';
  const [found] = findings('policyValidation', [gatewayWithPolicies([policy]), entries('git')], LOCKED);
  expect(found?.fix).toBe('did you mean Action::"call_tool"?');
});

test.each([
  ['a misspelt argument', 'context has arg_brnch && context.arg_brnch == "x"', 'did you mean arg_branch?'],
  ['a misspelt argument without a guard', 'context.arg_brnch == "x"', 'did you mean arg_branch?'],
  [
    'a list argument, of which only the presence is known',
    'context.arg_paths.contains("x")',
    'did you mean arg_paths_present?',
  ],
])('LNT5010 suggests an argument name in place of %s', (_, condition, fix) => {
  const found = findings('policyValidation', [gatewayWithPolicies([when(condition)]), entries('git')], LOCKED);
  expect(found.map(one => one.fix)).toEqual([fix]);
});

test('LNT5010 lists the known arguments if none is similar', () => {
  const policy = when('context has arg_zzzzzzz && context.arg_zzzzzzz == "x"');
  const [found] = findings('policyValidation', [gatewayWithPolicies([policy]), entries('git')], LOCKED);
  expect([found?.fix, found?.help]).toEqual([
    undefined,
    'Tools of this gateway have the arguments branch, count, force, paths, query',
  ]);
});
