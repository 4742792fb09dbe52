/** How `lintel diff` reports changes of conditions in policies: which calls become possible. */
import { describe, expect, test } from 'vitest';
import { diffExposure } from '#compiler';
import { type Design, exposureOf, more, OFFER, OPPOSITE } from './access-design.ts';

/** A permit for calls with certain arguments or claims. */
const where = (condition: string): Design =>
  more(`permit(principal, action == Action::"call_tool", resource) when { ${condition} };`);
const amount = (condition: string) => where(`context has arg_n && (${condition})`);

describe('a condition on an integer', () => {
  test.each([
    ['context.arg_n < 10', 'context.arg_n <= 9', 'equivalent'],
    ['context.arg_n < 10', '10 > context.arg_n', 'equivalent'],
    ['context.arg_n < 10', '!(context.arg_n >= 10)', 'equivalent'],
    ['context.arg_n >= 10', '9 < context.arg_n', 'equivalent'],
    ['context.arg_n > 3 && context.arg_n < 5', 'context.arg_n == 4', 'wider'],
    ['context.arg_n < 10 && context.arg_n < 20', 'context.arg_n < 10', 'equivalent'],
    ['context.arg_n < 10', 'context.arg_n < 20', 'wider'],
    ['context.arg_n <= 10 && context.arg_n != 10', 'context.arg_n < 10', 'equivalent'],
    ['context.arg_n >= 10 && context.arg_n != 10', 'context.arg_n > 10', 'equivalent'],
    ['context.arg_n <= 10 && context.arg_n != 9', 'context.arg_n < 10', 'mixed'],
    ['context.arg_n <= 11 && context.arg_n != 10', 'context.arg_n < 10', 'narrower'],
    ['context.arg_n > 10', 'context.arg_n > 20', 'narrower'],
    // An equality is false of a text, and a comparison with a text fails, which denies.
    ['context.arg_n == 5', 'context.arg_n < 10', 'mixed'],
    ['context.arg_n < 10 && context.arg_n == 5', 'context.arg_n < 10', 'wider'],
    ['context.arg_n < 10', 'context.arg_n > 10', 'mixed'],
    ['context.arg_n < 9007199254740991', 'context.arg_n <= 9007199254740991', 'mixed'],
    ['context.arg_n < 10', 'context.arg_n < 10 || context.arg_n >= 10', 'wider'],
  ] as const)('lintel diff of a policy condition from %s to %s is %s', (before, after, classification) => {
    const [was, is] = [exposureOf(amount(before), OFFER), exposureOf(amount(after), OFFER)];
    expect(diffExposure(was, is).classification).toBe(classification);
    expect(diffExposure(is, was).classification).toBe(OPPOSITE[classification]);
  });
});

/** Pairs of which one side permits what the other one denies, however alike they look. */
describe('policies with unusual Cedar expressions', () => {
  const all = 'permit(principal, action, resource)';
  const staff = 'permit(principal in Group::"staff", action, resource);';
  const blocked = '(if context has claim_department then context.claim_department else "none") == "blocked"';
  const write = (condition: string) =>
    `permit(principal in Group::"staff", action == Action::"call_tool", resource == Tool::"docs_write") when { ${condition} };`;
  const forbidWrite = (condition: string) =>
    `forbid(principal, action == Action::"call_tool", resource == Tool::"docs_write") when { ${condition} };`;

  test.each<[what: string, before: readonly string[], after: readonly string[], classification: string]>([
    [
      'the subject as the principal and as a claim',
      [staff],
      [staff, `permit(principal == Client::"mallory", action, resource) when { context.claim_sub == "mallory" };`],
      'wider',
    ],
    [
      'a subject that a forbid excepts by its claim',
      [staff, 'forbid(principal == Client::"mallory", action, resource);'],
      [staff, 'forbid(principal == Client::"mallory", action, resource) unless { context.claim_sub == "mallory" };'],
      'wider',
    ],
    [
      'two sets with the same elements',
      [staff],
      [
        staff,
        `${all} when { principal has claim_realm_access.roles && principal.claim_realm_access.roles == ["a", "b"] && principal.claim_realm_access.roles == ["b", "a"] };`,
      ],
      'mixed',
    ],
    [
      'a default for a missing claim, and a permit for its absence',
      [staff],
      [
        staff,
        `forbid(principal, action, resource) when { ${blocked} };`,
        `${all} unless { context has claim_department };`,
      ],
      'mixed',
    ],
    [
      'a permit for the absence of a claim that has a default elsewhere',
      [staff, `forbid(principal, action, resource) when { ${blocked} };`],
      [
        staff,
        `forbid(principal, action, resource) when { ${blocked} };`,
        `${all} unless { context has claim_department };`,
      ],
      'wider',
    ],
    [
      'branches of an if that are texts',
      [staff],
      [
        `${all} when { context has claim_iss && context.claim_iss like "*" };`,
        'forbid(principal, action, resource) when { context has claim_iss && (if context has claim_email then context.claim_iss else context.claim_iss) == "nobody" };',
      ],
      'mixed',
    ],
    [
      'branches of an if that are records',
      [staff],
      [
        `${all};`,
        'forbid(principal, action, resource) when { (if context has claim_email then context else context) has claim_suspended };',
      ],
      'mixed',
    ],
    [
      'a condition in a set',
      [write('context has arg_amount && [context.arg_amount <= 10].contains(true)')],
      [write('context has arg_amount && [context.arg_amount <= 1000].contains(true)')],
      'mixed',
    ],
    [
      'compared sets with conditions',
      [write('context has arg_title && [context.arg_title like "Draft: *"] == [true]')],
      [write('context has arg_title && [context.arg_title like "*"] == [true]')],
      'mixed',
    ],
    [
      'a condition that is compared with true',
      [write('context has arg_title && (context.arg_title like "Draft: *") == true')],
      [write('context has arg_title && context.arg_title like "Draft: *"')],
      'equivalent',
    ],
    [
      'an escaped star and a backslash before a wildcard',
      [staff, forbidWrite(String.raw`context has arg_title && context.arg_title like "C:\\*"`)],
      [staff, forbidWrite(String.raw`context has arg_title && context.arg_title like "C:\*"`)],
      'mixed',
    ],
    [
      'decimals in two spellings',
      [staff],
      [
        staff,
        `${all} when { context has claim_n && context.claim_n == decimal("1.0") && context.claim_n == decimal("1.00") };`,
      ],
      'mixed',
    ],
  ])('lintel diff classifies a change of the conditions in policies as $3: %s', (_, before, after, classification) => {
    for (const offers of [OFFER, undefined]) {
      const [was, is] = [exposureOf({ policies: before }, offers), exposureOf({ policies: after }, offers)];
      expect(diffExposure(was, is).classification).toBe(classification);
    }
  });

  test('lintel diff compares a policy condition with eight ifs, which are too many to split into cases', () => {
    // Eight in one set would become 256 conditions.
    const choices = (last: string) =>
      [...'abcdefg', last].map(name => `if context has claim_${name} then "${name}" else "none"`).join(', ');
    const policies = (last: string) => [staff, `${all} when { [${choices(last)}].contains("h") };`];
    const compare = (before: string, after: string) =>
      diffExposure(exposureOf({ policies: policies(before) }, OFFER), exposureOf({ policies: policies(after) }, OFFER))
        .classification;
    expect(compare('h', 'h')).toBe('equivalent');
    expect(compare('h', 'i')).toBe('mixed');
  });

  test('lintel diff finds the access that callers gain because an entity of the spec gets an attribute that a policy reads', () => {
    const policies = [
      'permit(principal in Group::"staff", action == Action::"call_tool", resource == Tool::"docs_write") when { resource has arg_text && resource.arg_text like "ok*" };',
    ];
    const tool = { uid: { type: 'Tool', id: 'docs_write' }, attrs: { arg_text: 'ok' }, parents: [] };
    const [was, is] = [
      exposureOf({ policies, entities: [] }, OFFER),
      exposureOf({ policies, entities: [tool] }, OFFER),
    ];
    expect(diffExposure(was, is).classification).toBe('mixed');
  });
});

describe('conditions of callers who gain access', () => {
  test.each([
    ['context has arg_n && context.arg_n < 10', 'context.arg_n < 10'],
    ['context has arg_n && context.arg_n >= 10', 'context.arg_n >= 10'],
    ['context has arg_n && context.arg_n > 3 && context.arg_n <= 9', 'context.arg_n <= 9 && context.arg_n > 3'],
    ['context has arg_n && context.arg_n + 2 < 10', 'context has arg_n && context.arg_n + 2 < 10'],
    ['context has "claim_my team" && context["claim_my team"] like "a*"', 'context["claim_my team"] like "a*"'],
    ['context has claim_x && context.claim_x == "a\\"b"', 'context.claim_x == "a\\"b"'],
    ['context has claim_x && context.claim_x == User::"ann"', 'context.claim_x == User::"ann"'],
    ['context has arg_list && context.arg_list.isEmpty()', 'context.arg_list.isEmpty()'],
    ['context has arg_list && context.arg_list.contains("x")', 'context.arg_list.contains("x")'],
    ['context has arg_n', 'context has arg_n'],
    [
      'context has arg_a && context has arg_b && context.arg_a < context.arg_b',
      'context has arg_b && context.arg_a < context.arg_b',
    ],
  ])('lintel diff shows the callers that the condition %s admits as %s', (condition, text) => {
    const { callers } = diffExposure(exposureOf({}, OFFER), exposureOf(where(condition), OFFER));
    const gained = callers.filter(({ gained }) => gained.some(({ name }) => name === 'docs_drop'));
    expect(gained.map(({ who }) => who.replace(/, unless .*/, ''))).toEqual([text]);
  });
});

test('lintel diff shows the condition of a forbid with `unless` as a requirement', () => {
  const design = more(
    'forbid(principal, action, resource) unless { principal in Group::"staff" && context has claim_team };',
  );
  const { changes } = diffExposure(exposureOf({}, OFFER), exposureOf(design, OFFER));
  const [change] = changes.filter(({ name }) => name === 'docs_drop');
  expect(change?.aspects).toEqual([
    {
      name: 'may call',
      before: 'principal in Group::"admins", unless principal in Group::"interns"',
      after:
        'principal in Group::"admins", only if principal in Group::"staff" && context has claim_team, unless principal in Group::"interns"',
      effect: 'narrower',
    },
  ]);
});
