import { describe, expect, test } from 'vitest';
import { type AccessAnswer, type AccessQuestion, decideAccess } from '../../../compiler/analysis/access/index.ts';
import { entries, formatBackendKey, models, type Offers, object } from '../../support/gateway-rule.ts';
import { gatewayWithPolicies } from '../../support/policies.ts';

const ANN = { sub: 'ann', iss: 'https://id.example.com', aud: 'mcp', exp: 4_102_444_800 };

const OFFERS: Offers = {
  [formatBackendKey('git')]: {
    tools: [
      'push',
      { name: 'list', annotations: { readOnlyHint: true } },
      { name: 'broken', inputSchema: { type: 'no' } },
    ],
  },
};

const MANUAL = '{ aggregation: { tools: [{ workload: git, filter: [list] }] } }';

function ask(
  policies: readonly string[],
  question: Partial<AccessQuestion>,
  offers = OFFERS,
  config = '',
  backends = ['git'],
) {
  const config_ = config === '' ? {} : { config };
  const [model] = models(
    [
      entries(...backends),
      object('MCPOIDCConfig', '{ type: inline, inline: { issuer: "https://id.example.com" } }', 'corp'),
      gatewayWithPolicies(policies, config_),
    ],
    offers,
  );
  if (model === undefined) throw new Error('there is no gateway');
  return decideAccess(
    model,
    { action: 'call_tool', name: 'git_list', args: undefined, claims: ANN, ...question },
    { now: 0, user: 'joe' },
  );
}

const EVERYTHING = 'permit(principal, action, resource);';

test.each<[policy: string, unsaid: string | undefined]>([
  [EVERYTHING, undefined],
  ['permit(principal in Group::"staff", action, resource);', undefined],
  ['permit(principal, action, resource) when { context has claim_team && context.claim_team == "a" };', undefined],
  ['permit(principal, action, resource) when { principal.claim_aud == "mcp" };', 'aud'],
  ['permit(principal, action, resource) unless { context has claim_exp && context.claim_aud == "x" };', 'aud, exp'],
])('`lintel can` names the claims that a policy reads and the caller lacks: %s', (policy, unsaid) => {
  const { notes = [] } = ask([policy], { claims: { sub: 'ann', groups: ['staff'] } }) as Partial<AccessAnswer>;
  expect(notes.filter(note => note.startsWith('policies look at'))).toEqual(
    unsaid === undefined
      ? []
      : [
          `policies look at ${unsaid}, which a token has and these claims lack: for a real token they may decide differently`,
        ],
  );
  const { notes: whole } = ask([policy], { claims: ANN }) as AccessAnswer;
  expect(whole.some(note => note.startsWith('policies look at'))).toBe(false);
});

test.each<
  [name: string, policies: readonly string[], question: Partial<AccessQuestion>, answer: Partial<AccessAnswer>]
>([
  ['a permit allows the call', [EVERYTHING], {}, { decision: 'allowed', listed: true }],
  [
    'without a permit the call is denied',
    ['permit(principal == Client::"bob", action, resource);'],
    {},
    { decision: 'denied', listed: false },
  ],
  [
    'a forbid denies the call',
    [EVERYTHING, 'forbid(principal, action, resource);'],
    {},
    { decision: 'denied', listed: false },
  ],
  [
    'a forbid that cannot be evaluated denies the call',
    [EVERYTHING, 'forbid(principal, action, resource) when { principal.claim_x };'],
    {},
    { decision: 'denied', listed: false },
  ],
  [
    'a caller without a token is denied',
    [EVERYTHING],
    { claims: undefined },
    { decision: 'denied', listed: false, caller: 'anonymous' },
  ],
  [
    'a token of another issuer is denied',
    [EVERYTHING],
    { claims: { ...ANN, iss: 'x' } },
    { decision: 'denied', listed: false, caller: 'ann' },
  ],
  [
    'a tool with an unusable definition is denied',
    [EVERYTHING],
    { name: 'git_broken' },
    { decision: 'denied', listed: false },
  ],
])('`lintel can` answers a caller: %s', (_, policies, question, answer) => {
  expect(ask(policies, question)).toMatchObject(answer);
});

test('`lintel can` lists policies in the order of the spec, each with its location in a file', () => {
  const { reason } = ask([`@id("b") ${EVERYTHING}`, `@id("a") ${EVERYTHING}`], {}) as AccessAnswer;
  expect(reason).toMatchObject({
    type: 'permit',
    policies: [
      { name: 'b', file: 'spec.yaml' },
      { name: 'a', file: 'spec.yaml' },
    ],
  });
});

test('`lintel can` denies a call of a hidden tool, whatever the policies permit', () => {
  expect(ask([EVERYTHING], { name: 'git_push' }, OFFERS, MANUAL)).toMatchObject({
    decision: 'denied',
    reason: { type: 'withheld', cause: 'the gateway hides it, so clients cannot call it under its name' },
  });
});

describe('a tool that a direct call does not reach', () => {
  const config = `{ aggregation: { tools: [{ workload: git, filter: [list] }] }, compositeTools: [
    { name: flow, description: Calls., steps: [{ id: a, tool: git.push }, { id: b, tool: git.list, dependsOn: [a] }] }] }`;
  const flowOnly = 'permit(principal, action, resource == Tool::"flow");';
  const note = 'ann reaches it through the workflow flow, whose steps are not subject to policies';

  test.each([
    ['is hidden', 'git_push', EVERYTHING, [note]],
    ['no policy permits', 'git_list', flowOnly, [note]],
    [
      'is hidden, and whose workflow the caller may not call',
      'git_push',
      'permit(principal == Client::"bob", action, resource);',
      [],
    ],
  ])('`lintel can` names the workflows through which a caller reaches a tool that %s', (_, name, policy, notes) => {
    expect(ask([policy], { name }, OFFERS, config)).toMatchObject({ decision: 'denied', notes });
  });
});

describe('a workflow that the gateway withholds', () => {
  const workflow = (name: string, tool: string, more = '') =>
    `{ compositeTools: [{ name: ${name}, description: Calls., steps: [{ id: s, tool: ${tool} }] ${more} }] }`;

  test.each([
    ['calls a tool that is gone', 'flow', 'git.gone', '', 'step "s" calls "git.gone", which no backend offers'],
    ['has the name of a tool that is hidden', 'git_broken', 'git.list', '', 'the gateway withholds it'],
    [
      'claims to be safer than its step',
      'flow',
      'git.push',
      ', annotations: { readOnlyHint: true }',
      'it claims readOnlyHint true, which is not true of the tool that step "s" calls',
    ],
  ])(
    '`lintel can` denies a workflow that the gateway withholds because the workflow %s',
    (_, name, tool, more, cause) => {
      const answer = ask([EVERYTHING], { name }, OFFERS, workflow(name, tool, more));
      expect(answer).toMatchObject({
        decision: 'denied',
        listed: false,
        reason: { type: 'withheld', cause: expect.stringContaining(cause) },
      });
    },
  );

  test('`lintel can` leaves a workflow undecided if the tool lock does not know the tools of its steps', () => {
    const config = workflow('flow', 'web.gone');
    expect(ask([EVERYTHING], { name: 'flow' }, OFFERS, config, ['git', 'web'])).toMatchObject({
      decision: 'undecided',
      listed: null,
      reason: {
        type: 'unknown',
        cause:
          'step "s" calls "web.gone", and lintel.lock.json does not know its backend, so it cannot be checked whether the gateway serves the workflow: `lintel lock` finds out',
      },
    });
    const bobOnly = 'permit(principal == Client::"bob", action, resource);';
    expect(ask([bobOnly], { name: 'flow' }, OFFERS, config, ['git', 'web'])).toMatchObject({ decision: 'denied' });
    expect(ask([EVERYTHING], { name: 'flow' }, OFFERS, workflow('flow', 'git.list'))).toMatchObject({
      decision: 'allowed',
    });
  });
});

describe('answers without a tool lock', () => {
  const READ_ONLY = 'permit(principal, action, resource) when { resource has readOnlyHint && resource.readOnlyHint };';

  test('`lintel can` without a tool lock leaves a permitted tool undecided, because it may not exist', () => {
    const answer = ask(['@id("one") permit(principal, action, resource == Tool::"git_list");'], {}, {});
    expect(answer).toMatchObject({
      decision: 'undecided',
      listed: null,
      reason: {
        type: 'unknown',
        cause:
          'lintel.lock.json does not know all backends, so it cannot be checked whether it exists: `lintel lock` finds out',
      },
      notes: [expect.stringMatching(/^if it does, policy "one" \(spec\.yaml:\d+:\d+\) permits it$/)],
    });
  });

  test('`lintel can` without a tool lock denies a tool that no policy permits', () => {
    const answer = ask(['permit(principal, action, resource == Tool::"git_push");'], {}, {});
    expect(answer).toMatchObject({ decision: 'denied', listed: null });
  });

  test('`lintel can` without a tool lock leaves a call undecided if policies read annotations', () => {
    expect(ask([READ_ONLY], {}, {})).toMatchObject({
      decision: 'undecided',
      listed: null,
      reason: { type: 'unknown' },
    });
  });

  test('`lintel can` without a tool lock decides a call if policies give the same answer for all annotations', () => {
    const forbid = 'forbid(principal, action, resource);';
    expect(ask([forbid, READ_ONLY], {}, {})).toMatchObject({ decision: 'denied' });
  });
});

test('`lintel can` with a tool lock answers an unknown tool name with an error that suggests the nearest name', () => {
  expect(ask([EVERYTHING], { name: 'git_lsit' })).toEqual({ decision: 'no-such-name', nearest: 'git_list' });
});

describe('a tool lock with one of two backends', () => {
  const name = (asked: string, config = '') => ask([EVERYTHING], { name: asked }, OFFERS, config, ['git', 'web']);

  test("with a tool lock of one of two backends, `lintel can` suggests the nearest name for a wrong name with that backend's prefix", () => {
    expect(name('git_lits')).toEqual({ decision: 'no-such-name', nearest: 'git_list' });
  });

  test('with a tool lock of one of two backends, `lintel can` answers a name with the prefix of neither backend with an error', () => {
    expect(name('gut_list')).toMatchObject({ decision: 'no-such-name' });
  });

  test('with a tool lock of one of two backends, `lintel can` leaves a name with the prefix of the backend that it lacks undecided', () => {
    expect(name('web_fetch')).toMatchObject({ decision: 'undecided' });
  });

  test('`lintel can` leaves a tool name undecided if the tool lock has no backend of the gateway', () => {
    expect(ask([EVERYTHING], { name: 'git_lits' }, OFFERS, '', [])).toMatchObject({ decision: 'undecided' });
  });

  test('with a tool lock of one of two backends, `lintel can` leaves every unknown name undecided if the gateway uses no prefixes', () => {
    const config =
      '{ aggregation: { conflictResolution: priority, conflictResolutionConfig: { priorityOrder: [git, web] } } }';
    expect(name('lits', config)).toMatchObject({ decision: 'undecided' });
  });
});

test('if no policy permits a call, `lintel can` names at most five policies that permit this call to other callers', () => {
  const policies = Array.from({ length: 8 }, (_, at) => `permit(principal == Client::"c${at}", action, resource);`);
  const { notes } = ask(policies, {}) as AccessAnswer;
  expect(notes).toHaveLength(6);
  expect(notes[5]).toBe('3 more policies would permit it to other callers');
});

describe('a URI that only a template fits', () => {
  const offers: Offers = {
    [formatBackendKey('git')]: {
      resources: [{ uri: 'doc:///public/../listed', name: 'listed' }],
      resourceTemplates: [{ uriTemplate: 'doc:///public/{+path}', name: 'public' }],
    },
  };
  const policies = [
    'permit(principal, action == Action::"read_resource", resource) when { resource.uri like "doc:///public/*" };',
  ];
  const read = (name: string) => ask(policies, { action: 'read_resource', name }, offers) as AccessAnswer;

  test('`lintel can` decides about a URI that fits a template as written and in each form to which a server may normalize it', () => {
    expect(read('doc:///public/a')).toMatchObject({ decision: 'allowed' });
    expect(read('doc:///public/x/../a')).toMatchObject({ decision: 'allowed' });
    const { decision, reason, notes } = read('doc:///public/../private');
    expect({ decision, reason }).toEqual({ decision: 'denied', reason: { type: 'no-permit' } });
    expect(notes).toContain('a server may read it as doc:///private, and the policies decide about that URI as well');
  });

  test.each([
    ['fits no template', 'tickets://7'],
    ['fits the beginning of a template only', 'doc:///publi'],
    ['is longer than gateways match', `doc:///public/${'a'.repeat(8_192)}`],
  ])('`lintel can` finds no resource for a URI that %s, if the tool lock has all backends', (_, uri) => {
    expect(read(uri)).toMatchObject({ decision: 'no-such-name' });
  });

  test('`lintel can` finds no resource for a URI if the only resource template is one that gateways cannot parse', () => {
    const broken = { [formatBackendKey('git')]: { resourceTemplates: [{ uriTemplate: 'doc:///{', name: 'broken' }] } };
    for (const name of ['doc:///{', 'doc:///a'])
      expect(ask(policies, { action: 'read_resource', name }, broken)).toMatchObject({ decision: 'no-such-name' });
  });

  test('`lintel can` decides about a listed URI exactly as it is listed, even if it also fits a template', () => {
    expect(read('doc:///public/../listed')).toMatchObject({ decision: 'allowed' });
  });
});

describe('arguments that a gateway refuses before it asks policies', () => {
  const PATHS = [EVERYTHING, 'forbid(principal, action, resource) when { context has arg_path };'];
  const tools = [{ name: 'list', inputSchema: { type: 'object', properties: { PATH: { type: 'string' } } } }];
  const offers: Offers = {
    [formatBackendKey('git')]: { tools, prompts: [{ name: 'plan', arguments: [{ name: 'PATH' }] }] },
  };
  const call = (
    args: Record<string, unknown>,
    question: Partial<AccessQuestion> = {},
    policies = PATHS,
    offered = offers,
  ) => ask(policies, { args, ...question }, offered) as AccessAnswer;

  test.each<[args: Record<string, unknown>, cause: string]>([
    [{ Path: '/' }, 'params.arguments has "Path", and policies look at "path": write it as it is declared'],
    [{ a: 1, A: 2 }, 'params.arguments has several members called "A"'],
    [
      Object.fromEntries(Array.from({ length: 10_001 }, (_, at) => [`a${at}`, at])),
      'params.arguments has more than 10000 members',
    ],
  ])(
    '`lintel can` denies arguments that a gateway refuses before it asks policies, with the reason (case %#)',
    (args, cause) => {
      expect(call(args)).toMatchObject({
        decision: 'denied',
        listed: true,
        reason: { type: 'refused-arguments', cause },
        notes: [],
      });
    },
  );

  test('`lintel can` allows an argument that is spelled as the tool or prompt declares it', () => {
    expect(call({ PATH: '/' })).toMatchObject({ decision: 'allowed' });
    expect(call({ PATH: '/' }, { action: 'get_prompt', name: 'git_plan' })).toMatchObject({ decision: 'allowed' });
  });

  test('`lintel can` allows arguments that differ only in case if no policy reads arguments', () => {
    expect(call({ Path: '/', path: '/' }, {}, [EVERYTHING])).toMatchObject({ decision: 'allowed' });
  });

  test('`lintel can` leaves misspelt arguments undecided if the tool lock lacks the tool', () => {
    const { decision, reason } = call({ Path: '/' }, {}, PATHS, {});
    expect(decision).toBe('undecided');
    expect(reason).toMatchObject({ type: 'unknown', cause: expect.stringMatching(/lintel lock` finds out$/) });
    expect(call({ a: 1, A: 2 }, {}, PATHS, {})).toMatchObject({ reason: { type: 'refused-arguments' } });
    expect(call({ Path: '/' }, {}, [...PATHS, 'forbid(principal, action, resource);'], {}).decision).toBe('denied');
  });

  test('`lintel can` says nothing about misspelt arguments if the caller does not see the tool', () => {
    const hidden = call({ Path: '/' }, {}, [
      'permit(principal == Client::"bob", action, resource) when { context has arg_path };',
    ]);
    expect(hidden).toMatchObject({ decision: 'denied', listed: false, reason: { type: 'no-permit' } });
  });

  test('`lintel can` denies a call with an argument that is too long for policies', () => {
    const { decision, reason } = call({ path: 'x'.repeat(70_000) });
    expect(decision).toBe('denied');
    expect(reason).toMatchObject({
      type: 'policy-error',
      errors: [{ message: expect.stringContaining('65536 characters') }],
    });
  });
});

describe('claims that decide nothing', () => {
  const STAFF = 'permit(principal in Group::"staff", action, resource);';
  const TEAM = 'permit(principal, action, resource) when { context has claim_team && context.claim_team == "a" };';

  test.each<[what: string, policies: readonly string[], claims: object, notes: readonly string[]]>([
    [
      'a misspelt claim name for groups',
      [STAFF],
      { group: 'staff' },
      ['no policy reads the claim "group"; did you mean "groups"?'],
    ],
    [
      'a misspelt name of a claim that a policy reads',
      [TEAM],
      { taem: 'a' },
      ['no policy reads the claim "taem"; did you mean "team"?'],
    ],
    [
      'a claim that no policy reads',
      [STAFF],
      { colour: 'red', groups: ['staff'] },
      ['no policy reads the claim "colour"'],
    ],
    ['a misspelt group', [STAFF], { groups: ['staf'] }, ['no policy names the group "staf"; did you mean "staff"?']],
    ['a group that no policy names', [STAFF], { groups: ['staff', 'cooks'] }, ['no policy names the group "cooks"']],
    [
      'a text in place of a list of groups',
      [STAFF],
      { groups: 'staff' },
      ['the claim "groups" is a text, and only a list names groups'],
    ],
    [
      'groups that a policy reads as a claim',
      [
        'permit(principal, action, resource) when { context has claimset_groups && context.claimset_groups.contains("x") };',
      ],
      { groups: ['y'] },
      [],
    ],
    ['claims that only authentication reads', [STAFF], { groups: ['staff'], scope: 'a', azp: 'b' }, []],
  ])('`lintel can` comments on claims that decide nothing: %s', (_, policies, claims, notes) => {
    const question = { claims: { ...ANN, ...claims }, areClaimsChosen: true };
    expect((ask(policies, question) as AccessAnswer).notes.filter(note => !note.startsWith('policy "'))).toEqual(notes);
  });

  test('`lintel can` comments on claims of a complete token only if they resemble a word of the policies', () => {
    const claims = { ...ANN, colour: 'red', group: 'staff', groups: ['cooks', 'staf'] };
    expect((ask([STAFF], { claims }) as AccessAnswer).notes.filter(note => !note.startsWith('policy "'))).toEqual([
      'no policy names the group "staf"; did you mean "staff"?',
    ]);
  });
});
