/** What every step of one reconcile gets, and how a step that fails becomes a value. */
import { asReconcileError } from './failure.ts';
import type { Ledger } from './ledger.ts';
import type { SourceMemory } from './memory.ts';
import type { ReconcileError } from './reasons.ts';
import type { ObservedSource, Stage, Surroundings } from './surroundings.ts';

export interface Run {
  readonly source: ObservedSource;
  readonly around: Surroundings;
  /** Of this process: a fresh one gives the same end. */
  readonly memory: SourceMemory;
  readonly ledger: Ledger;
  readonly signal: AbortSignal;
}

export type Attempt<T> =
  | { readonly value: T; readonly failure?: undefined }
  | { readonly value?: undefined; readonly failure: ReconcileError };

/** @throws the reason of the signal; every other failure is a value */
export async function attempt<T>({ signal }: Run, step: () => Promise<T>): Promise<Attempt<T>> {
  try {
    return { value: await step() };
  } catch (error) {
    signal.throwIfAborted();
    return { failure: asReconcileError(error) };
  }
}

/** Does the work of a stage, and measures it. */
export async function timed<T>({ source, around }: Run, stage: Stage, work: () => Promise<T>): Promise<T> {
  const start = around.uptime();
  try {
    return await work();
  } finally {
    around.metrics.stage(source, stage, (around.uptime() - start) / 1000);
  }
}
