/**
 * What other policies do to access, whatever is asked for: tools that no lock knows and URIs under templates as well. Conditions are
 * compared by what they ask, as text, with what they ask of the action and the resource.
 */
import { failuresOf, withoutFailures } from '../../../cedar/failures.ts';
import { type ParsedPolicy, parsePolicies } from '../../../cedar/parse-policies.ts';
import { print } from '../../../cedar/print.ts';
import type { PolicyCondition, Who } from '../../exposure.ts';
import { EVERYONE, isCoveredBy, NOBODY } from '../../who.ts';
import type { Effect } from '../difference.ts';

/** Policies as a bundle has them. */
export type PolicyTexts = readonly { readonly text: string }[];

/** Permits of one side times those of the other beyond which they are only looked for as they are. */
const MAX_COMPARISONS = 1_000_000;

/**
 * @param hasSubject whether each caller has a claim `sub`
 * @returns undefined for policies that cannot be read
 */
export function policiesEffect(was: PolicyTexts, is: PolicyTexts, hasSubject: boolean): Effect | undefined {
  const [old, now] = [sideOf(was, hasSubject), sideOf(is, hasSubject)];
  if (old === undefined || now === undefined) return undefined;
  const isTooMuch = old.permits.length * now.permits.length > MAX_COMPARISONS;
  const covers = (wide: Side, narrow: Side) =>
    hasAll(wide.permits, narrow.permits) && hasAll(narrow.forbids, wide.forbids)
      ? true
      : !isTooMuch && isCoveredBy(whoOf(narrow), whoOf(wide));
  const [keeps, adds] = [covers(now, old), !covers(old, now)];
  if (keeps) return adds ? 'wider' : 'same';
  return adds ? 'mixed' : 'narrower';
}

interface Side {
  readonly permits: readonly PolicyCondition[];
  /** An error denies, whatever the other policies say. */
  readonly forbids: readonly PolicyCondition[];
}

function sideOf(texts: PolicyTexts, hasSubject: boolean): Side | undefined {
  const parsed = texts.map(({ text }) => parsePolicies(text));
  if (parsed.some(({ problems }) => problems.length > 0)) return undefined;
  const policies = parsed.flatMap(one => one.policies);
  const of = (effect: ParsedPolicy['json']['effect']) =>
    policies
      .filter(({ json }) => json.effect === effect)
      .map(({ condition }) => holding(print(withoutFailures(condition))));
  const failing = policies.flatMap(({ condition }) => failuresOf(condition, hasSubject, { ofAnyResource: true }));
  return { permits: of('permit'), forbids: [...of('forbid'), ...failing.map(holding)] };
}

function holding(text: string): PolicyCondition {
  return { policy: '', text };
}

function whoOf({ permits, forbids }: Side): Who {
  if (permits.length === 0) return NOBODY;
  if (forbids.length === 0 && permits.some(({ text }) => text === 'true')) return EVERYONE;
  return { type: 'some', anyOf: permits.map(permit => ({ permit, forbids })) };
}

function hasAll(all: readonly PolicyCondition[], some: readonly PolicyCondition[]): boolean {
  const texts = new Set(all.map(({ text }) => text));
  return some.every(({ text }) => texts.has(text));
}
