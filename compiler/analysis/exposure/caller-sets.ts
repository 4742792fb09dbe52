/** Operations on sets of callers: the union of grants, and whether one set covers another. */
import { compareText } from '#schemas';
import type { ItemAccess, UnplacedCondition } from '../cedar/access.ts';
import { type Conjunction, exclude, isWithin, toDisjunctiveNormalForm } from '../cedar/boolean-text.ts';
import type { Grant, PolicyCondition, Who } from './exposure.ts';

export const EVERYONE: Who = { type: 'everyone' };
export const NO_CALLERS: Who = { type: 'nobody' };
export const UNKNOWN: Who = { type: 'unknown' };

/** The policies' answer without source locations: one grant for each permit. */
export function toWho(access: ItemAccess<UnplacedCondition>): Who {
  if (access.type !== 'some') return access;
  const forbids = deduplicateConditions(access.forbids.map(toPolicyCondition).sort(compareByText));
  return combineGrants(access.permits.map(permit => ({ permit: toPolicyCondition(permit), forbids })));
}

/** The callers of any of several sets. */
export function uniteCallers(ways: readonly Who[]): Who {
  if (ways.some(({ type }) => type === 'everyone')) return EVERYONE;
  if (ways.some(({ type }) => type === 'unknown')) return UNKNOWN;
  const grants = ways.flatMap(listGrants);
  return grants.length === 0 ? NO_CALLERS : combineGrants(grants);
}

export function listGrants(who: Who): readonly Grant[] {
  return who.type === 'some' ? who.anyOf : [];
}

/** A text that is equal for equal grants, even if their policies have different ids. */
export function grantKey({ permit, forbids }: Grant): string {
  return JSON.stringify([permit.text, ...forbids.map(({ text }) => text)]);
}

/**
 * Whether every caller of `narrow` is certainly in `wide`. Conditions are compared term by term as text, so two spellings of one condition count
 * as different: false may be wrong, true never is.
 */
export function isCoveredBy(narrow: Who, wide: Who): boolean {
  if (narrow.type === 'nobody' || wide.type === 'everyone') return true;
  const grants = listGrants(narrow);
  return (
    grants.length > 0 && grants.every(grant => toDisjunctiveNormalForm(grant.permit.text).every(isAmong(wide, grant)))
  );
}

/** Whether one of the grants in `wide` permits every caller who fits a conjunction of the grant and none of the grant's forbids. */
function isAmong(wide: Who, { forbids }: Grant): (way: Conjunction) => boolean {
  const excepted = forbids.flatMap(({ text }) => toDisjunctiveNormalForm(text));
  return way =>
    listGrants(wide).some(
      other =>
        toDisjunctiveNormalForm(other.permit.text).some(asked => isWithin(asked, way)) &&
        other.forbids
          .flatMap(({ text }) => toDisjunctiveNormalForm(text))
          .every(forbid => exclude(forbid, way) || excepted.some(conjunction => isWithin(conjunction, forbid))),
    );
}

/** Sorts the grants and keeps only the first of equal ones. */
function combineGrants(grants: readonly Grant[]): Who {
  const byKey = new Map(grants.toReversed().map(grant => [grantKey(grant), grant]));
  const sorted = [...byKey].sort(([a], [b]) => compareText(a, b));
  return { type: 'some', anyOf: sorted.map(([, grant]) => grant) };
}

function toPolicyCondition({ policy, text, fails }: UnplacedCondition): PolicyCondition {
  return fails === undefined ? { policy, text } : { policy, text, fails };
}

function deduplicateConditions(sorted: readonly PolicyCondition[]): readonly PolicyCondition[] {
  return sorted.filter(({ text }, at) => text !== sorted[at - 1]?.text);
}

function compareByText(a: PolicyCondition, b: PolicyCondition): number {
  return compareText(a.text, b.text) || compareText(a.policy, b.policy);
}
