import { describe, expect, test } from 'vitest';
import { createLogger } from '#runtime';
import type { CedarPlan } from '#schemas';
import type { CedarAction, CedarTarget } from '#shared/plan';
import { UNLIMITED } from '../../../runtime/auth/authorization/authorizer.ts';
import { createAuthorizer } from '../../../runtime/auth/authorization/create-authorizer.ts';
import { ANONYMOUS, type Identity } from '../../../runtime/auth/identity.ts';
import { caller, cedarPlan, type PolicyText } from './plans.ts';

const log = createLogger('silent');
const none = () => ({});

const EVERYTHING = 'permit(principal, action, resource);';

interface Case {
  readonly policies: readonly PolicyText[];
  readonly plan?: Partial<CedarPlan>;
  readonly who?: Identity;
  readonly action?: CedarAction;
  readonly target?: CedarTarget;
  readonly args?: Record<string, unknown>;
  readonly call: boolean;
  /** By default the same answer as for the call. */
  readonly see?: boolean;
  readonly errors?: number;
}

const ECHO: CedarTarget = { name: 'a_echo' };

const CASES: Record<string, Case> = {
  'a permit': { policies: [EVERYTHING], call: true },
  'no matching policy': { policies: ['permit(principal == Client::"bob", action, resource);'], call: false },
  'a forbid next to a permit': { policies: [EVERYTHING, 'forbid(principal, action, resource);'], call: false },
  'the subject': { policies: ['permit(principal == Client::"alice", action, resource);'], call: true },
  'an anonymous caller': {
    policies: ['permit(principal == Client::"anonymous", action, resource);'],
    who: ANONYMOUS,
    call: true,
  },
  'a group': {
    policies: ['permit(principal in Group::"ops", action, resource);'],
    who: caller({ groups: ['dev', 'ops'] }),
    call: true,
  },
  'a group that is a string counts as no group': {
    policies: ['permit(principal in Group::"ops", action, resource);'],
    who: caller({ groups: 'ops' }),
    call: false,
  },
  'a group in an entity of the spec': {
    policies: ['permit(principal in Group::"all", action, resource);'],
    plan: {
      entities: [{ uid: { type: 'Group', id: 'ops' }, attrs: {}, parents: [{ type: 'Group', id: 'all' }] }],
    },
    who: caller({ groups: ['ops'] }),
    call: true,
  },
  'a claim': {
    policies: ['permit(principal, action, resource) when { principal.claim_org == "acme" };'],
    who: caller({ org: 'acme' }),
    call: true,
  },
  'a claim with several values': {
    policies: ['permit(principal, action, resource) when { principal.claimset_scope.contains("b") };'],
    plan: { multiValuedClaims: ['scope'] },
    who: caller({ scope: 'a b' }),
    call: true,
  },
  'the server': { policies: ['permit(principal, action, resource in MCP::"test");'], call: true },
  'the name of the tool that clients see': {
    policies: ['permit(principal, action == Action::"call_tool", resource == Tool::"a_echo");'],
    call: true,
  },
  'an annotation': {
    policies: ['permit(principal, action, resource) when { resource.readOnlyHint };'],
    target: { name: 'a_echo', annotations: { readOnlyHint: true } },
    call: true,
  },
  'an annotation that the tool does not have': {
    policies: ['permit(principal, action, resource) when { resource.readOnlyHint };'],
    call: false,
    errors: 1,
  },
  'an error next to a permit': {
    policies: [EVERYTHING, 'forbid(principal, action, resource) when { principal.claim_none };'],
    call: false,
    errors: 1,
  },
  'an argument that satisfies a condition': {
    policies: [{ text: 'permit(principal, action, resource) when { context.arg_n < 5 };', listText: EVERYTHING }],
    args: { n: 4 },
    call: true,
  },
  'an argument that violates a condition: the tool is listed, and the call denied': {
    policies: [{ text: 'permit(principal, action, resource) when { context.arg_n < 5 };', listText: EVERYTHING }],
    args: { n: 5 },
    call: false,
    see: true,
  },
  'a missing argument: the tool is listed, and the call is an error': {
    policies: [{ text: 'permit(principal, action, resource) when { context.arg_n < 5 };', listText: EVERYTHING }],
    call: false,
    see: true,
    errors: 1,
  },
  'an argument beyond the numbers of Cedar does not count as missing': {
    policies: [
      { text: `${EVERYTHING.slice(0, -1)} unless { context has arg_n && context.arg_n > 5 };`, listText: EVERYTHING },
    ],
    args: { n: 1e16 },
    call: false,
    see: true,
    errors: 1,
  },
  'the greatest integer that Cedar gets unchanged': {
    policies: [
      { text: `${EVERYTHING.slice(0, -1)} when { context.arg_n == principal.claim_n };`, listText: EVERYTHING },
    ],
    who: caller({ n: Number.MAX_SAFE_INTEGER }),
    args: { n: Number.MAX_SAFE_INTEGER },
    call: true,
  },
  ...Object.fromEntries(
    [2 ** 53, 2 ** 60, 2 ** 64, -(2 ** 53), 1e15 + 0.5, 1e300].map((n): [string, Case] => [
      `an argument of ${n} is equal to no claim beyond the numbers of Cedar`,
      {
        policies: [
          { text: `${EVERYTHING.slice(0, -1)} when { context.arg_n == principal.claim_n };`, listText: EVERYTHING },
        ],
        who: caller({ n: n < 0 ? -(2 ** 61) : 2 ** 61 }),
        args: { n },
        call: false,
        see: true,
        errors: 1,
      },
    ]),
  ),
  'an argument beyond the numbers of Cedar is not compared with decimals': {
    policies: [
      {
        text: 'permit(principal, action, resource) when { context.arg_n.lessThan(decimal("9.5")) };',
        listText: EVERYTHING,
      },
    ],
    args: { n: -1e15 - 0.5 },
    call: false,
    see: true,
    errors: 1,
  },
  'an argument named like an internal key does not replace that key': {
    policies: [
      EVERYTHING,
      {
        text: 'forbid(principal, action, resource) when { context has arg_o_present && context.arg_o_present == true };',
        listText: 'forbid(principal, action, resource) when { false };',
      },
    ],
    args: { o: {}, o_present: false },
    call: false,
    see: true,
  },
  'an error in the list text of a forbid policy hides the tool': {
    policies: [
      EVERYTHING,
      {
        text: 'forbid(principal, action, resource) when { principal.claim_none && context has arg_n };',
        listText: 'forbid(principal, action, resource) when { principal.claim_none && false };',
      },
    ],
    call: false,
    errors: 2,
  },
  'an error in a policy without a list text hides the tool': {
    policies: [
      { text: EVERYTHING, listText: EVERYTHING },
      'forbid(principal, action, resource) when { principal.claim_none };',
    ],
    call: false,
    errors: 2,
  },
  'a resource has no arguments, so lists and reads decide alike': {
    policies: [{ text: 'permit(principal, action, resource) when { context has arg_n };', listText: EVERYTHING }],
    action: 'read_resource',
    target: { name: 'file:///a' },
    call: false,
  },
  'a name with half of a surrogate pair': {
    policies: [EVERYTHING],
    target: { name: '\ud800' },
    call: false,
    errors: 1,
  },
  'a name that is very long': {
    policies: [EVERYTHING],
    target: { name: 'x'.repeat(65_537) },
    call: false,
    errors: 2,
  },
  'an argument that is very long': {
    policies: [{ text: `${EVERYTHING.slice(0, -1)} when { context.arg_n like "x*" };`, listText: EVERYTHING }],
    args: { n: 'x'.repeat(65_537) },
    call: false,
    see: true,
    errors: 1,
  },
  'a very long argument that no policy reads': {
    policies: [{ text: `${EVERYTHING.slice(0, -1)} when { context.arg_n == 1 };`, listText: EVERYTHING }],
    args: { n: 1, text: 'x'.repeat(65_537) },
    call: true,
  },
  'very many arguments that no policy reads': {
    policies: [{ text: `${EVERYTHING.slice(0, -1)} when { context.arg_n == 1 };`, listText: EVERYTHING }],
    args: { ...Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`n${index}`, 1])), n: 1 },
    call: true,
  },
  'very many arguments with a policy that reads all arguments': {
    policies: [{ text: `${EVERYTHING.slice(0, -1)} unless { context == {} };`, listText: EVERYTHING }],
    args: Object.fromEntries(Array.from({ length: 257 }, (_, index) => [`n${index}`, 1])),
    call: false,
    see: true,
    errors: 1,
  },
  'an argument with half of a surrogate pair': {
    policies: [{ text: `${EVERYTHING.slice(0, -1)} when { context has arg_n };`, listText: EVERYTHING }],
    args: { n: '\udc00' },
    call: false,
    see: true,
    errors: 1,
  },
  'an argument whose name has half of a surrogate pair': {
    policies: [{ text: `${EVERYTHING.slice(0, -1)} unless { context == {} };`, listText: EVERYTHING }],
    args: { '\udc00': 1 },
    call: false,
    see: true,
    errors: 1,
  },
  'claims that Cedar cannot process': {
    policies: [`${EVERYTHING.slice(0, -1)} when { principal has claim_org };`],
    who: caller({ org: '\ud800' }),
    call: false,
    errors: 1,
  },
  'claims that Cedar cannot process, with a policy that reads all arguments': {
    policies: [`${EVERYTHING.slice(0, -1)} unless { context == {} };`],
    who: caller({ org: '\ud800' }),
    call: false,
    errors: 1,
  },
  'claims that Cedar cannot process and no policy reads': {
    policies: [EVERYTHING],
    who: caller({ org: '\ud800' }),
    call: true,
  },
  'groups that contain themselves': {
    policies: [EVERYTHING],
    plan: {
      entities: [{ uid: { type: 'Group', id: 'ops' }, attrs: {}, parents: [{ type: 'Client', id: 'alice' }] }],
    },
    who: caller({ groups: ['ops'] }),
    call: false,
    errors: 1,
  },
};

describe('decisions', () => {
  test.each(Object.entries(CASES))(
    'a Cedar policy decides which items a caller may call and which the caller sees in lists: %s',
    (_, { policies, plan, who, action, target, args, call, see, errors }) => {
      const authorizer = createAuthorizer(cedarPlan(policies, plan), log);
      const access = authorizer.getAccess(who ?? caller());
      expect(access.isUnlimited).toBe(false);
      for (let times = 0; times < 2; times++) {
        expect(access.mayCall(action ?? 'call_tool', target ?? ECHO, () => args ?? {})).toBe(call);
        expect(access.maySee(action ?? 'call_tool', target ?? ECHO)).toBe(see ?? call);
        if (times === 0) expect(authorizer.errorCount).toBe(errors ?? 0);
      }
    },
  );

  test('a gateway without policies permits every call, and does not parse the arguments of the call', () => {
    const authorizer = createAuthorizer({ engine: 'none', policyCount: 0 }, log);
    expect(authorizer).toBe(UNLIMITED);
    const access = authorizer.getAccess(ANONYMOUS);
    expect(access.isUnlimited).toBe(true);
    expect(access.mayCall('call_tool', ECHO, () => expect.unreachable())).toBe(true);
  });

  test('the authorizer does not parse the arguments of a call if no policy reads them', () => {
    const access = createAuthorizer(cedarPlan([EVERYTHING]), log).getAccess(caller());
    expect(access.mayCall('call_tool', ECHO, () => expect.unreachable())).toBe(true);
  });

  test.each([500, 5_000, 100_000])(
    'a caller with a claim nested %d levels deep does not affect the decisions about other callers',
    levels => {
      const policy = `${EVERYTHING.slice(0, -1)} when { !(principal has claim_deep) };`;
      const authorizer = createAuthorizer(cedarPlan([policy]), log);
      let deep: unknown = 'x';
      for (let level = 0; level < levels; level++) deep = [deep];
      expect(authorizer.getAccess(caller({ deep })).mayCall('call_tool', ECHO, none)).toBe(false);
      expect(authorizer.getAccess(caller()).mayCall('call_tool', ECHO, none)).toBe(true);
    },
  );

  test('the authorizer decides once for calls that differ only in arguments that no policy reads', () => {
    const policy = {
      text: `${EVERYTHING.slice(0, -1)} when { context has arg_n && context.arg_n == 1 };`,
      listText: EVERYTHING,
    };
    const access = createAuthorizer(cedarPlan([policy]), log).getAccess(caller());
    const may = (args: object) => access.mayCall('call_tool', ECHO, () => args as Record<string, unknown>);
    const answers = [{ n: 1, a: 1 }, { n: 1, a: 2 }, { n: 2 }, { n: [1] }, { n_present: true }, {}, { n: 1 }].map(may);
    expect(answers).toEqual([true, true, false, false, false, false, true]);
  });

  test('the authorizer decides separately about argument values that JSON would write in the same way', () => {
    const policy = {
      text: `${EVERYTHING.slice(0, -1)} unless { context has arg_n };`,
      listText: EVERYTHING,
    };
    const access = createAuthorizer(cedarPlan([policy]), log).getAccess(caller());
    expect([null, Number.POSITIVE_INFINITY, null].map(n => access.mayCall('call_tool', ECHO, () => ({ n })))).toEqual([
      true,
      false,
      true,
    ]);
  });

  test('the authorizer decides again about a tool whose annotations have changed', () => {
    const policy = 'permit(principal, action, resource) when { resource has readOnlyHint && resource.readOnlyHint };';
    const access = createAuthorizer(cedarPlan([policy]), log).getAccess(caller());
    expect(access.mayCall('call_tool', { name: 'a' }, none)).toBe(false);
    expect(access.mayCall('call_tool', { name: 'a', annotations: { readOnlyHint: true } }, none)).toBe(true);
    expect(access.mayCall('call_tool', { name: 'a', annotations: { readOnlyHint: false } }, none)).toBe(false);
  });

  test('the log names a policy that cannot be evaluated once, without values that callers sent', () => {
    const lines: string[] = [];
    const told = { ...log, warn: (line: string) => lines.push(line), debug: () => {} } as unknown as typeof log;
    const policy = 'permit(principal, action, resource) when { decimal(context.arg_n).lessThan(decimal("1.0")) };';
    const access = createAuthorizer(cedarPlan([{ text: policy, listText: EVERYTHING }]), told).getAccess(caller());
    for (const n of ['hunter2', 'hunter3']) access.mayCall('call_tool', ECHO, () => ({ n }));
    expect(lines).toEqual(['denied: policy "policy0" could not be evaluated; /status counts how often']);
  });
});

describe('refused plans', () => {
  const refused: [string, Partial<CedarPlan>, RegExp][] = [
    ['no policies at all', { policyCount: 0, policies: [] }, /there are no policies/],
    ['fewer policies than announced', { policyCount: 2 }, /the bundle announces 2 policies and has 1/],
    [
      'more policies than announced',
      { policyCount: 1, policies: cedarPlan([EVERYTHING, EVERYTHING]).policies },
      /1 policies/,
    ],
    [
      'two policies of the same id',
      { policyCount: 2, policies: [...cedarPlan([EVERYTHING]).policies, ...cedarPlan([EVERYTHING]).policies] },
      /the bundle announces 2 policies and has 1/,
    ],
    ['an invalid entity', { entities: [{ uid: { type: 'no type', id: 'x' }, attrs: {}, parents: [] }] }, /entities/],
  ];
  test.each(refused)('the gateway refuses an authorization plan with %s', (_, more, message) => {
    expect(() => createAuthorizer(cedarPlan([EVERYTHING], more), log)).toThrow(message);
  });

  test.each([
    ['a syntax error', 'permit(principal'],
    ['two policies in one text', EVERYTHING + EVERYTHING],
    ['only a comment in its text', ' // nothing'],
    ['a template', 'permit(principal == ?principal, action, resource);'],
    ['a policy that is nested too deeply', `permit(principal, action, resource) when { ${'!'.repeat(100_000)}true };`],
  ])('the gateway refuses a policy text with %s, and names the policy', (_, text) => {
    expect(() => createAuthorizer(cedarPlan([EVERYTHING, text]), log)).toThrow(
      /policy "policy1" \(policy1\) cannot be read: /,
    );
    const listText = { text: EVERYTHING, listText: text };
    expect(() => createAuthorizer(cedarPlan([EVERYTHING, listText]), log)).toThrow(/policy "policy1"/);
  });
});
