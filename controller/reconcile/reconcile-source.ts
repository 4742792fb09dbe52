/**
 * One reconcile of a GatewaySource:
 *
 * observe → fetch → verify → compile → validate → plan → apply → await health → roll back or promote → prune → report
 *
 * Each step takes values and returns values; a failed step is a value as well, and the results of earlier steps remain. Every reconcile starts from
 * the beginning and never waits, so that a newer revision is not delayed; it returns when to reconcile again.
 */
import type { YieldWorker } from '../kube/queue.ts';
import { apply } from './apply.ts';
import type { ReconcileCache } from './cache.ts';
import type { ObservedSource, ReconcileContext } from './context.ts';
import { computeNextFetchMs, fetchNewest, verify } from './fetch.ts';
import { finalize } from './finalize.ts';
import { awaitHealth, rollBackOrPromote } from './health.ts';
import { observe } from './observe.ts';
import { type DesiredRevision, planRevision } from './plan.ts';
import { prune } from './prune.ts';
import { type NewestRevision, report, reportSuspended, requeueAfterMs } from './report.ts';
import { compileLastGood, compileNewest } from './revision.ts';
import { attempt, measureStage, type Run } from './run.ts';
import { mergeStatusInput, type StatusInput, StatusWriter } from './status-writer.ts';
import { setDefinitions } from './step-conditions.ts';
import { describeSync, type SyncResult } from './sync-result.ts';
import { validate } from './validate.ts';

/**
 * @param cache of this process: a fresh one leads to the same result
 * @param yieldWorker lets another source be reconciled while this one waits for its server
 * @returns after how many milliseconds to reconcile again; undefined when only a change of the source can have an effect
 * @throws ReconcileError for a failure to retry with backoff, and the reason of the signal
 */
export async function reconcileSource(
  source: ObservedSource,
  context: ReconcileContext,
  cache: ReconcileCache,
  signal: AbortSignal,
  yieldWorker: YieldWorker = wait => wait(),
): Promise<number | undefined> {
  if (source.metadata.deletionTimestamp !== undefined) return finalize(source, context, signal);
  const run: Run = { source, context, cache, statusWriter: new StatusWriter(source, context), signal, yieldWorker };
  if (source.spec.suspend === true) return reportSuspended(run);
  await context.store.setFinalizer(source, true, signal);

  const appliedBefore = cache.applied;
  const newest = await prepare(run);
  const target = newest.failure === undefined ? { ...newest.compiled, isNewest: true } : await findLastGood(run);
  const synced = target && (await sync(run, target, newest.statusInput));
  const known = mergeStatusInput(newest.statusInput, { steps: setDefinitions(context.definitionsProblem?.()) });
  const statusInput = mergeStatusInput(known, target && synced ? describeSync(source, target, synced) : {});

  if (!signal.aborted) await report(run, newest, synced, statusInput, appliedBefore);
  const failure = newest.failure ?? synced?.failure;
  if (failure?.next === 'retry') {
    // The server answered: the next query for new commits comes at the usual interval, even after a failed commit.
    if (newest.tree !== undefined) failure.retryWithinMs = computeNextFetchMs(run);
    throw failure;
  }
  return requeueAfterMs(run, synced);
}

/** fetch → verify → compile → validate */
async function prepare(run: Run): Promise<NewestRevision> {
  const fetched = await attempt(run, () => fetchNewest(run));
  const verified = verify(run, fetched);
  if (fetched.failure !== undefined) return { failure: fetched.failure, statusInput: verified };
  const tree = fetched.value;
  const compiled = await attempt(run, () => compileNewest(run, tree, verified));
  if (compiled.failure !== undefined) return { tree, failure: compiled.failure, statusInput: verified };
  const { refusal, statusInput } = validate(compiled.value);
  return { tree, compiled: compiled.value, failure: refusal, statusInput: mergeStatusInput(verified, statusInput) };
}

/** The last good revision. While the newest one is invalid, drift and rollouts of the last good one are handled. Undefined when it is unavailable. */
async function findLastGood(run: Run): Promise<DesiredRevision | undefined> {
  const { value } = await attempt(run, () => compileLastGood(run));
  return value && { ...value, isNewest: false };
}

/** plan → apply → await health → roll back or promote → prune */
async function sync(run: Run, target: DesiredRevision, known: StatusInput): Promise<SyncResult> {
  const observed = observe(run);
  const nothing = { ...observed, applied: [], health: [], leaving: [] };

  const { value: planned, failure } = await attempt(run, () => planRevision(run, target, observed));
  if (planned === undefined) return { ...nothing, failure };
  const { plan, drift, guarded, desired, destination } = planned;
  const unapplied = { ...nothing, plan, drift, guarded, knowsHealth: destination.knowsHealth };

  const applied = await apply(run, target, planned, observed, known);
  if (applied.failure !== undefined) return { ...unapplied, ...applied };

  const settled = await attempt(run, () =>
    measureStage(run, 'rollout', async () => {
      const health = await awaitHealth(run, target, planned);
      return { rollouts: health.rollouts, health: await rollBackOrPromote(run, target, planned, health) };
    }),
  );
  if (settled.failure !== undefined) return { ...unapplied, ...applied, units: desired, failure: settled.failure };
  const { inventory } = applied;
  const units = settled.value.health.map(({ state }) => state);
  const unpruned = { ...unapplied, ...applied, ...settled.value, units };

  const pruned = await attempt(run, () => prune(run, target, planned, observed, { inventory, units }));
  if (pruned.failure !== undefined) return { ...unpruned, failure: pruned.failure };
  run.cache.applied = { tree: target.tree, outcome: target.outcome, inputs: target.inputs };
  return { ...unpruned, ...pruned.value };
}
