/**
 * What a leaf of a gateway does to access, whatever callers ask for: items that no lock knows, and URIs under templates. Each leaf is
 * judged as if it alone changed, which several do one after the other: those of memberships before those of policies.
 */
import type { Exposure } from '../../exposure.ts';
import type { LeafDifference } from '../../plan/walk.ts';
import type { Effect } from '../difference.ts';
import { membershipsEffect } from './memberships-effect.ts';
import { advertiseEffect, areNamesApart, areUrisApart } from './offers-effect.ts';
import { policiesEffect } from './policies-effect.ts';
import { type Plan, readPlan } from './read-plan.ts';

export function anyRequestEffect(
  { pattern, holders, was, is }: LeafDifference,
  before: Exposure,
  after: Exposure,
): Effect {
  const [old, now] = [readPlan(before), readPlan(after)];
  if (old === undefined || now === undefined) return 'unclassified';
  switch (pattern) {
    case 'incomingAuth.type':
      return incomingEffect(old, now);
    case 'backends[]':
      return was === undefined ? backendEffect('wider', after, now, is) : backendEffect('narrower', before, old, was);
    case 'backends[].tools.advertise.type':
    case 'backends[].tools.advertise.names':
      return advertiseEffect(holders.was as Advertise, holders.is as Advertise);
    default:
      // Names that others may have, and definitions.
      return pattern.startsWith('authorization.') ? authorizationEffect(pattern, old, now) : 'mixed';
  }
}

type Advertise = Parameters<typeof advertiseEffect>[0];

/** Where policies decide, those who have a name now may have been permitted more, or less, without one. */
function incomingEffect(
  { authorization: was, incomingAuth: { type: from } }: Plan,
  { authorization: is, incomingAuth: { type: to } }: Plan,
): Effect {
  if (was.engine !== 'none' && is.engine !== 'none') return 'mixed';
  if (from === 'local' || to === 'local') return 'mixed';
  return to === 'anonymous' ? 'wider' : 'narrower';
}

function authorizationEffect(
  pattern: string,
  { authorization: was, incomingAuth: from }: Plan,
  { authorization: is, incomingAuth: to }: Plan,
): Effect {
  if (was.engine === 'none' || is.engine === 'none') return is.engine === 'none' ? 'wider' : 'narrower';
  if (!pattern.startsWith('authorization.policies')) return membershipsEffect(was.policies, was, is);
  const hasSubject = from.type !== 'anonymous' && to.type !== 'anonymous';
  return policiesEffect(was.policies, is.policies, hasSubject) ?? 'unclassified';
}

/** @param there the side that has the backend */
function backendEffect(effect: Effect, there: Exposure, { aggregation, backends }: Plan, backend: unknown): Effect {
  const one = backend as Plan['backends'][number];
  const others = backends.filter(({ name }) => name !== one.name);
  return areNamesApart(aggregation, one, others) && areUrisApart(there, one.name) ? effect : 'mixed';
}
