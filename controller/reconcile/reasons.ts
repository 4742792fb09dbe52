import type { Reason } from '../status/index.ts';

/**
 * How to handle a failure. `stalled`: wait until an input changes, because the same inputs fail again. `retry`: try again with increasing
 * delays.
 */
export type FailureOutcome = 'stalled' | 'retry';

/** A step failed. The message is complete, for people, and free of secrets. */
export class ReconcileError extends Error {
  readonly reason: Reason;
  readonly next: FailureOutcome;
  /** Longest delay before a retry, in milliseconds, however often the step failed; undefined when only the backoff applies. */
  retryWithinMs?: number;

  constructor(reason: Reason, next: FailureOutcome, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
    this.next = next;
  }
}
