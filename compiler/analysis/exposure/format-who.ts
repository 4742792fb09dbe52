import { withoutParentheses } from '../cedar/boolean-text.ts';
import type { Grant, PolicyCondition, Who } from './exposure.ts';
import { findCommonConjuncts, formatCondition, formatFailure } from './readable-condition.ts';

/** Callers as text. Grants with the same forbids are merged. */
export function formatWho(who: Who): string {
  if (who.type !== 'some') return who.type;
  const known = findCommonConjuncts(who.anyOf.map(({ permit }) => permit.text));
  return formatGrants(who.anyOf, condition =>
    condition.fails ? formatFailure(condition.text, known) : formatCondition(condition.text),
  );
}

/** The texts of two different answers. If the short texts are equal, both get the full conditions. */
export function formatAudiences(
  before: Who | undefined,
  after: Who | undefined,
): readonly [string | null, string | null] {
  const [was, is] = [before, after].map(who => (who === undefined ? null : formatWho(who)));
  if (was !== is) return [was ?? null, is ?? null];
  const [wasAll, isAll] = [before, after].map(who =>
    who?.type === 'some' ? formatGrants(who.anyOf, ({ text }) => text) : was,
  );
  return [wasAll ?? null, isAll ?? null];
}

function formatGrants(anyOf: readonly Grant[], textFor: (condition: PolicyCondition) => string): string {
  const anyText = (conditions: readonly PolicyCondition[]) => [...new Set(conditions.map(textFor))].join(' or ');
  const exceptText = (forbids: readonly PolicyCondition[]) => {
    const required = forbids.flatMap(forbid => findRequired(forbid) ?? []);
    const excepted = anyText(forbids.filter(forbid => findRequired(forbid) === undefined));
    return [
      ...required.map(condition => `, only if ${textFor(condition)}`),
      ...(excepted === '' ? [] : [`, unless ${excepted}`]),
    ].join('');
  };
  const groups = Map.groupBy(anyOf, ({ forbids }) => exceptText(forbids));
  return [...groups]
    .map(([except, grants]) => {
      const permits = anyText(grants.map(({ permit }) => permit));
      return `${permits === 'true' ? 'everyone' : permits}${except}`;
    })
    .join('; or ');
}

/** The condition that a forbid with `unless` requires; undefined for any other forbid. */
function findRequired({ policy, text, fails }: PolicyCondition): PolicyCondition | undefined {
  if (fails !== undefined || !text.startsWith('!')) return undefined;
  const required = withoutParentheses(text.slice(1));
  return required === text.slice(1) ? undefined : { policy, text: required };
}
