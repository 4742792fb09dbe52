/** Held units: their newest bundle was given up, and the previous one runs again, if there was one. */
import type { UnitState } from '../reconcile/index.ts';

/** Whether a previous bundle runs instead of the held one; for a first bundle there is none. */
export function isRolledBack({
  digest,
  release,
  heldDigest,
  heldRelease,
}: Pick<UnitState, 'digest' | 'release' | 'heldDigest' | 'heldRelease'>): boolean {
  return heldDigest !== undefined && (heldDigest !== digest || !isSameRelease(heldRelease, release));
}

/** Why a unit is held: its message starts with the reason. */
export function readHoldReason(message: string | undefined): 'BundleRejected' | 'HealthCheckFailed' {
  return message?.startsWith('HealthCheckFailed') ? 'HealthCheckFailed' : 'BundleRejected';
}

/** A state without a release, from a destination without releases or from an older version, matches any. */
export function isSameRelease(one: string | undefined, other: string | undefined): boolean {
  return one === undefined || other === undefined || one === other;
}
