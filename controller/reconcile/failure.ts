import type { SourceState } from '../status/index.ts';
import { PartlyApplied } from './destination.ts';
import { ReconcileError } from './reasons.ts';

/** Why a run ended early, as an error that says what to do next. An unexpected error is tried again. */
export function asReconcileError(error: unknown): ReconcileError {
  if (error instanceof ReconcileError) return error;
  if (error instanceof PartlyApplied) return asReconcileError(error.cause);
  const message = error instanceof Error ? error.message : String(error);
  return new ReconcileError('ProgressingWithRetry', 'retry', message, { cause: error });
}

export function failureState({ reason, next, message }: ReconcileError): SourceState {
  return { state: next === 'stalled' ? 'stalled' : 'retrying', reason, message };
}
