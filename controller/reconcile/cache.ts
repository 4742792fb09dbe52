import type { CompileOutcome } from '../compile/index.ts';
import type { Checkout } from './context.ts';

export interface CompiledTree {
  readonly tree: Checkout;
  readonly outcome: CompileOutcome;
  /** A hash of everything that the outcome depends on. */
  readonly inputs: string;
}

export interface UnfinishedCompilation {
  readonly outcome: CompileOutcome;
  readonly tries: number;
  readonly againAtMs: number;
}

/**
 * The in-memory state of a source between reconciles. All of it can be determined again from the repository and the status, as after a restart.
 */
export interface ReconcileCache {
  /** The last compilation, successful or not: the same inputs give the same outcome. */
  attempted?: CompiledTree;
  /** What is applied. */
  applied?: CompiledTree;
  /** When the repository last answered, in milliseconds of the monotonic clock, and the settings of the source at that time. */
  fetched?: { readonly atMs: number; readonly trigger: string } | undefined;
  /** The value of {@link ReconcileCache.fetched} at which notes about pods' requirements were last checked. */
  noted?: ReconcileCache['fetched'];
  /** Whether a webhook announced a change: the next reconcile then queries the repository, no matter when it last did. */
  isHooked?: boolean;
  /**
   * Unfinished compilations, by {@link Compiled.inputs}: their error, their number, and the time of the next attempt, in milliseconds of the
   * monotonic clock.
   */
  readonly unfinished: Map<string, UnfinishedCompilation>;
  /**
   * When a rollout was first observed, in milliseconds of the monotonic clock, and how long the rollout had already taken at that time; by gateway or
   * registry server, and digest.
   */
  readonly rollouts: Map<string, { readonly atMs: number; readonly elapsedMs: number }>;
}

export function createReconcileCache(): ReconcileCache {
  return { rollouts: new Map(), unfinished: new Map() };
}

/** The duration of a rollout, by a clock that is monotonic within this process. */
export function measureRollout(
  { rollouts }: ReconcileCache,
  key: string,
  since: string | undefined,
  { now, monotonicNow }: { now(): number; monotonicNow(): number },
): number {
  const seen = rollouts.get(key);
  if (seen !== undefined) return seen.elapsedMs + monotonicNow() - seen.atMs;
  const elapsed = Math.max(0, now() - Date.parse(since ?? ''));
  const first = { atMs: monotonicNow(), elapsedMs: Number.isNaN(elapsed) ? 0 : elapsed };
  rollouts.set(key, first);
  return first.elapsedMs;
}
