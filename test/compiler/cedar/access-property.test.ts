import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CedarCaller } from '#shared/plan';
import { type ItemAccess, loadAuthorization } from '../../../compiler/analysis/cedar/access.ts';
import { findPolicySet } from '../../../compiler/analysis/cedar/authorization.ts';
import { decide } from '../../../compiler/analysis/cedar/decide.ts';
import { buildCedarPlan } from '../../../compiler/analysis/cedar/plan.ts';
import type { CedarPlan } from '../../../schemas/index.ts';
import { entries, formatBackendKey, models, object } from '../../support/gateway-rule.ts';
import { runs } from '../../support/runs.ts';

const atom = fc.constantFrom(
  'true',
  'false',
  'principal in Group::"eng"',
  'principal in Org::"corp"',
  'principal == Client::"joe"',
  'principal is Client',
  'principal is Tool',
  'principal in [Group::"eng", Group::"ops"]',
  'principal has claim_team',
  'principal.claim_team == "a"',
  'principal.claim_team like "a*"',
  'principal.claim_admin',
  'principal.claim_level > 3',
  'principal.claim_roles.contains("dev")',
  'context has claim_team',
  'context has arg_branch',
  'context.arg_branch == "main"',
  'context has claim_team && context.claim_team == principal.claim_team',
  'resource.readOnlyHint',
  'resource has destructiveHint',
  'resource.destructiveHint == false',
  'resource.name like "list*"',
  'resource.name == "drop"',
  'resource == Tool::"list"',
  'resource in MCP::"eng"',
  'resource in Owner::"data"',
  'resource is Tool',
  'resource has arg_branch && resource.arg_branch == "main"',
  'resource.tier == 1',
  'action == Action::"call_tool"',
  'Client::"joe" in Group::"eng"',
  'Client::"joe".badge == 7',
  '["a", "b"].contains(resource.name)',
  '[principal.claim_team, "a"].contains("a")',
  'principal has claim_team.lead',
  'principal has claim_team.lead && principal.claim_team.lead == "a"',
  'context has claim_team && context.claim_team has lead && context.claim_team.lead == "a"',
  '(1 + 1) == 2',
  'resource.feature == "tool"',
);
const condition = fc.letrec<{ expr: string }>(tie => ({
  expr: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    atom,
    fc.tuple(tie('expr'), tie('expr')).map(([a, b]) => `(${a} && ${b})`),
    fc.tuple(tie('expr'), tie('expr')).map(([a, b]) => `(${a} || ${b})`),
    tie('expr').map(a => `!(${a})`),
    fc.tuple(tie('expr'), tie('expr'), tie('expr')).map(([a, b, c]) => `(if ${a} then ${b} else ${c})`),
    fc.tuple(tie('expr'), tie('expr')).map(([a, b]) => `((${a}) == (${b}))`),
  ),
})).expr;
const policy = fc
  .tuple(
    fc.constantFrom('permit', 'permit', 'permit', 'forbid'),
    fc.constantFrom(
      'principal',
      'principal',
      'principal in Group::"eng"',
      'principal == Client::"joe"',
      'principal is Client in Group::"ops"',
    ),
    fc.constantFrom(
      'action',
      'action',
      'action == Action::"call_tool"',
      'action in [Action::"call_tool", Action::"get_prompt"]',
    ),
    fc.constantFrom('resource', 'resource', 'resource == Tool::"list"', 'resource in MCP::"eng"', 'resource is Tool'),
    fc.option(condition),
    fc.option(condition, { freq: 6 }),
  )
  .map(([effect, principal, action, resource, when, unless]) => {
    const conditions = `${when === null ? '' : ` when { ${when} }`}${unless === null ? '' : ` unless { ${unless} }`}`;
    return `${effect}(${principal}, ${action}, ${resource})${conditions};`;
  });

const scalar = fc.constantFrom<unknown>('a', 'abc', 'b', true, false, 1, 5, 2.5, null, ['dev'], [], { lead: 'x' });
const args = fc.dictionary(fc.constantFrom('branch', 'other'), scalar, { noNullPrototype: true });
interface Call {
  readonly caller: CedarCaller;
  readonly args: Readonly<Record<string, unknown>>;
}
const caller: fc.Arbitrary<CedarCaller> = fc
  .record({
    subject: fc.constantFrom('joe', 'ann', 'bob'),
    claims: fc.dictionary(fc.constantFrom('team', 'admin', 'level', 'roles'), scalar, { noNullPrototype: true }),
    groups: fc.uniqueArray(fc.constantFrom('eng', 'ops', 'hr')),
  })
  .map(({ subject, claims, groups }) => ({ subject, claims: { ...claims, groups } }));
const call: fc.Arbitrary<Call> = fc.record({ caller, args });
const hints = fc.record(
  { readOnlyHint: fc.boolean(), destructiveHint: fc.boolean() },
  { requiredKeys: [], noNullPrototype: true },
);
const entities = fc.constantFrom(
  [],
  [
    { uid: { type: 'Group', id: 'eng' }, attrs: {}, parents: [{ type: 'Org', id: 'corp' }] },
    { uid: { type: 'Client', id: 'joe' }, attrs: { badge: 7 }, parents: [{ type: 'Group', id: 'ops' }] },
    { uid: { type: 'Client', id: 'anonymous' }, attrs: { claim_team: 'a' }, parents: [{ type: 'Group', id: 'eng' }] },
    { uid: { type: 'Tool', id: 'list' }, attrs: { tier: 1 }, parents: [{ type: 'Owner', id: 'data' }] },
  ],
);

function gatewayWith(policies: readonly string[], type = 'oidc', entitiesJson = '[]') {
  const inline = JSON.stringify({ policies, entitiesJson });
  const oidc = type === 'oidc' ? 'oidcConfigRef: { name: corp, audience: mcp }, ' : '';
  const spec = `{ groupRef: { name: tools }, incomingAuth: { type: ${type}, ${oidc}authzConfig: { type: inline, inline: ${inline} } } }`;
  return object('VirtualMCPServer', spec, 'eng');
}

function planOf(texts: readonly string[], type: string, given: unknown): CedarPlan | undefined {
  const [gateway] = models([entries('git'), gatewayWith(texts, type, JSON.stringify(given))], {});
  const set = gateway && findPolicySet(gateway);
  return set && buildCedarPlan('eng', set);
}

function residualHolds(
  access: ItemAccess & { type: 'some' },
  decide: (policies: readonly string[]) => boolean,
): boolean {
  const permits = access.permits.map(({ text }) => `permit(principal, action, resource) when { ${text} };`);
  const forbids = access.forbids
    .filter(({ fails }) => fails !== true)
    .map(({ text }) => `forbid(principal, action, resource) when { ${text} };`);
  return decide([...permits, ...forbids]);
}

test('the compiler and Cedar agree which callers random policies permit: all, none or those who meet a condition', () => {
  const seen = { everyone: 0, nobody: 0, some: 0 };
  fc.assert(
    fc.property(
      fc.array(policy, { minLength: 1, maxLength: 4 }),
      fc.constantFrom('list', 'drop'),
      hints,
      fc.array(call, { minLength: 6, maxLength: 6 }),
      entities,
      fc.constantFrom('oidc', 'oidc', 'anonymous'),
      (policies, name, annotations, calls, given, type) => {
        const target = { name, definition: { name, annotations } };
        const offers = { [formatBackendKey('git')]: { tools: [target.definition] } };
        const [gateway] = models([entries('git'), gatewayWith(policies, type, JSON.stringify(given))], offers);
        const whole = gateway && loadAuthorization(gateway);
        expect(whole).toBeDefined();
        const access = whole?.getAccess('call_tool', target) ?? { type: 'nobody' };
        seen[access.type] += 1;
        for (const { caller, args } of calls) {
          const isAllowed = (texts: readonly string[]) => {
            const plan = planOf(texts, type, given);
            expect(plan).toBeDefined();
            const who = type === 'anonymous' ? undefined : caller;
            return plan !== undefined && decide(plan, who, 'call_tool', { name, annotations }, args).type === 'allow';
          };
          const allowed = isAllowed(policies);
          if (access.type === 'everyone') expect(allowed).toBe(true);
          else if (access.type === 'nobody') expect(allowed).toBe(false);
          else if (allowed) expect(residualHolds(access, isAllowed)).toBe(true);
          else if (!access.forbids.some(({ fails }) => fails)) expect(residualHolds(access, isAllowed)).toBe(false);
        }
      },
    ),
    { seed: 5, numRuns: runs(300) },
  );
  expect(Math.min(seen.everyone, seen.nobody, seen.some)).toBeGreaterThan(runs(3) - 1);
});
