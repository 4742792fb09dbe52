import type { SourceHistoryEntry } from '#schemas';
import type { Reason } from './reason.ts';
import { formatTimestamp } from './timestamp.ts';

/** Number of revisions in the history. */
export const MAX_HISTORY = 5;

/** One attempt to apply a revision. */
export interface RevisionAttempt {
  readonly revision: string;
  /** Digest over all bundles of the revision. */
  readonly digest: string;
  /** The attempt's result or current state. */
  readonly reason: Reason;
  readonly durationMs: number;
  /** The key that signed the commit. */
  readonly verifiedBy?: string | undefined;
}

/** A repetition of the latest attempt increases its count; any other attempt is added, and the oldest is dropped. */
export function withAttempt(
  history: readonly SourceHistoryEntry[],
  { revision, digest, reason, durationMs, verifiedBy }: RevisionAttempt,
  now: Date,
): readonly SourceHistoryEntry[] {
  const [newest, ...older] = history;
  const isAgain = newest?.revision === revision && newest.digest === digest;
  const entry: SourceHistoryEntry = {
    revision,
    digest,
    status: reason,
    firstReconciled: isAgain ? newest.firstReconciled : getLaterTime(formatTimestamp(now), newest),
    lastReconciled: getLaterTime(formatTimestamp(now), newest),
    totalReconciliations: isAgain ? newest.totalReconciliations + 1 : 1,
    duration: formatDuration(durationMs),
    ...(verifiedBy === undefined ? {} : { verifiedBy }),
  };
  return [entry, ...(isAgain ? older : history)].slice(0, MAX_HISTORY);
}

/** The later of two times: a clock that was set back must not reverse the order of the history. */
function getLaterTime(time: string, newest: SourceHistoryEntry | undefined): string {
  return newest !== undefined && Date.parse(newest.lastReconciled) > Date.parse(time) ? newest.lastReconciled : time;
}

/** A duration in Go's form: `350ms`, `2.5s`, `3m7s`. */
function formatDuration(ms: number): string {
  const whole = Math.max(0, Math.round(ms));
  if (whole < 1000) return `${whole}ms`;
  const minutes = Math.floor(whole / 60_000);
  const seconds = (whole % 60_000) / 1000;
  return minutes === 0 ? `${seconds}s` : `${minutes}m${seconds}s`;
}
