/** Gateways and registry servers that were given up: their newest bundle failed, and the previous one runs again, if there was one. */
import type { UnitState } from './recorded-state.ts';

/** Whether a previous bundle runs in place of the one that was given up; for a first bundle there is none. */
export function isRolledBack({
  digest,
  release,
  heldDigest,
  heldRelease,
}: Pick<UnitState, 'digest' | 'release' | 'heldDigest' | 'heldRelease'>): boolean {
  return heldDigest !== undefined && (heldDigest !== digest || !isSameRelease(heldRelease, release));
}

/** Why a gateway was given up, read from its message, which starts with the reason. */
export function readHoldReason(message: string | undefined): 'BundleRejected' | 'HealthCheckFailed' {
  return message?.startsWith('HealthCheckFailed') ? 'HealthCheckFailed' : 'BundleRejected';
}

/**
 * Whether two states have the same `release`. A state without one, which comes from a destination without releases or from an older version, matches
 * any other.
 */
export function isSameRelease(one: string | undefined, other: string | undefined): boolean {
  return one === undefined || other === undefined || one === other;
}
