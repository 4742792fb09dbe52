import type { SourceState } from '../status/index.ts';
import { PartlyApplied } from './destination.ts';
import { ReconcileError } from './reasons.ts';

/** Converts the error that ended a reconcile early to one that says what to do next. An unexpected error is retried. */
export function asReconcileError(error: unknown): ReconcileError {
  if (error instanceof ReconcileError) return error;
  if (error instanceof PartlyApplied) return asReconcileError(error.cause);
  const message = error instanceof Error ? error.message : String(error);
  return new ReconcileError('ProgressingWithRetry', 'retry', message, { cause: error });
}

/** Advice about file system errors that an operator can fix. */
const REMEDIES: { readonly [code: string]: string } = {
  ENOSPC: 'no space is left; free some space',
  EDQUOT: 'the quota is used up; free some space, or raise the quota',
  EROFS: 'the file system is read-only; use a folder that can be written',
  EACCES: 'writing is not allowed; give the user of the controller the permission',
  EPERM: 'writing is not allowed; give the user of the controller the permission',
  EMFILE: 'too many files are open; raise the limit of the process',
  ENFILE: 'too many files are open; raise the limit of the machine',
};

/** A file system error in a folder, with advice; other errors are returned unchanged. All of the converted errors may be transient. */
export function asFolderError(error: unknown, folder: string): unknown {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  if (!(error instanceof Error) || code === undefined || syscall === undefined) return error;
  const message = `${folder}: ${REMEDIES[code] ?? `${error.message}; check whether the folder is damaged`}`;
  return new ReconcileError('ProgressingWithRetry', 'retry', message, { cause: error });
}

export function toFailureState({ reason, next, message }: ReconcileError): SourceState {
  return { state: next === 'stalled' ? 'stalled' : 'retrying', reason, message };
}
