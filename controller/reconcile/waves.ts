/** A new image is rolled out to gateways and registry servers in waves, because its effect on each was not reviewed. Pure. */

import { isRolledBack, type UnitState } from '../status/index.ts';
import { formatUnitKey } from './guards.ts';
import { isActive, readReleaseImage } from './unit-states.ts';

/** A wave is a tenth of a source's gateways and registry servers, and at least one. */
const WAVE_PERCENT = 10;

/**
 * Keys of the gateways and registry servers that keep their current image for now. A wave begins when all gateways of the previous wave run the new
 * image. After a rollback no wave begins until the image or the spec of that gateway changes, or a person requests another attempt. A gateway that
 * also gets another bundle does not wait, because the bundle may revoke access.
 *
 * @param desired the desired state of every gateway and registry server
 * @param before the recorded state of every gateway and registry server
 */
export function collectWaitingUnits(desired: readonly UnitState[], before: readonly UnitState[]): ReadonlySet<string> {
  const known = new Map(before.map(state => [formatUnitKey(state), state]));
  const size = Math.max(1, Math.ceil((desired.length * WAVE_PERCENT) / 100));
  const changing = desired.filter(state => state.heldDigest === undefined && isOtherImage(state));
  const waiting = new Set<string>();
  for (const [image, units] of Map.groupBy(changing, ({ release }) => readReleaseImage(release))) {
    const next = units.filter(unit => known.get(formatUnitKey(unit))?.release !== unit.release);
    const isFree = next.length === units.length && !desired.some(unit => hasFailedWith(unit, image));
    for (const unit of next.slice(isFree ? size : 0)) waiting.add(formatUnitKey(unit));
  }
  return waiting;
}

/** Whether a gateway gets another image with its current bundle. */
function isOtherImage(state: UnitState): boolean {
  const { digest, activeDigest, release, activeRelease } = state;
  if (isActive(state) || digest !== activeDigest || activeRelease === undefined) return false;
  return readReleaseImage(release) !== readReleaseImage(activeRelease);
}

function hasFailedWith(state: UnitState, image: string | undefined): boolean {
  return (
    isRolledBack(state) &&
    readReleaseImage(state.heldRelease) === image &&
    readReleaseImage(state.activeRelease) !== image
  );
}
