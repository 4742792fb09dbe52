/** A list shows every item that the caller may call with some arguments. */
import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { CedarCaller } from '#shared/plan';
import { decide, isListed } from '../../../compiler/analysis/cedar/decide.ts';
import { toExpression } from '../../../compiler/analysis/cedar/expression.ts';
import { parsePolicies } from '../../../compiler/analysis/cedar/parse-policies.ts';
import { formatForLists } from '../../../compiler/analysis/cedar/without-arguments.ts';
import type { CedarEntityPlan, CedarPlan } from '../../../schemas/index.ts';
import { runs } from '../../support/runs.ts';

/** The variant of a policy for lists (`listText`); the policy itself if it reads no arguments. */
function listTextOf(policy: string, entities: readonly CedarEntityPlan[] = []): string {
  const parsed = parsePolicies(policy);
  expect(parsed.problems).toEqual([]);
  const json = parsed.policies[0]?.json;
  if (json === undefined) throw new Error('no policy');
  return formatForLists(json.effect, toExpression(json), entities) ?? policy;
}

describe('policies that decide about lists', () => {
  const permit = (condition: string) => `permit(principal, action, resource) when { ${condition} };`;
  it.each<[string, string, string]>([
    ['stays the same if it reads no arguments', permit('principal has claim_a'), permit('principal has claim_a')],
    ['assumes that an argument meets a permit', permit('context.arg_x == 1'), 'permit(principal, action, resource);'],
    [
      'assumes that an argument of the resource meets a permit',
      permit('resource has arg_x && resource.arg_x > 1'),
      'permit(principal, action, resource);',
    ],
    [
      'assumes that an argument meets a negated permit',
      permit('!(context has arg_x)'),
      'permit(principal, action, resource);',
    ],
    [
      'assumes that an argument does not meet a forbid',
      'forbid(principal, action, resource) when { context.arg_x == 1 };',
      'forbid(principal, action, resource) when { false };',
    ],
    [
      'assumes that an argument meets the exception of a forbid',
      'forbid(principal, action, resource) unless { context.arg_x == 1 };',
      'forbid(principal, action, resource) when { false };',
    ],
    [
      'keeps its scope and the condition in front of an argument',
      'permit(principal in Group::"eng", action, resource) when { principal.claim_a == 1 && context.arg_x == 1 };',
      permit('principal in Group::"eng" && principal.claim_a == 1'),
    ],
    [
      'keeps the condition behind an argument if it cannot fail',
      permit('context has arg_x && principal in Group::"eng"'),
      permit('principal in Group::"eng"'),
    ],
    [
      'guards a condition that could fail behind an argument',
      permit('context has arg_x && principal.claim_a == "a"'),
      permit('principal has claim_a && principal.claim_a == "a"'),
    ],
    [
      'guards a bare attribute as a Boolean',
      permit('context has arg_x && principal.claim_admin'),
      permit('principal has claim_admin && principal.claim_admin == true'),
    ],
    [
      'drops a condition behind an argument that could fail by its type',
      permit('context has arg_x && principal.claim_level > 3'),
      'permit(principal, action, resource);',
    ],
    [
      'keeps patterns over names',
      permit('context has arg_x && resource.name like "git*"'),
      permit('resource has name && resource.name like "git*"'),
    ],
    [
      'takes either branch of an if by an argument',
      permit('if context has arg_x then principal in Group::"a" else principal in Group::"b"'),
      permit('principal in Group::"a" || principal in Group::"b"'),
    ],
    [
      'keeps an if by another condition',
      permit('if principal in Group::"a" then context.arg_x == 1 else false'),
      permit('if principal in Group::"a" then true else false'),
    ],
    ['treats the context as a whole as arguments', permit('context == {}'), 'permit(principal, action, resource);'],
    [
      'treats the context inside of a record as arguments',
      permit('{ c: context } == { c: {} }'),
      'permit(principal, action, resource);',
    ],
    ['compares entities by id', permit('resource == Tool::"a"'), permit('resource == Tool::"a"')],
    [
      'drops numbers that JSON rounds',
      permit('context has arg_x && principal in Group::"a" && principal.claim_n == 9223372036854775807'),
      permit('principal in Group::"a"'),
    ],
    [
      'stays the same with a large number if it reads no arguments',
      permit('principal.claim_n == 9223372036854775807'),
      permit('principal.claim_n == 9223372036854775807'),
    ],
    [
      'treats attributes of an entity that may be the resource as arguments',
      permit('Tool::"a" has arg_x'),
      'permit(principal, action, resource);',
    ],
  ])('the policy that decides which tools are listed %s', (_, policy, expected) => {
    expect(listTextOf(policy)).toBe(expected);
  });

  it('the policy that decides which tools are listed drops a condition with a name pattern if an entity has a name that is no string', () => {
    const entities = [{ uid: { type: 'Resource', id: 'a' }, attrs: { name: 5 }, parents: [] }];
    expect(listTextOf(permit('context has arg_x && resource.name like "git*"'), entities)).toBe(
      'permit(principal, action, resource);',
    );
  });
});

const atom = fc.constantFrom(
  'true',
  'false',
  'principal in Group::"eng"',
  'principal has claim_team',
  'principal.claim_team == "a"',
  'principal.claim_team like "a*"',
  'principal.claim_admin',
  'principal.claim_level > 3',
  'principal.claim_roles.contains("dev")',
  'context has arg_branch',
  'context has arg_branch',
  'context.arg_branch == "a"',
  'context.arg_branch like "a*"',
  'context.arg_branch',
  'context.arg_branch == principal.claim_team',
  'context.arg_other > principal.claim_level',
  'resource has arg_other && resource.arg_other == 1',
  'resource.arg_other_present',
  'context == {}',
  'context.claim_team == "a"',
  'resource.name like "l*"',
  'resource.readOnlyHint',
  'Tool::"list" has arg_branch',
  '["a", "b"].contains(principal.claim_team)',
  '[context, principal].contains(principal)',
  '1 + 1 == 2',
  'context.arg_other + 1 == 2',
  'principal.claim_level + 9223372036854775807 == 0',
);
const condition = fc.letrec<{ expr: string }>(tie => ({
  expr: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
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
    fc.constantFrom('permit', 'permit', 'forbid'),
    fc.constantFrom('principal', 'principal', 'principal in Group::"eng"', 'principal == Client::"joe"'),
    fc.constantFrom('resource', 'resource', 'resource == Tool::"list"', 'resource in MCP::"eng"'),
    fc.constantFrom('when', 'when', 'unless'),
    condition,
  )
  .map(
    ([effect, principal, resource, kind, expr]) => `${effect}(${principal}, action, ${resource}) ${kind} { ${expr} };`,
  );
const scalar = fc.constantFrom<unknown>('a', 'abc', 'b', true, false, 1, 5, 2.5, null, ['dev'], [], { lead: 'x' });
const caller: fc.Arbitrary<CedarCaller | undefined> = fc.option(
  fc.record({
    subject: fc.constantFrom('joe', 'ann'),
    claims: fc.dictionary(fc.constantFrom('team', 'admin', 'level', 'roles', 'groups'), scalar, {
      noNullPrototype: true,
    }),
  }),
  { nil: undefined, freq: 5 },
);
const args = fc.dictionary(fc.constantFrom('branch', 'other'), scalar, { noNullPrototype: true });
const entities = fc.constantFrom<readonly CedarEntityPlan[]>(
  [],
  [
    { uid: { type: 'Client', id: 'anonymous' }, attrs: { claim_team: 'a' }, parents: [{ type: 'Group', id: 'eng' }] },
    { uid: { type: 'Tool', id: 'list' }, attrs: { arg_branch: 'a', readOnlyHint: 'no' }, parents: [] },
  ],
);

test('a gateway lists every tool that a caller may call with some arguments', () => {
  const seen = { callable: 0, hidden: 0, argumentsMatter: 0 };
  fc.assert(
    fc.property(
      fc.array(policy, { minLength: 1, maxLength: 4 }),
      entities,
      caller,
      fc.array(args, { minLength: 5, maxLength: 5 }),
      (texts, given, who, calls) => {
        const plan = planOf(texts, given);
        const target = { name: 'list', annotations: { readOnlyHint: true } };
        const isCallable = [{}, ...calls].some(call => decide(plan, who, 'call_tool', target, call).type === 'allow');
        const listed = isListed(plan, who, 'call_tool', target);
        if (isCallable) {
          seen.callable++;
          expect(listed).toBe(true);
        }
        if (!listed) seen.hidden++;
        const looks = texts.map(text => text.includes('arg_') || /context(?! ?(?:\.|has))/.test(text));
        expect(plan.policies.map(({ listText }) => listText !== undefined)).toEqual(looks);
        if (looks.includes(true)) seen.argumentsMatter++;
        else expect(listed).toBe(decide(plan, who, 'call_tool', target).type === 'allow');
      },
    ),
    { seed: 7, numRuns: runs(600) },
  );
  expect(Math.min(seen.callable, seen.hidden, seen.argumentsMatter)).toBeGreaterThan(runs(30));
});

function planOf(texts: readonly string[], entities: readonly CedarEntityPlan[]): CedarPlan {
  return {
    engine: 'cedar',
    policyCount: texts.length,
    policies: texts.map((text, index) => {
      const id = `policy${index}`;
      const listText = listTextOf(text, entities);
      return listText === text ? { id, name: id, text } : { id, name: id, text, listText };
    }),
    entities,
    server: 'eng',
    groupType: 'Group',
    groupClaims: ['groups', 'roles', 'cognito:groups'],
    roleClaim: null,
    multiValuedClaims: [],
  };
}
