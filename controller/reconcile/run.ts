/** The common inputs of all steps of a reconcile, and the conversion of failures to values. */

import type { YieldWorker } from '../kube/queue.ts';
import type { ReconcileCache } from './cache.ts';
import type { ObservedSource, ReconcileContext, Stage } from './context.ts';
import { asReconcileError } from './failure.ts';
import type { ReconcileError } from './reasons.ts';
import type { StatusWriter } from './status-writer.ts';

export interface Run {
  readonly source: ObservedSource;
  readonly context: ReconcileContext;
  /** The cache of this process: a reconcile with an empty one leads to the same result. */
  readonly cache: ReconcileCache;
  readonly statusWriter: StatusWriter;
  readonly signal: AbortSignal;
  /** Lets another source be reconciled while this one waits. */
  readonly yieldWorker: YieldWorker;
}

export type StepResult<T> =
  | { readonly value: T; readonly failure?: undefined }
  | { readonly value?: undefined; readonly failure: ReconcileError };

/**
 * Runs a step, and returns its value or its failure.
 * @throws the reason of the signal; every other failure is a value
 */
export async function attempt<T>({ signal }: Run, step: () => Promise<T>): Promise<StepResult<T>> {
  try {
    return { value: await step() };
  } catch (error) {
    signal.throwIfAborted();
    return { failure: asReconcileError(error) };
  }
}

/** Does the work of a stage, and measures it. */
export async function measureStage<T>({ source, context }: Run, stage: Stage, work: () => Promise<T>): Promise<T> {
  const start = context.monotonicNow();
  try {
    return await work();
  } finally {
    context.metrics.stage(source, stage, (context.monotonicNow() - start) / 1000);
  }
}
