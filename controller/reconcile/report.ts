/** Report: status, history, events, forge and metrics of a reconcile, whatever happened in it, and when the next one is due. */
import type { SourceState } from '../status/source-status.ts';
import { correctedText } from './drift-text.ts';
import { asReconcileError } from './failure.ts';
import { nextFetchMs } from './fetch.ts';
import { type Facts, mergeFacts } from './ledger.ts';
import type { Compiled } from './memory.ts';
import type { ReconcileError } from './reasons.ts';
import { requestOf } from './revision.ts';
import type { Run } from './run.ts';
import type { SourceTree } from './surroundings.ts';
import type { Brought } from './sync-result.ts';
import { failedState, settledState } from './verdicts.ts';

/** While pods are awaited or objects are on their way out; changes of those bring the next run earlier. Milliseconds. */
const PROGRESS_MS = 2_000;

/** The newest revision: good, or with the first failure on the way to it. */
export type Newest = { readonly facts: Facts } & (
  | { readonly tree: SourceTree; readonly compiled: Compiled; readonly failure?: undefined }
  | {
      readonly tree?: SourceTree | undefined;
      readonly compiled?: Compiled | undefined;
      readonly failure: ReconcileError;
    }
);

/**
 * @param facts of all steps
 * @param appliedBefore what was applied before this reconcile, for differences
 */
export async function report(
  run: Run,
  newest: Newest,
  brought: Brought | undefined,
  facts: Facts,
  appliedBefore: Compiled | undefined,
): Promise<void> {
  const { source, around, ledger, signal } = run;
  const { tree, compiled } = newest;
  const { applied = [], drift = [], courses = [], rollouts } = brought ?? {};
  for (const change of applied) {
    if (change.isDrift) around.events.add(source, 'Normal', 'DriftCorrected', correctedText(change));
  }
  const state = stateOf(newest, brought);
  await ledger.settle(state, withRequest(run, newest, brought, facts), compiled, applied.length > 0, signal);
  const told = {
    ...{ source, status: ledger.status, tree, rollouts },
    outcome: compiled?.outcome,
    applied: appliedBefore?.outcome,
  };
  around.metrics.settled(told, {
    drift: drift.length + applied.filter(({ isDrift }) => isDrift).length,
    rejected: courses.flatMap(course => (course.type === 'failed' ? [course.reason] : [])),
  });
  await ledger.posted(await around.forge.tell(told, signal), signal);
}

/** A suspended source is left alone. */
export async function reportSuspended({ source, around, memory, ledger, signal }: Run): Promise<undefined> {
  const message = 'nothing is done until spec.suspend is false';
  await ledger.settle({ state: 'suspended', reason: 'Suspended', message }, {}, undefined, false, signal);
  const { tried, applied } = memory;
  const told = { source, status: ledger.status, tree: tried?.tree, outcome: tried?.outcome, applied: applied?.outcome };
  around.metrics.settled(told, { rejected: [] });
  return undefined;
}

/** While something is under way, soon; else when the repository is to be queried again. Milliseconds. */
export function requeueAfterMs(run: Run, brought: Brought | undefined): number {
  const dueMs = nextFetchMs(run);
  const { courses = [], leaving = [] } = brought ?? {};
  const has = (...types: readonly string[]) => courses.some(({ type }) => types.includes(type));
  const isUnderWay = leaving.length > 0 || has('progressing', 'failed') || (has('waiting') && !has('held'));
  return isUnderWay ? Math.min(PROGRESS_MS, dueMs) : dueMs;
}

function stateOf({ tree, failure }: Newest, brought: Brought | undefined): SourceState {
  const first = failure ?? brought?.failure;
  if (first === undefined && tree !== undefined && brought !== undefined) return settledState(tree, brought);
  return failedState(first ?? asReconcileError(new Error('nothing was done')), tree);
}

/** A request that found no way to the repository is not handled yet: the next run tries again. */
function withRequest({ source }: Run, { failure }: Newest, brought: Brought | undefined, facts: Facts): Facts {
  const isHandled = brought !== undefined || failure?.next !== 'retry';
  return isHandled ? mergeFacts(facts, { handledRequest: requestOf(source) }) : facts;
}
