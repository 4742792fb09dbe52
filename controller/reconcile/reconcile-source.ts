/**
 * The story of a GatewaySource, told from the beginning at every run: look what is asked for, look what is there, push once in the right
 * direction, write down what was found, and say when to come again. It waits for nothing, so that a newer revision is never late.
 */
import { durationMs } from '#compiler';
import { HOOK_AT_ANNOTATION } from '#schemas';
import { findCondition } from '../status/conditions.ts';
import { type Brought, bring } from './bring.ts';
import { correctedText } from './drift-text.ts';
import { asReconcileError } from './failure.ts';
import { finalize } from './finalize.ts';
import { refusalOf } from './gate.ts';
import { type Facts, Ledger } from './ledger.ts';
import type { Compiled, SourceMemory } from './memory.ts';
import type { ReconcileError } from './reasons.ts';
import { compiled, lastGood, requestOf } from './revision.ts';
import type { ObservedSource, SourceTree, Surroundings } from './surroundings.ts';
import { released } from './units.ts';
import {
  appliedFailure,
  broughtSteps,
  compileSteps,
  failedState,
  readyOf,
  settledState,
  sourceStep,
} from './verdicts.ts';

/** While pods are awaited or objects are on their way out; changes of those bring the next run earlier. Milliseconds. */
const PROGRESS_MS = 2_000;
const DEFAULT_INTERVAL_MS = 60_000;
/** Timers may fire a little early. */
const EARLY_MS = 20;
/** The API server refuses less than 10 s; without it, a repository of the same machine may be looked at more often. */
const SHORTEST_INTERVAL_MS = 1_000;

/**
 * One run.
 *
 * @param memory of this process: a fresh one gives the same end
 * @returns after how many milliseconds to come again; undefined when only a change of the source can bring something new
 * @throws ReconcileError for what is to be tried again, later each time, and the reason of the signal
 */
export async function reconcileSource(
  source: ObservedSource,
  around: Surroundings,
  memory: SourceMemory,
  signal: AbortSignal,
): Promise<number | undefined> {
  if (source.metadata.deletionTimestamp !== undefined) return finalize(source, around, signal);
  const ledger = new Ledger(source, around);
  if (source.spec.suspend === true) {
    const message = 'nothing is done until spec.suspend is false';
    await ledger.settle({ state: 'suspended', reason: 'Suspended', message }, {}, undefined, false, signal);
    const { tried, applied } = memory;
    const told = {
      source,
      status: ledger.status,
      tree: tried?.tree,
      outcome: tried?.outcome,
      applied: applied?.outcome,
    };
    around.metrics.settled(told, { rejected: [] });
    return undefined;
  }
  await around.store.keep(source, true, signal);

  const run = new Run(source, around, memory, ledger, signal);
  try {
    const newest = await run.attempt(() => run.newest());
    const good = newest ?? (await run.attempt(() => lastGood(source, around, memory, signal)));
    if (good !== undefined) await run.attempt(() => run.bring(good, good === newest));
  } finally {
    if (!signal.aborted) await run.settle();
  }
  if (run.failure?.next === 'retry') throw run.failure;
  return run.comeAgainMs();
}

class Run {
  /** Why the newest revision is not where it should be: the first failure counts. */
  failure: ReconcileError | undefined;
  readonly #source: ObservedSource;
  readonly #around: Surroundings;
  readonly #memory: SourceMemory;
  readonly #ledger: Ledger;
  readonly #signal: AbortSignal;
  readonly #appliedBefore: Compiled | undefined;
  #tree: SourceTree | undefined;
  #tried: Compiled | undefined;
  #facts: Facts = {};
  #brought: Brought | undefined;

  constructor(source: ObservedSource, around: Surroundings, memory: SourceMemory, ledger: Ledger, signal: AbortSignal) {
    this.#source = source;
    this.#around = around;
    this.#memory = memory;
    this.#ledger = ledger;
    this.#signal = signal;
    this.#appliedBefore = memory.applied;
  }

  /** Does a step; undefined when it failed, which is remembered. */
  async attempt<T>(step: () => Promise<T>): Promise<T | undefined> {
    try {
      return await step();
    } catch (error) {
      this.#signal.throwIfAborted();
      this.failure ??= asReconcileError(error);
      return undefined;
    }
  }

  /** The newest revision, compiled and let through. @throws ReconcileError */
  async newest(): Promise<Compiled> {
    const { status = {}, spec } = this.#source;
    const verified = spec.verify === undefined ? undefined : status.lastVerifiedCommit;
    try {
      this.#tree = await this.#timed('source', () => this.#ask(verified));
    } finally {
      this.#say({ steps: { ...this.#facts.steps, ...sourceStep(this.#source, this.#tree) } });
    }
    const tree = this.#tree;
    this.#say({
      attemptedRevision: tree.revision,
      ...(tree.verifiedBy !== undefined && { verifiedCommit: tree.commit, verifiedBy: tree.verifiedBy }),
    });
    if (status.lastAttemptedRevision !== tree.revision) {
      this.#around.events.add(this.#source, 'Normal', 'NewRevision', `${tree.revision} is the newest revision`);
    }
    if (status.lastAttemptedRevision !== tree.revision || status.observedGeneration !== this.#generation) {
      await this.#ledger.progress(`compiling ${tree.revision}`, this.#facts, this.#signal);
    }
    const tried = await this.#timed('compile', () =>
      compiled(this.#source, tree, this.#around, this.#memory, this.#signal),
    );
    this.#tried = tried;
    this.#memory.tried = tried;
    const refusal = refusalOf(tried.outcome);
    this.#say({
      compiled: tried.outcome,
      steps: { ...this.#facts.steps, ...compileSteps(tree, tried.outcome, refusal) },
    });
    if (refusal !== undefined) throw refusal;
    return tried;
  }

  /** Rollouts and drift bring many runs; the repository is asked once in an interval, and when somebody wants that. */
  async #ask(verified: string | undefined): Promise<SourceTree> {
    const memory = this.#memory;
    const { annotations = {} } = this.#source.metadata;
    const asked = JSON.stringify([this.#generation, requestOf(this.#source), annotations[HOOK_AT_ANNOTATION]]);
    const isDue = memory.isHooked === true || memory.answered?.asked !== asked || this.#dueInMs() <= EARLY_MS;
    const atMs = this.#around.uptime();
    memory.isHooked = false;
    try {
      const tree = await this.#around.repository.newest(this.#source, verified, this.#signal, isDue);
      if (isDue) memory.answered = { atMs, asked };
      return tree;
    } catch (error) {
      memory.answered = undefined;
      throw error;
    }
  }

  /** @throws ReconcileError, PartlyApplied, and what the destination throws */
  async bring(good: Compiled, isNewest: boolean): Promise<void> {
    const { gateways = [], inventory } = this.#ledger.status;
    const isAsked = requestOf(this.#source) !== this.#source.status?.lastHandledReconcileAt;
    if (isAsked) this.#memory.rollouts.clear();
    const units = isAsked ? released(gateways) : gateways;
    const brought: Brought = {
      inventory: inventory?.entries ?? [],
      units,
      applied: [],
      drift: [],
      courses: [],
      leaving: [],
    };
    this.#brought = brought;
    try {
      await bring(
        this.#source,
        good,
        {
          destination: this.#around.destination(this.#source),
          around: this.#around,
          memory: this.#memory,
          inventory: brought.inventory,
          units,
          isNewest,
          brought,
          announce: (announced, changes) => {
            const message = `applying ${good.tree.revision}: ${changes.length} objects`;
            return this.#ledger.progress(message, { ...this.#facts, inventory: announced }, this.#signal);
          },
        },
        this.#signal,
      );
      this.#memory.applied = good;
      const applied = findCondition(this.#source.status?.conditions ?? [], 'Applied');
      this.#say({ steps: { ...this.#facts.steps, ...broughtSteps(good.tree, brought, applied) } });
      if (isNewest) this.#say({ appliedRevision: good.tree.revision, digest: good.outcome.digest });
    } catch (error) {
      this.#signal.throwIfAborted();
      this.#say({ steps: { ...this.#facts.steps, ...appliedFailure(asReconcileError(error)) } });
      throw error;
    } finally {
      this.#say({ inventory: brought.inventory, units: brought.units, ready: readyOf(brought) });
    }
  }

  /** Conditions, history, events, forge and metrics, for whatever happened. */
  async settle(): Promise<void> {
    const { failure } = this;
    const brought = this.#brought;
    const tree = this.#tree;
    if (failure !== undefined && tree === undefined) {
      this.#say({ steps: { ...this.#facts.steps, ...sourceStep(this.#source, undefined, failure) } });
    }
    // A request that found no way to the repository is not obeyed yet: the next run tries again.
    if (brought !== undefined || failure?.next !== 'retry') this.#say({ handledRequest: requestOf(this.#source) });
    const state =
      failure !== undefined || tree === undefined || brought === undefined
        ? failedState(failure ?? asReconcileError(new Error('nothing was done')), tree)
        : settledState(tree, brought);
    const hasChanged = (brought?.applied.length ?? 0) > 0;
    this.#announceDrift();
    await this.#ledger.settle(state, this.#facts, this.#tried, hasChanged, this.#signal);
    const told = {
      source: this.#source,
      status: this.#ledger.status,
      tree,
      outcome: this.#tried?.outcome,
      applied: this.#appliedBefore?.outcome,
      rollouts: brought?.rollouts,
    };
    this.#around.metrics.settled(told, {
      drift: (brought?.drift.length ?? 0) + (brought?.applied.filter(({ isDrift }) => isDrift).length ?? 0),
      rejected: brought?.courses.flatMap(course => (course.type === 'failed' ? [course.reason] : [])) ?? [],
    });
    await this.#ledger.posted(await this.#around.forge.tell(told, this.#signal), this.#signal);
  }

  /** Until the repository is to be asked again; milliseconds. */
  #dueInMs(): number {
    const { answered } = this.#memory;
    if (answered === undefined) return this.#intervalMs;
    return Math.max(0, answered.atMs + this.#intervalMs - this.#around.uptime());
  }

  get #intervalMs(): number {
    const { interval } = this.#source.spec;
    return Math.max(interval === undefined ? DEFAULT_INTERVAL_MS : durationMs(interval), SHORTEST_INTERVAL_MS);
  }

  comeAgainMs(): number {
    const dueMs = this.#dueInMs();
    const { courses = [], leaving = [] } = this.#brought ?? {};
    const has = (...types: readonly string[]) => courses.some(({ type }) => types.includes(type));
    const isUnderWay = leaving.length > 0 || has('progressing', 'failed') || (has('waiting') && !has('held'));
    return isUnderWay ? Math.min(PROGRESS_MS, dueMs) : dueMs;
  }

  #announceDrift(): void {
    for (const change of this.#brought?.applied ?? []) {
      if (change.isDrift) this.#around.events.add(this.#source, 'Normal', 'DriftCorrected', correctedText(change));
    }
  }

  #say(facts: Facts): void {
    this.#facts = { ...this.#facts, ...facts };
  }

  get #generation(): number {
    return this.#source.metadata.generation ?? 0;
  }

  async #timed<T>(stage: 'source' | 'compile', work: () => Promise<T>): Promise<T> {
    const start = this.#around.uptime();
    try {
      return await work();
    } finally {
      this.#around.metrics.stage(this.#source, stage, (this.#around.uptime() - start) / 1000);
    }
  }
}
