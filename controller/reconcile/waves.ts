/** A new image reaches gateways and registry servers in waves, since what it does to each of them was not reviewed. Pure. */

import { isRolledBack } from '../status/index.ts';
import type { UnitState } from './destination.ts';
import { unitKey } from './guards.ts';
import { isActive, readReleaseImage } from './unit-states.ts';

/** One wave is a tenth of what a source has, and at least one. */
const WAVE_PERCENT = 10;

/**
 * Keys of those that keep the image that they run for now. A wave begins when all of the one before it run the new image, and none
 * begins after one was put back, until the image or the spec of that one changes, or a person asks for another try. What gets another
 * bundle as well does not wait: it may be the withdrawal of a right.
 *
 * @param wanted every unit as the revision wants it
 * @param before every unit as it was noted before
 */
export function waitingUnits(wanted: readonly UnitState[], before: readonly UnitState[]): ReadonlySet<string> {
  const known = new Map(before.map(state => [unitKey(state), state]));
  const size = Math.max(1, Math.ceil((wanted.length * WAVE_PERCENT) / 100));
  const changing = wanted.filter(state => state.heldDigest === undefined && isOtherImage(state));
  const waiting = new Set<string>();
  for (const [image, units] of Map.groupBy(changing, ({ release }) => readReleaseImage(release))) {
    const next = units.filter(unit => known.get(unitKey(unit))?.release !== unit.release);
    const isFree = next.length === units.length && !wanted.some(unit => failedWith(unit, image));
    for (const unit of next.slice(isFree ? size : 0)) waiting.add(unitKey(unit));
  }
  return waiting;
}

/** Whether a unit is to run the bundle that it runs already by another image. */
function isOtherImage(state: UnitState): boolean {
  const { digest, activeDigest, release, activeRelease } = state;
  if (isActive(state) || digest !== activeDigest || activeRelease === undefined) return false;
  return readReleaseImage(release) !== readReleaseImage(activeRelease);
}

function failedWith(state: UnitState, image: string | undefined): boolean {
  return (
    isRolledBack(state) &&
    readReleaseImage(state.heldRelease) === image &&
    readReleaseImage(state.activeRelease) !== image
  );
}
