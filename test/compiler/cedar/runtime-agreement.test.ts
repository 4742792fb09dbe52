/** The compiler predicts the decisions of the runtime, for random policies, callers, targets and arguments. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLogger } from '#runtime';
import type { CedarAction, CedarCaller, CedarTarget } from '#shared/plan';
import { decide, isListed } from '../../../compiler/analysis/cedar/decide.ts';
import { createAuthorizer } from '../../../runtime/auth/authorization/create-authorizer.ts';
import { ANONYMOUS, createIdentity, NO_UPSTREAM_TOKENS } from '../../../runtime/auth/identity.ts';
import type { CedarPlan } from '../../../schemas/index.ts';
import { entries, formatBackendKey, models, object } from '../../support/gateway-rule.ts';
import { runs } from '../../support/runs.ts';

const POLICY_SETS = runs(250);
const REQUESTS_EACH = 40;

/** Half of a surrogate pair, for which Cedar throws an error. */
const BROKEN = 'a\ud800';

const atom = fc.constantFrom(
  'true',
  'principal in Team::"eng"',
  'principal in Org::"corp"',
  'principal in Team::"admins"',
  'principal == Client::"joe"',
  'principal == Client::"anonymous"',
  'principal has claim_team',
  'principal.claim_team == "a"',
  'principal has claim_level && principal.claim_level > 3',
  'principal has claimset_scope && principal.claimset_scope.contains("write")',
  'context has claim_scope && context.claim_scope like "*read*"',
  'principal.claim_address.country == "NL"',
  'context has arg_branch',
  'context.arg_branch == "main"',
  'context has arg_branch && context.arg_branch == "main"',
  'context has arg_force && context.arg_force',
  'context has arg_paths_present',
  'resource has arg_branch && resource.arg_branch like "feature/*"',
  'context has arg_amount && context.arg_amount < 100',
  'context has arg_ratio && context.arg_ratio.lessThan(decimal("1.5"))',
  'context == {}',
  'resource has readOnlyHint && resource.readOnlyHint',
  'resource.readOnlyHint',
  'resource has destructiveHint && !resource.destructiveHint',
  'resource has name && resource.name like "list*"',
  'resource has uri && resource.uri like "note:*"',
  'resource in MCP::"eng"',
  'resource is Prompt',
  'action == Action::"call_tool"',
  'resource has tier && resource.tier == 1',
);
const condition = fc.letrec<{ expr: string }>(tie => ({
  expr: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { arbitrary: atom, weight: 3 },
    { arbitrary: fc.tuple(tie('expr'), tie('expr')).map(([a, b]) => `(${a} && ${b})`), weight: 1 },
    { arbitrary: fc.tuple(tie('expr'), tie('expr')).map(([a, b]) => `(${a} || ${b})`), weight: 1 },
    { arbitrary: tie('expr').map(a => `!(${a})`), weight: 1 },
    {
      arbitrary: fc.tuple(tie('expr'), tie('expr'), tie('expr')).map(([a, b, c]) => `(if ${a} then ${b} else ${c})`),
      weight: 1,
    },
  ),
})).expr;
const policy = fc
  .tuple(
    fc.constantFrom('permit', 'permit', 'permit', 'forbid'),
    fc.constantFrom('principal', 'principal', 'principal in Team::"eng"', 'principal == Client::"joe"'),
    fc.constantFrom('action', 'action', 'action == Action::"call_tool"', 'action == Action::"read_resource"'),
    fc.constantFrom('resource', 'resource', 'resource == Tool::"list_all"', 'resource is Resource'),
    fc.constantFrom('when', 'when', 'when', 'unless'),
    condition,
  )
  .map(([effect, who, what, on, kind, expr]) => `${effect}(${who}, ${what}, ${on}) ${kind} { ${expr} };`);

const value = fc.constantFrom<unknown>(
  'main',
  'feature/x',
  'a',
  '',
  true,
  false,
  0,
  4,
  250,
  1.25,
  -7.5,
  2 ** 60,
  null,
  ['eng'],
  ['eng', 'ops', 7],
  [],
  'read write',
  ['read'],
  { country: 'NL' },
  { __entity: { type: 'Team', id: 'admins' } },
);
const claims = fc.dictionary(
  fc.constantFrom('team', 'level', 'scope', 'groups', 'roles', 'address', 'https://corp.example/groups', 'realm'),
  fc.oneof(value, fc.constant({ teams: ['eng', 'admins'] })),
  { noNullPrototype: true },
);
const caller: fc.Arbitrary<CedarCaller | undefined> = fc.option(
  fc.record({ subject: fc.constantFrom('joe', 'ann', 'anonymous'), claims }),
  { nil: undefined, freq: 8 },
);
const hints = fc.record(
  { readOnlyHint: fc.boolean(), destructiveHint: fc.boolean(), title: fc.constant('A title') },
  { requiredKeys: [], noNullPrototype: true },
);
const names = fc.constantFrom('list_all', 'drop', 'note:///a', 'note:///{name}');
const args = fc.dictionary(
  fc.constantFrom('branch', 'force', 'paths', 'amount', 'ratio'),
  fc.oneof({ arbitrary: value, weight: 300 }, { arbitrary: fc.constant(BROKEN), weight: 1 }),
  { noNullPrototype: true },
);
interface Request {
  readonly caller: CedarCaller | undefined;
  readonly action: CedarAction;
  readonly target: CedarTarget;
  readonly args: Readonly<Record<string, unknown>>;
}
const request: fc.Arbitrary<Request> = fc.record({
  caller,
  action: fc.constantFrom<CedarAction>('call_tool', 'call_tool', 'get_prompt', 'read_resource'),
  target: fc.record({
    name: fc.oneof({ arbitrary: names, weight: 300 }, { arbitrary: fc.constant(BROKEN), weight: 1 }),
    annotations: fc.option(hints, { nil: undefined }),
  }),
  args,
});
const entities = fc.constantFrom<readonly object[]>(
  [],
  [
    { uid: { type: 'Team', id: 'eng' }, attrs: {}, parents: [{ type: 'Org', id: 'corp' }] },
    { uid: { type: 'Client', id: 'ann' }, attrs: { claim_team: 'a' }, parents: [{ type: 'Team', id: 'eng' }] },
    { uid: { type: 'Tool', id: 'list_all' }, attrs: { tier: 1, arg_branch: 'main' }, parents: [] },
  ],
);
const claimSettings = fc.constantFrom(
  '',
  'groupClaimName: "https://corp.example/groups", ',
  'groupClaimName: realm.teams, roleClaimName: roles, ',
);

/** The plan that is lowered from a spec. */
function planOf(policies: readonly string[], given: readonly object[], claimNames: string): CedarPlan {
  const inline = JSON.stringify({ policies, entitiesJson: JSON.stringify(given) });
  const authz = `authzConfig: { type: inline, groupEntityType: Team, ${claimNames}inline: ${inline} }`;
  const incoming = `incomingAuth: { type: oidc, oidcConfigRef: { name: corp, audience: mcp }, ${authz} }`;
  const [gateway] = models(
    [entries('git'), object('VirtualMCPServer', `{ groupRef: { name: tools }, ${incoming} }`, 'eng')],
    { [formatBackendKey('git')]: {} },
  );
  const plan = gateway?.plan.authorization;
  if (plan?.engine !== 'cedar') throw new Error('the gateway has no policies');
  return plan;
}

function identityFor(caller: CedarCaller | undefined) {
  if (caller === undefined) return ANONYMOUS;
  return createIdentity({
    issuer: 'https://id.example.com',
    ...caller,
    expiresAt: Number.MAX_SAFE_INTEGER,
    token: null,
    upstreamTokens: NO_UPSTREAM_TOKENS,
  });
}

test('the runtime decides about calls and lists by random policies as the compiler predicts', () => {
  const log = createLogger('silent');
  const seen = { requests: 0, allowed: 0, forbidden: 0, unpermitted: 0, failed: 0, listedOnly: 0, hidden: 0 };
  fc.assert(
    fc.property(
      fc.array(policy, { minLength: 1, maxLength: 5 }),
      entities,
      claimSettings,
      fc.array(request, { minLength: REQUESTS_EACH, maxLength: REQUESTS_EACH }),
      (policies, given, claimNames, requests) => {
        const plan = planOf(policies, given, claimNames);
        expect(plan.policyCount).toBe(policies.length);
        const authorizer = createAuthorizer(plan, log);
        for (const { caller, action, target, args } of requests) {
          // `resources/read` has no arguments.
          const given = action === 'read_resource' ? {} : args;
          const access = authorizer.getAccess(identityFor(caller));
          const decision = decide(plan, caller, action, target, given);
          const listed = isListed(plan, caller, action, target);
          const said = { call: decision.type === 'allow', list: listed };
          const done = { call: access.mayCall(action, target, () => given), list: access.maySee(action, target) };
          expect(done, JSON.stringify({ plan, caller, action, target, args })).toEqual(said);
          seen.requests++;
          if (decision.type === 'allow') seen.allowed++;
          else if (decision.type === 'fails') seen.failed++;
          else if (decision.forbids.length > 0) seen.forbidden++;
          else seen.unpermitted++;
          if (listed && !said.call) seen.listedOnly++;
          if (!listed) seen.hidden++;
        }
      },
    ),
    // The message contains the request for which the two differ; shrinking it would take minutes.
    { seed: 11, numRuns: POLICY_SETS, endOnFailure: true },
  );
  expect(seen.requests).toBe(POLICY_SETS * REQUESTS_EACH);
  // Every kind of decision occurs, so that none agrees only for lack of cases.
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(runs(300));
}, 600_000);
