/** Units that are held: their newest bundle was given up, and what ran before runs again where there was anything. */
import type { UnitState } from '../reconcile/index.ts';

/** Whether something else runs in place of what is held; of a first bundle there is nothing else. */
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

/** What was noted without a release, by a destination that knows none or before there were any, is as good as any. */
export function isSameRelease(one: string | undefined, other: string | undefined): boolean {
  return one === undefined || other === undefined || one === other;
}
