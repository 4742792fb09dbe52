/** Changes of authentication and of settings of the whole gateway. */
import type { Authentication, Exposure } from '../exposure.ts';
import { findGroupSources } from '../group-sources.ts';
import { formatAuthentication } from '../render/words.ts';
import { listText, toAspects } from './aspect.ts';
import type { Alarm, Aspect, Effect } from './difference.ts';
import { combineEffects, demandsEffect, mayOpen } from './effect.ts';

type GatewaySide = Exposure | null;

export function diffGatewayAspects(before: GatewaySide, after: GatewaySide): readonly Aspect[] {
  const text = (side: GatewaySide, of: (exposure: Exposure) => string) => (side === null ? null : of(side));
  const presence = before === null ? 'wider' : 'narrower';
  const effect = (of: (was: Exposure, is: Exposure) => Effect) => () =>
    before === null || after === null ? presence : of(before, after);
  const both = (name: string, of: (exposure: Exposure) => string, how: (was: Exposure, is: Exposure) => Effect) =>
    toAspects(name, text(before, of), text(after, of), effect(how));
  return [
    ...both(
      'gets in',
      ({ authentication }) => formatAuthentication(authentication),
      (was, is) => compareAuthentication(was.authentication, is.authentication),
    ),
    ...both('policies', formatPolicies, comparePolicies),
    ...both(
      'lists',
      ({ listing }) => (listing === 'optimizer' ? 'find_tool and call_tool of the optimizer' : 'its tools'),
      () => 'same',
    ),
  ];
}

/** The alarms of the gateway itself: it admits callers without a token now, or other callers than before. */
export function listGatewayAlarms(before: GatewaySide, after: GatewaySide): readonly Alarm[] {
  if (isAnonymous(after) && !isAnonymous(before)) return ['anonymous'];
  if (before === null || after === null) return [];
  return mayOpen(compareAuthentication(before.authentication, after.authentication)) ? ['otherCallers'] : [];
}

/**
 * The change of the claims that groups are read from. It is reported only if it changes what callers reach.
 *
 * @param effect the effect on everything that callers reach
 */
export function diffGroups(before: GatewaySide, after: GatewaySide, effect: Effect): readonly Aspect[] {
  if (before === null || after === null || effect === 'same') return [];
  const [was, is] = [findGroupSources(before), findGroupSources(after)];
  if (was === undefined || is === undefined) return [];
  return [
    ...toAspects(GROUP_CLAIMS, was.claims, is.claims, effect),
    ...toAspects('groups in groups', listText(was.parents), listText(is.parents), effect),
  ];
}

export const GROUP_CLAIMS = 'groups come from';

export function isAnonymous(exposure: GatewaySide): boolean {
  return exposure?.authentication.type === 'anonymous';
}

/** The aspect for an item whose policies did not change, while the gateway started or stopped admitting callers without a token. */
export function diffAdmission(before: GatewaySide, after: GatewaySide, isOpen: boolean): readonly Aspect[] {
  if (before === null || after === null || !isOpen || isAnonymous(before) === isAnonymous(after)) return [];
  const text = (side: Exposure) => (isAnonymous(side) ? 'no' : 'yes');
  return toAspects('asks who calls', text(before), text(after), isAnonymous(after) ? 'wider' : 'narrower');
}

/** Openness of each type: holders of a token, users of the machine, every client that can connect. */
const ADMISSION_RANK: { readonly [T in Authentication['type']]: number } = { oidc: 0, local: 1, anonymous: 2 };

export function compareAuthentication(before: Authentication, after: Authentication): Effect {
  if (before.type !== after.type) {
    // Neither of the two types includes the other: a token admits callers from any address, `local` admits callers from the machine itself.
    if (before.type !== 'anonymous' && after.type !== 'anonymous') return 'mixed';
    return ADMISSION_RANK[after.type] > ADMISSION_RANK[before.type] ? 'wider' : 'narrower';
  }
  if (before.type !== 'oidc' || after.type !== 'oidc') return 'same';
  const others = before.issuer !== after.issuer || before.audience !== after.audience;
  return combineEffects([others ? 'mixed' : 'same', demandsEffect(before.scopes ?? [], after.scopes ?? [])]);
}

function formatPolicies({ authorization }: Exposure): string {
  if (authorization.type === 'none') return 'none: everything that is listed is permitted';
  const { policies, source } = authorization;
  const where = `${source.kind} ${source.name}`;
  if (policies === null) return `those of ${where}, which cannot be read here`;
  return `${policies} in ${where}`;
}

/** The effect of having policies at all. Changes of policies are compared for each tool and for unknown tools. */
function comparePolicies(before: Exposure, after: Exposure): Effect {
  if (before.authorization.type === after.authorization.type) return 'same';
  return after.authorization.type === 'none' ? 'wider' : 'narrower';
}
