import type { CompileOutcome } from '../compile/index.ts';
import type { Checkout } from './context.ts';

export interface CompiledTree {
  readonly tree: Checkout;
  readonly outcome: CompileOutcome;
  /** Everything that the outcome depends on. */
  readonly inputs: string;
}

export interface UnfinishedCompilation {
  readonly outcome: CompileOutcome;
  readonly tries: number;
  readonly againAtMs: number;
}

/**
 * What a process remembers of a source from one run to the next. All of it can be found out again from the repository and the status:
 * a fresh process does.
 */
export interface ReconcileCache {
  /** What was compiled last, good or bad: the same inputs give the same outcome. */
  attempted?: CompiledTree;
  /** What is applied. */
  applied?: CompiledTree;
  /** When the repository last answered, in milliseconds of uptime, and for which settings of the source. */
  fetched?: { readonly atMs: number; readonly asked: string } | undefined;
  /** The forge says that there is something new: the repository is asked by the next run, whenever it was asked last. */
  isHooked?: boolean;
  /**
   * Compilations that did not finish, by {@link Compiled.inputs}: their error, how often it happened, and when they are tried again, in
   * milliseconds of uptime.
   */
  readonly unfinished: Map<string, UnfinishedCompilation>;
  /** By unit and digest: when its rollout was first seen, in milliseconds of uptime, and how long it had taken by then. */
  readonly rollouts: Map<string, { readonly atMs: number; readonly elapsedMs: number }>;
}

export function createReconcileCache(): ReconcileCache {
  return { rollouts: new Map(), unfinished: new Map() };
}

/** How long a rollout has gone on, by a clock that does not jump while this process lives. */
export function measureRollout(
  { rollouts }: ReconcileCache,
  key: string,
  since: string | undefined,
  { now, uptime }: { now(): number; uptime(): number },
): number {
  const seen = rollouts.get(key);
  if (seen !== undefined) return seen.elapsedMs + uptime() - seen.atMs;
  const elapsed = Math.max(0, now() - Date.parse(since ?? ''));
  const first = { atMs: uptime(), elapsedMs: Number.isNaN(elapsed) ? 0 : elapsed };
  rollouts.set(key, first);
  return first.elapsedMs;
}
