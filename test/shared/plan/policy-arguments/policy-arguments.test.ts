import { policyToJson } from '@cedar-policy/cedar-wasm/nodejs';
import { describe, expect, test } from 'vitest';
import { pickNamed, readCedarUses, toNamedArguments } from '#shared/plan';

function namesIn(...conditions: readonly string[]): readonly string[] | undefined {
  const policies = conditions.map(condition => {
    const answer = policyToJson(`permit(principal, action, resource) when { ${condition} };`);
    if (answer.type === 'failure') throw new Error(answer.errors[0]?.message);
    return answer.json;
  });
  const names = toNamedArguments(readCedarUses(policies));
  return names && [...names].toSorted();
}

describe('the arguments that policies look at', () => {
  test.each<[condition: string, names: readonly string[]]>([
    ['true', []],
    ['context.claim_sub == principal.claim_sub', []],
    ['context.arg_a == 1', ['a']],
    ['context has arg_a', ['a']],
    ['context has "arg_a b"', ['a b']],
    ['context["arg_\\u{61}"] == 1', ['a']],
    ['context has arg_a.b.c', ['a']],
    ['resource.arg_a == 1', ['a']],
    ['(if context.arg_a then resource else principal).arg_b', ['a', 'b']],
    ['[context.arg_a].contains(1) || {x: context.arg_b}.x == 1', ['a', 'b']],
    ['context.arg_a.lessThan(decimal("1.0"))', ['a']],
    ['context.arg_a like "x*" && principal.getTag(context.arg_b) == 1', ['a', 'b']],
    ['context has arg_a_present', ['a', 'a_present']],
    ['context["arg_"] == 1', ['']],
    ['context["arg__present"] == 1', ['', '_present']],
    ['context["arg_a\\nb"] == 1', ['a\nb']],
    ['{attr: context.arg_a, left: context.arg_b, Var: context.arg_c} == {}', ['a', 'b', 'c']],
  ])('the arguments of a call that a Cedar condition reads are found: %s', (condition, names) =>
    expect(namesIn(condition)).toEqual(names),
  );

  test('the arguments that several Cedar policies read are those of all the policies together', () => {
    expect(namesIn('context.arg_a == 1', 'context.arg_b == 1')).toEqual(['a', 'b']);
  });

  test.each([
    'context == {}',
    '[context].contains({})',
    '(if true then context else {}) has arg_a',
    '{attr: context} == {}',
  ])('a Cedar condition that uses the whole context reads all arguments: %s', condition =>
    expect(namesIn(condition)).toBeUndefined(),
  );
});

describe('arguments', () => {
  test('the arguments for a policy are selected by name, and only if the caller sent them', () => {
    const args = JSON.parse('{"a":1,"b":2,"__proto__":3}');
    expect(pickNamed(args, new Set(['a', 'toString', 'c']))).toEqual({ a: 1 });
    expect(Object.entries(pickNamed(args, new Set(['__proto__'])))).toEqual([['__proto__', 3]]);
    expect(pickNamed(args, undefined)).toBe(args);
  });
});

test('the arguments that a Cedar policy reads are found even if it has a set of 150,000 members', () => {
  const members = Array.from({ length: 150_000 }, (_, index) => ({ Value: index }));
  const body = { contains: { left: { Set: members }, right: { '.': { left: { Var: 'context' }, attr: 'arg_a' } } } };
  expect(readCedarUses([{ conditions: [{ kind: 'when', body }] }])).toEqual(new Set(['arg_a']));
});
