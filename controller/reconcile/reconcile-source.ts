/**
 * One reconcile of a GatewaySource:
 *
 *     observe → fetch → verify → compile → validate → plan → apply → await health → roll back or promote → prune → report
 *
 * Each step takes values and returns values; a step that fails is a value as well, and what came before it is kept. Every reconcile begins
 * from the start and waits for nothing, so that a newer revision is never late: it says when it is to be called again.
 */
import { apply } from './apply.ts';
import { fetchNewest, verify } from './fetch.ts';
import { finalize } from './finalize.ts';
import { awaitHealth, rollBackOrPromote } from './health.ts';
import { type Facts, Ledger, mergeFacts } from './ledger.ts';
import type { SourceMemory } from './memory.ts';
import { observe } from './observe.ts';
import { planRevision, type Target } from './plan.ts';
import { prune } from './prune.ts';
import { type Newest, report, reportSuspended, requeueAfterMs } from './report.ts';
import { compileNewest, lastGood } from './revision.ts';
import { attempt, type Run, timed } from './run.ts';
import type { ObservedSource, Surroundings } from './surroundings.ts';
import { type Brought, broughtFacts } from './sync-result.ts';
import { validate } from './validate.ts';

/**
 * @param memory of this process: a fresh one gives the same end
 * @returns after how many milliseconds to be called again; undefined when only a change of the source can bring something new
 * @throws ReconcileError for what is to be retried with backoff, and the reason of the signal
 */
export async function reconcileSource(
  source: ObservedSource,
  around: Surroundings,
  memory: SourceMemory,
  signal: AbortSignal,
): Promise<number | undefined> {
  if (source.metadata.deletionTimestamp !== undefined) return finalize(source, around, signal);
  const run: Run = { source, around, memory, ledger: new Ledger(source, around), signal };
  if (source.spec.suspend === true) return reportSuspended(run);
  await around.store.keep(source, true, signal);

  const appliedBefore = memory.applied;
  const newest = await prepare(run);
  const target = newest.failure === undefined ? { ...newest.compiled, isNewest: true } : await previous(run);
  const brought = target && (await bring(run, target, newest.facts));
  const facts = mergeFacts(newest.facts, target && brought ? broughtFacts(source, target, brought) : {});

  if (!signal.aborted) await report(run, newest, brought, facts, appliedBefore);
  const failure = newest.failure ?? brought?.failure;
  if (failure?.next === 'retry') throw failure;
  return requeueAfterMs(run, brought);
}

/** fetch → verify → compile → validate */
async function prepare(run: Run): Promise<Newest> {
  const fetched = await attempt(run, () => fetchNewest(run));
  const verified = verify(run, fetched);
  if (fetched.failure !== undefined) return { failure: fetched.failure, facts: verified };
  const tree = fetched.value;
  const compiled = await attempt(run, () => compileNewest(run, tree, verified));
  if (compiled.failure !== undefined) return { tree, failure: compiled.failure, facts: verified };
  const { refusal, facts } = validate(compiled.value);
  return { tree, compiled: compiled.value, failure: refusal, facts: mergeFacts(verified, facts) };
}

/** While the newest revision is bad, drift and rollouts of the last good one are looked after. Undefined where it cannot be had. */
async function previous(run: Run): Promise<Target | undefined> {
  const { value } = await attempt(run, () => lastGood(run));
  return value && { ...value, isNewest: false };
}

/** plan → apply → await health → roll back or promote → prune */
async function bring(run: Run, target: Target, known: Facts): Promise<Brought> {
  const observed = observe(run);
  const nothing = { ...observed, applied: [], courses: [], leaving: [] };

  const { value: planned, failure } = await attempt(run, () => planRevision(run, target, observed));
  if (planned === undefined) return { ...nothing, failure };
  const { plan, drift, guarded, wanted, destination } = planned;
  const unapplied = { ...nothing, plan, drift, guarded, knowsHealth: destination.knowsHealth };

  const applied = await apply(run, target, planned, observed, known);
  if (applied.failure !== undefined) return { ...unapplied, ...applied };

  const settled = await attempt(run, () =>
    timed(run, 'rollout', async () => {
      const health = await awaitHealth(run, target, planned);
      return { rollouts: health.rollouts, courses: await rollBackOrPromote(run, target, planned, health) };
    }),
  );
  if (settled.failure !== undefined) return { ...unapplied, ...applied, units: wanted, failure: settled.failure };
  const { inventory } = applied;
  const units = settled.value.courses.map(({ state }) => state);
  const unpruned = { ...unapplied, ...applied, ...settled.value, units };

  const pruned = await attempt(run, () => prune(run, target, planned, observed, { inventory, units }));
  if (pruned.failure !== undefined) return { ...unpruned, failure: pruned.failure };
  run.memory.applied = { tree: target.tree, outcome: target.outcome, inputs: target.inputs };
  return { ...unpruned, ...pruned.value };
}
