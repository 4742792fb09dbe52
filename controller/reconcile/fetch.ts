/** Fetch: the newest revision that a source asks for, verified as the source asks. */
import { durationMs } from '#compiler';
import { HOOK_AT_ANNOTATION } from '#schemas';
import type { Facts } from './ledger.ts';
import { requestOf } from './revision.ts';
import { type Attempt, type Run, timed } from './run.ts';
import type { SourceTree } from './surroundings.ts';
import { sourceStep } from './verdicts.ts';

const DEFAULT_INTERVAL_MS = 60_000;
/** Timers may fire a little early. */
const EARLY_MS = 20;
/** The API server refuses less than 10 s; without it, a repository of the same machine may be looked at more often. */
const SHORTEST_INTERVAL_MS = 1_000;

/**
 * Rollouts and drift bring many runs; the repository is queried once in an interval, and when a webhook, a request or an edit asks for it.
 *
 * @throws ReconcileError
 */
export function fetchNewest(run: Run): Promise<SourceTree> {
  return timed(run, 'source', () => query(run));
}

async function query(run: Run): Promise<SourceTree> {
  const { source, around, memory, signal } = run;
  const { metadata, spec, status = {} } = source;
  const verified = spec.verify === undefined ? undefined : status.lastVerifiedCommit;
  const { annotations = {}, generation = 0 } = metadata;
  const asked = JSON.stringify([generation, requestOf(source), annotations[HOOK_AT_ANNOTATION]]);
  const isDue = memory.isHooked === true || memory.answered?.asked !== asked || nextFetchMs(run) <= EARLY_MS;
  const atMs = around.uptime();
  memory.isHooked = false;
  try {
    const tree = await around.repository.newest(source, verified, signal, isDue);
    if (isDue) memory.answered = { atMs, asked };
    return tree;
  } catch (error) {
    memory.answered = undefined;
    throw error;
  }
}

/** Verify: what the signature of a fetched revision means for the status. A revision without a good one is no result of the fetch. */
export function verify({ source }: Run, { value: tree, failure }: Attempt<SourceTree>): Facts {
  const steps = sourceStep(source, tree, failure);
  if (tree === undefined) return { steps };
  const { revision, commit, verifiedBy } = tree;
  return {
    steps,
    attemptedRevision: revision,
    ...(verifiedBy !== undefined && { verifiedCommit: commit, verifiedBy }),
  };
}

/** Until the repository is to be queried again; milliseconds. */
export function nextFetchMs({ source: { spec }, around, memory: { answered } }: Run): number {
  const { interval } = spec;
  const intervalMs = Math.max(
    interval === undefined ? DEFAULT_INTERVAL_MS : durationMs(interval),
    SHORTEST_INTERVAL_MS,
  );
  return answered === undefined ? intervalMs : Math.max(0, answered.atMs + intervalMs - around.uptime());
}
