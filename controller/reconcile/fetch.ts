/** Fetch: the newest revision that a source refers to, verified as the source requires. */
import { parseDurationMs } from '#compiler';
import { HOOK_AT_ANNOTATION } from '#schemas';
import type { Checkout } from './context.ts';
import { readRequestedAt } from './revision.ts';
import { measureStage, type Run, type StepResult } from './run.ts';
import type { StatusInput } from './status-writer.ts';
import { setSourceVerified } from './step-conditions.ts';

const DEFAULT_INTERVAL_MS = 60_000;
/** Tolerance for timers that fire slightly early; milliseconds. */
const EARLY_MS = 20;
/** The API server requires at least 10 s; without a cluster, a local repository may be polled more often. */
const SHORTEST_INTERVAL_MS = 1_000;

/**
 * The newest revision. Rollouts and drift trigger many reconciles, so the repository is queried only once per interval, and after a webhook, a
 * request or an edit.
 *
 * @throws ReconcileError
 */
export function fetchNewest(run: Run): Promise<Checkout> {
  return measureStage(run, 'source', () => query(run));
}

async function query(run: Run): Promise<Checkout> {
  const { source, context, cache, signal, yieldWorker } = run;
  const { metadata, spec, status = {} } = source;
  const verified = spec.verify === undefined ? undefined : status.lastVerifiedCommit;
  const { annotations = {}, generation = 0 } = metadata;
  const trigger = JSON.stringify([generation, readRequestedAt(source), annotations[HOOK_AT_ANNOTATION]]);
  const isDue = cache.isHooked === true || cache.fetched?.trigger !== trigger || computeNextFetchMs(run) <= EARLY_MS;
  const atMs = context.monotonicNow();
  cache.isHooked = false;
  try {
    const tree = await context.repository.fetchLatest(source, verified, signal, { isDue, yieldWorker });
    if (isDue) cache.fetched = { atMs, trigger };
    return tree;
  } catch (error) {
    cache.fetched = undefined;
    throw error;
  }
}

/**
 * Verify: converts the signature of a fetched revision to the status. A revision without a valid signature is a failure, so it never gets here as a
 * result of the fetch.
 */
export function verify({ source }: Run, { value: tree, failure }: StepResult<Checkout>): StatusInput {
  const steps = setSourceVerified(source, tree, failure);
  if (tree === undefined) return { steps };
  const { revision, commit, verifiedBy } = tree;
  return {
    steps,
    attemptedRevision: revision,
    ...(verifiedBy !== undefined && { verifiedCommit: commit, verifiedBy }),
  };
}

/** Milliseconds until the repository is queried again. */
export function computeNextFetchMs({ source: { spec }, context, cache: { fetched } }: Run): number {
  const { interval } = spec;
  const intervalMs = Math.max(
    interval === undefined ? DEFAULT_INTERVAL_MS : parseDurationMs(interval),
    SHORTEST_INTERVAL_MS,
  );
  return fetched === undefined ? intervalMs : Math.max(0, fetched.atMs + intervalMs - context.monotonicNow());
}
