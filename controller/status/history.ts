import type { SourceHistoryEntry } from '#schemas';
import type { Reason } from '../reconcile/index.ts';
import { timestamp } from './timestamp.ts';

/** How many revisions a status remembers. */
export const MAX_HISTORY = 5;

/** One try to bring the cluster to a revision. */
export interface Attempt {
  readonly revision: string;
  /** Over all its bundles. */
  readonly digest: string;
  /** With what it ended, or where it stands. */
  readonly reason: Reason;
  readonly durationMs: number;
  /** Key that signed the commit. */
  readonly verifiedBy?: string | undefined;
}

/** Another try of what stands on top is counted there; anything else comes on top, and the oldest goes. */
export function withAttempt(
  history: readonly SourceHistoryEntry[],
  { revision, digest, reason, durationMs, verifiedBy }: Attempt,
  now: Date,
): readonly SourceHistoryEntry[] {
  const [newest, ...older] = history;
  const isAgain = newest?.revision === revision && newest.digest === digest;
  const entry: SourceHistoryEntry = {
    revision,
    digest,
    status: reason,
    firstReconciled: isAgain ? newest.firstReconciled : later(timestamp(now), newest),
    lastReconciled: later(timestamp(now), newest),
    totalReconciliations: isAgain ? newest.totalReconciliations + 1 : 1,
    duration: durationText(durationMs),
    ...(verifiedBy === undefined ? {} : { verifiedBy }),
  };
  return [entry, ...(isAgain ? older : history)].slice(0, MAX_HISTORY);
}

/** A clock that was put back must not turn the order of the history around. */
function later(time: string, newest: SourceHistoryEntry | undefined): string {
  return newest !== undefined && Date.parse(newest.lastReconciled) > Date.parse(time) ? newest.lastReconciled : time;
}

/** As Go writes durations: `350ms`, `2.5s`, `3m7s`. */
function durationText(ms: number): string {
  const whole = Math.max(0, Math.round(ms));
  if (whole < 1000) return `${whole}ms`;
  const minutes = Math.floor(whole / 60_000);
  const seconds = (whole % 60_000) / 1000;
  return minutes === 0 ? `${seconds}s` : `${minutes}m${seconds}s`;
}
