/** State transitions of gateways and registry servers, as pure functions. */

import type { CompiledUnit } from '../compile/index.ts';
import { formatTimestamp, isRolledBack, isSameRelease, type UnitState } from '../status/index.ts';
import type { LastGood, Rollout } from './destination.ts';
import { formatUnitKey } from './guards.ts';

/** Finds what runs a bundle, see `UnitState.release`; undefined when that is unknown. */
export type FindRelease = (unit: CompiledUnit) => string | undefined;

/**
 * The states of a revision's gateways and registry servers before their health is evaluated. One that was given up stays given up while the spec
 * gives the same bundle, image and pod template; otherwise it starts over.
 */
export function listDesiredUnits(
  units: readonly CompiledUnit[],
  before: readonly UnitState[],
  nowMs: number,
  findRelease: FindRelease = () => undefined,
): readonly UnitState[] {
  const states = new Map(before.map(state => [formatUnitKey(state), state]));
  return units.flatMap(unit => {
    const { kind, namespace, name, digest } = unit;
    if (digest === null) return [];
    const state = states.get(formatUnitKey(unit));
    const release = findRelease(unit);
    if (state?.heldDigest === digest && isSameRelease(state.heldRelease, release)) return [state];
    const since = isDesired(state, digest, release) ? state?.since : undefined;
    return [
      {
        ...{ kind, namespace, name, digest },
        ...(release !== undefined && { release }),
        ...pickActive(state),
        since: since ?? formatTimestamp(new Date(nowMs)),
      },
    ];
  });
}

/** Makes gateways that were given up start over, because a person requested another attempt. */
export function clearHolds(units: readonly UnitState[]): readonly UnitState[] {
  return units.map(state => {
    if (state.heldDigest === undefined) return state;
    const { since: _, ...others } = withoutHold(state);
    return others;
  });
}

/** Whether every ready pod of a gateway or registry server has run the desired state at least once. */
export function isActive({ digest, activeDigest, release, activeRelease }: UnitState): boolean {
  return activeDigest === digest && isSameRelease(activeRelease, release);
}

const HASH = '#';

/**
 * What runs a bundle, see `UnitState.release`.
 * @param hash of the desired Deployment
 */
export function formatRelease(image: string, hash: string): string {
  return `${image}${HASH}${hash}`;
}

export function readReleaseImage(release: string | undefined): string | undefined {
  return release?.slice(0, release.lastIndexOf(HASH));
}

export type HealthResult =
  /** The gateway runs the desired state: `state` has it as the last good one. */
  | { readonly type: 'active'; readonly state: UnitState }
  | { readonly type: 'progressing'; readonly state: UnitState; readonly message: string }
  /** The gateway keeps its current state until its turn for another image. */
  | { readonly type: 'waiting'; readonly state: UnitState }
  /** The gateway ran the desired state before and currently does not: there is nothing to restore. */
  | { readonly type: 'degraded'; readonly state: UnitState; readonly message: string }
  /** The bundle or the workload failed: restore `back`, if there is one. `state` is the state after that. */
  | {
      readonly type: 'failed';
      readonly state: UnitState;
      readonly back: string | undefined;
      readonly reason: 'BundleRejected' | 'HealthCheckFailed';
      readonly message: string;
    }
  /** The gateway was given up in an earlier reconcile. */
  | { readonly type: 'held'; readonly state: UnitState; readonly back: string | undefined; readonly message: string };

/**
 * Decides what to do about a gateway or registry server.
 * @param rollout undefined when nothing runs it
 * @param elapsedMs time since the desired state was applied
 */
export function evaluateRollout(
  state: UnitState,
  rollout: Rollout | undefined,
  elapsedMs: number,
  healthTimeoutMs: number,
): HealthResult {
  const { digest, release, activeDigest, activeRelease, heldDigest } = state;
  const isItsOwn = rollout?.digest === digest && isSameRelease(rollout.release, release);
  if (heldDigest !== undefined) {
    // A gateway without anything to restore still runs the new state: it may still become healthy late.
    if (!isRolledBack(state) && rollout?.state === 'active' && isItsOwn) return createPromotedResult(state, rollout);
    const isBack =
      rollout === undefined ||
      activeDigest === undefined ||
      (rollout.digest === activeDigest && isSameRelease(rollout.release, activeRelease));
    return { type: 'held', state, back: isBack ? undefined : activeDigest, message: state.message ?? 'held' };
  }
  if (rollout === undefined || (rollout.state === 'active' && isItsOwn)) return createPromotedResult(state, rollout);
  const { message } = rollout;
  if (isActive(state)) return { type: 'degraded', state, message };
  if (rollout.state === 'refused' && isItsOwn) return createFailedResult(state, 'BundleRejected', message);
  if (elapsedMs <= healthTimeoutMs) return { type: 'progressing', state, message };
  const seconds = Math.round(healthTimeoutMs / 1000);
  return createFailedResult(state, 'HealthCheckFailed', `not healthy after ${seconds} s: ${message}`);
}

function createPromotedResult(state: UnitState, rollout: Rollout | undefined): HealthResult {
  const { digest, release } = state;
  const { activeManifests: _, ...others } = withoutHold(state);
  return {
    type: 'active',
    state: {
      ...others,
      activeDigest: digest,
      ...(release !== undefined && { activeRelease: release }),
      ...(rollout?.manifests !== undefined && { activeManifests: rollout.manifests }),
    },
  };
}

function createFailedResult(
  state: UnitState,
  reason: 'BundleRejected' | 'HealthCheckFailed',
  message: string,
): HealthResult {
  const { kind, namespace, name, digest, release, since, activeDigest, activeRelease } = state;
  const isFirst = activeDigest === undefined;
  const runs = isFirst ? release : activeRelease;
  return {
    type: 'failed',
    state: {
      ...{ kind, namespace, name, digest: activeDigest ?? digest },
      ...(runs !== undefined && { release: runs }),
      ...pickActive(state),
      heldDigest: digest,
      ...(release !== undefined && { heldRelease: release }),
      message: `${reason}: ${message}`,
      ...(since !== undefined && { since }),
    },
    back: activeDigest,
    reason,
    message,
  };
}

function withoutHold({ heldDigest: _, heldRelease: __, message: ___, ...others }: UnitState): UnitState {
  return others;
}

function isDesired(state: UnitState | undefined, digest: string, release: string | undefined): boolean {
  return state?.digest === digest && isSameRelease(state.release, release);
}

function pickActive(
  state: UnitState | undefined,
): Pick<UnitState, 'activeDigest' | 'activeRelease' | 'activeManifests'> {
  const { activeDigest, activeRelease, activeManifests } = state ?? {};
  return {
    ...(activeDigest !== undefined && { activeDigest }),
    ...(activeRelease !== undefined && { activeRelease }),
    ...(activeManifests !== undefined && { activeManifests }),
  };
}

/** What a gateway or registry server ran last while it was healthy; undefined when it never was. */
export function readLastGood(state: UnitState | undefined): LastGood | undefined {
  const { activeDigest: digest, activeManifests: manifests } = state ?? {};
  return digest === undefined ? undefined : { digest, manifests };
}
