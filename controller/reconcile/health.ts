/** Await health, then promote or roll back. One look at the pods a run: it waits for nothing, and the next run looks again. */
import { durationMs } from '#compiler';
import type { Rollout, UnitState } from './destination.ts';
import { unitKey } from './guards.ts';
import { elapsedMs } from './memory.ts';
import type { Planned, Target } from './plan.ts';
import type { Run } from './run.ts';
import { type Course, courseOf, isActive } from './units.ts';

const DEFAULT_HEALTH_TIMEOUT_MS: number = 5 * 60_000;

export interface Health {
  /** How the pods go, as observed. */
  readonly rollouts: readonly Rollout[];
  /** For each gateway and registry server: what it is now, and what it becomes. */
  readonly evaluated: readonly { readonly before: UnitState; readonly course: Course }[];
}

export async function awaitHealth(run: Run, { outcome }: Target, planned: Planned): Promise<Health> {
  const { source, around, memory, signal } = run;
  const { healthTimeout } = source.spec;
  const healthTimeoutMs = healthTimeout === undefined ? DEFAULT_HEALTH_TIMEOUT_MS : durationMs(healthTimeout);
  const rollouts = await planned.destination.rollouts(outcome.units, signal);
  const byUnit = new Map(rollouts.map(rollout => [unitKey(rollout.unit), rollout]));
  const evaluated = planned.wanted.map(state => {
    const key = unitKey(state);
    if (planned.waiting.has(key)) return { before: state, course: { type: 'waiting', state } as const };
    const elapsed = isAwaited(state) ? elapsedMs(memory, timerOf(state), state.since, around) : 0;
    return { before: state, course: courseOf(state, byUnit.get(key), elapsed, healthTimeoutMs) };
  });
  const running = new Set(evaluated.filter(({ before }) => isAwaited(before)).map(({ before }) => timerOf(before)));
  for (const timer of memory.rollouts.keys()) if (!running.has(timer)) memory.rollouts.delete(timer);
  return { rollouts, evaluated };
}

/** Whether the time counts that a rollout takes. */
function isAwaited(state: UnitState): boolean {
  return !isActive(state) && state.heldDigest === undefined;
}

function timerOf(state: UnitState): string {
  return `${unitKey(state)} ${state.digest} ${state.release}`;
}

/** Puts the last good bundle back where the wanted one failed. What cannot be put back goes on as it runs. */
export async function rollBackOrPromote(
  { signal }: Run,
  { outcome }: Target,
  { destination }: Planned,
  { evaluated }: Health,
): Promise<readonly Course[]> {
  const compiled = new Map(outcome.units.map(unit => [unitKey(unit), unit]));
  const courses: Course[] = [];
  for (const { before, course } of evaluated) {
    const unit = compiled.get(unitKey(before));
    const isToGoBack = (course.type === 'failed' || course.type === 'held') && course.back !== undefined;
    const isBack = !isToGoBack || unit === undefined || (await destination.restore(unit, course.back, signal));
    courses.push(isBack ? course : { ...course, state: { ...course.state, ...runsOf(before) } });
  }
  return courses;
}

/** What a unit that could not be put back goes on with. */
function runsOf({ digest, release }: UnitState): Pick<UnitState, 'digest' | 'release'> {
  return { digest, ...(release !== undefined && { release }) };
}
