/** Await health, then promote or roll back. Each reconcile observes the pods once and does not wait. */
import { parseDurationMs } from '#compiler';
import type { UnitState } from '../status/index.ts';
import { measureRollout } from './cache.ts';
import type { Rollout } from './destination.ts';
import { formatUnitKey } from './guards.ts';
import type { DesiredRevision, PlannedRevision } from './plan.ts';
import type { Run } from './run.ts';
import { evaluateRollout, type HealthResult, isActive, readLastGood } from './unit-states.ts';

const DEFAULT_HEALTH_TIMEOUT_MS: number = 5 * 60_000;

export interface Health {
  /** The observed state of the pods. */
  readonly rollouts: readonly Rollout[];
  /** The current and the new state of each gateway and registry server. */
  readonly evaluated: readonly { readonly before: UnitState; readonly result: HealthResult }[];
}

export async function awaitHealth(run: Run, { outcome }: DesiredRevision, planned: PlannedRevision): Promise<Health> {
  const { source, context, cache, signal } = run;
  const { healthTimeout } = source.spec;
  const healthTimeoutMs = healthTimeout === undefined ? DEFAULT_HEALTH_TIMEOUT_MS : parseDurationMs(healthTimeout);
  const rollouts = await planned.destination.rollouts(outcome.units, signal);
  const byUnit = new Map(rollouts.map(rollout => [formatUnitKey(rollout.unit), rollout]));
  const evaluated = planned.desired.map(state => {
    const key = formatUnitKey(state);
    if (planned.waiting.has(key)) return { before: state, result: { type: 'waiting', state } as const };
    const elapsed = isAwaited(state) ? measureRollout(cache, formatTimerKey(state), state.since, context) : 0;
    return { before: state, result: evaluateRollout(state, byUnit.get(key), elapsed, healthTimeoutMs) };
  });
  const running = new Set(
    evaluated.filter(({ before }) => isAwaited(before)).map(({ before }) => formatTimerKey(before)),
  );
  for (const timer of cache.rollouts.keys()) if (!running.has(timer)) cache.rollouts.delete(timer);
  return { rollouts, evaluated };
}

/** Whether a rollout is still awaited, so that its duration counts. */
function isAwaited(state: UnitState): boolean {
  return !isActive(state) && state.heldDigest === undefined;
}

function formatTimerKey(state: UnitState): string {
  return `${formatUnitKey(state)} ${state.digest} ${state.release}`;
}

/** Restores the last good bundle if the desired one failed. A gateway that cannot be restored keeps running what it runs. */
export async function rollBackOrPromote(
  { signal }: Run,
  { outcome }: DesiredRevision,
  { destination }: PlannedRevision,
  { evaluated }: Health,
): Promise<readonly HealthResult[]> {
  const compiled = new Map(outcome.units.map(unit => [formatUnitKey(unit), unit]));
  const health: HealthResult[] = [];
  for (const { before, result } of evaluated) {
    const unit = compiled.get(formatUnitKey(before));
    const isToGoBack = (result.type === 'failed' || result.type === 'held') && result.back !== undefined;
    const back = isToGoBack ? readLastGood(result.state) : undefined;
    const isBack = back === undefined || unit === undefined || (await destination.rollBack(unit, back, signal));
    health.push(isBack ? result : { ...result, state: { ...result.state, ...pickRelease(before) } });
  }
  return health;
}

/** The members of its state that a gateway keeps when it could not be rolled back: its digest, and what runs the bundle. */
function pickRelease({ digest, release }: UnitState): Pick<UnitState, 'digest' | 'release'> {
  return { digest, ...(release !== undefined && { release }) };
}
