/**
 * Report: writes status, history, events, forge reports and metrics of a reconcile with any result, and returns when the next one is due.
 */
import type { SourceState } from '../status/index.ts';
import type { CompiledTree } from './cache.ts';
import type { Checkout } from './context.ts';
import { formatCorrected } from './drift-text.ts';
import { asReconcileError } from './failure.ts';
import { computeNextFetchMs } from './fetch.ts';
import type { ReconcileError } from './reasons.ts';
import { readRequestedAt } from './revision.ts';
import type { Run } from './run.ts';
import { mergeStatusInput, type StatusInput } from './status-writer.ts';
import { summarizeFailure, summarizeSync } from './step-conditions.ts';
import type { SyncResult } from './sync-result.ts';

/**
 * Interval of reconciles while pods start or objects are being deleted, in milliseconds; changes of these objects also trigger reconciles before it
 * ends.
 */
const PROGRESS_MS = 2_000;

/** The newest revision: valid, or with the first failure. */
export type NewestRevision = { readonly statusInput: StatusInput } & (
  | { readonly tree: Checkout; readonly compiled: CompiledTree; readonly failure?: undefined }
  | {
      readonly tree?: Checkout | undefined;
      readonly compiled?: CompiledTree | undefined;
      readonly failure: ReconcileError;
    }
);

/**
 * Reports the result of a reconcile.
 * @param statusInput the results of all steps for the status
 * @param appliedBefore the applied state before this reconcile, for differences
 */
export async function report(
  run: Run,
  newest: NewestRevision,
  synced: SyncResult | undefined,
  statusInput: StatusInput,
  appliedBefore: CompiledTree | undefined,
): Promise<void> {
  const { source, context, statusWriter, signal, yieldWorker } = run;
  const { tree, compiled } = newest;
  const { applied = [], drift = [], health = [], deleted = 0, rollouts } = synced ?? {};
  for (const change of applied) {
    if (change.isDrift) context.events.add(source, 'Normal', 'DriftCorrected', formatCorrected(change));
  }
  const state = summarizeState(newest, synced);
  await statusWriter.settle(state, withRequest(run, newest, synced, statusInput), compiled, applied.length > 0, signal);
  const report = {
    ...{ source, status: statusWriter.status, tree, rollouts },
    outcome: compiled?.outcome,
    applied: appliedBefore?.outcome,
  };
  context.metrics.observeReconcile(report, {
    drift: drift.length + applied.filter(({ isDrift }) => isDrift).length,
    rejected: health.flatMap(result => (result.type === 'failed' ? [result.reason] : [])),
    applied: applied.length,
    deleted,
  });
  await statusWriter.posted(await context.forge.publish(report, signal, yieldWorker), signal);
}

/** A suspended source is not reconciled. */
export async function reportSuspended({ source, context, cache, statusWriter, signal }: Run): Promise<undefined> {
  const message = 'the controller does nothing until spec.suspend is false';
  await statusWriter.settle({ state: 'suspended', reason: 'Suspended', message }, {}, undefined, false, signal);
  const { attempted, applied } = cache;
  const report = {
    source,
    status: statusWriter.status,
    tree: attempted?.tree,
    outcome: attempted?.outcome,
    applied: applied?.outcome,
  };
  context.metrics.observeReconcile(report, { rejected: [] });
  return undefined;
}

/** Milliseconds until the next reconcile: short while work is in progress, otherwise the time until the next query of the repository. */
export function requeueAfterMs(run: Run, synced: SyncResult | undefined): number {
  const dueMs = computeNextFetchMs(run);
  const { health = [], leaving = [] } = synced ?? {};
  const has = (...types: readonly string[]) => health.some(({ type }) => types.includes(type));
  const isUnderWay = leaving.length > 0 || has('progressing', 'failed') || (has('waiting') && !has('held'));
  return isUnderWay ? Math.min(PROGRESS_MS, dueMs) : dueMs;
}

function summarizeState({ tree, failure }: NewestRevision, synced: SyncResult | undefined): SourceState {
  const first = failure ?? synced?.failure;
  if (first === undefined && tree !== undefined && synced !== undefined) return summarizeSync(tree, synced);
  return summarizeFailure(first ?? asReconcileError(new Error('nothing was done')), tree);
}

/** A request for a reconcile that did not reach the repository stays open: the next reconcile tries again. */
function withRequest(
  { source }: Run,
  { failure }: NewestRevision,
  synced: SyncResult | undefined,
  statusInput: StatusInput,
): StatusInput {
  const isHandled = synced !== undefined || failure?.next !== 'retry';
  return isHandled ? mergeStatusInput(statusInput, { handledRequest: readRequestedAt(source) }) : statusInput;
}
