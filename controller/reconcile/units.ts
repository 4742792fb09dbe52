/** What becomes of gateways and registry servers: pure steps from one state to the next. */

import type { CompiledUnit } from '../compile/outcome.ts';
import { timestamp } from '../status/timestamp.ts';
import type { Rollout, UnitState } from './destination.ts';
import { unitKey } from './guards.ts';

/**
 * The states of what a revision has, before it is looked at how they go. A digest that is held stays held as long as the spec gives it;
 * with another one the unit starts anew.
 */
export function wantedUnits(
  units: readonly CompiledUnit[],
  before: readonly UnitState[],
  nowMs: number,
): readonly UnitState[] {
  const states = new Map(before.map(state => [unitKey(state), state]));
  return units.flatMap(({ kind, namespace, name, digest }) => {
    if (digest === null) return [];
    const state = states.get(unitKey({ kind, namespace, name }));
    if (state?.heldDigest === digest) return [state];
    const since = (state?.digest === digest ? state.since : undefined) ?? timestamp(new Date(nowMs));
    return [{ kind, namespace, name, digest, ...active(state), since }];
  });
}

/** Nothing is held any more: somebody asked for another try. */
export function released(units: readonly UnitState[]): readonly UnitState[] {
  return units.map(state => {
    if (state.heldDigest === undefined) return state;
    const { since: _, ...others } = withoutHold(state);
    return others;
  });
}

/** Whether something else runs in place of what is held; of a first bundle there is nothing else. */
export function isPutBack({ digest, heldDigest }: Pick<UnitState, 'digest' | 'heldDigest'>): boolean {
  return heldDigest !== undefined && heldDigest !== digest;
}

function withoutHold({ heldDigest: _, message: __, ...others }: UnitState): UnitState {
  return others;
}

export type Course =
  /** Runs what it should; `state` is promoted. */
  | { readonly type: 'active'; readonly state: UnitState }
  | { readonly type: 'progressing'; readonly state: UnitState; readonly message: string }
  /** Ran it before, and does not now: nothing to put back. */
  | { readonly type: 'degraded'; readonly state: UnitState; readonly message: string }
  /** Its bundle is no good: put `back` back, if there is one. `state` is as it is afterwards. */
  | {
      readonly type: 'failed';
      readonly state: UnitState;
      readonly back: string | undefined;
      readonly reason: 'BundleRejected' | 'HealthCheckFailed';
      readonly message: string;
    }
  /** Was given up before. */
  | { readonly type: 'held'; readonly state: UnitState; readonly back: string | undefined; readonly message: string };

/**
 * What to do about a unit, by what is observed.
 *
 * @param rollout undefined where nothing runs it
 * @param elapsedMs since its digest was applied
 */
export function courseOf(
  state: UnitState,
  rollout: Rollout | undefined,
  elapsedMs: number,
  healthTimeoutMs: number,
): Course {
  const { digest, activeDigest, heldDigest } = state;
  if (heldDigest !== undefined) {
    // What nothing could be put back for still runs: late is better than never.
    if (!isPutBack(state) && rollout?.state === 'active' && rollout.digest === digest) {
      return { type: 'active', state: { ...withoutHold(state), activeDigest: digest } };
    }
    const isBack = rollout === undefined || activeDigest === undefined || rollout.digest === activeDigest;
    return { type: 'held', state, back: isBack ? undefined : activeDigest, message: state.message ?? 'held' };
  }
  if (rollout === undefined) return { type: 'active', state: { ...state, activeDigest: digest } };
  const isItsOwn = rollout.digest === digest;
  if (rollout.state === 'active' && isItsOwn) return { type: 'active', state: { ...state, activeDigest: digest } };
  const { message } = rollout;
  if (activeDigest === digest) return { type: 'degraded', state, message };
  if (rollout.state === 'refused' && isItsOwn) return failed(state, 'BundleRejected', message);
  if (elapsedMs <= healthTimeoutMs) return { type: 'progressing', state, message };
  const seconds = Math.round(healthTimeoutMs / 1000);
  return failed(state, 'HealthCheckFailed', `not healthy after ${seconds} s: ${message}`);
}

/** Why a unit is held: its message starts with the reason. */
export function heldReason(message: string | undefined): 'BundleRejected' | 'HealthCheckFailed' {
  return message?.startsWith('HealthCheckFailed') ? 'HealthCheckFailed' : 'BundleRejected';
}

function failed(state: UnitState, reason: 'BundleRejected' | 'HealthCheckFailed', message: string): Course {
  const { kind, namespace, name, digest, activeDigest } = state;
  return {
    type: 'failed',
    state: {
      ...{ kind, namespace, name, heldDigest: digest, message: `${reason}: ${message}` },
      ...(state.since !== undefined && { since: state.since }),
      ...(activeDigest === undefined ? { digest } : { digest: activeDigest, activeDigest }),
    },
    back: activeDigest,
    reason,
    message,
  };
}

function active(state: UnitState | undefined): Pick<UnitState, 'activeDigest'> {
  return state?.activeDigest === undefined ? {} : { activeDigest: state.activeDigest };
}
