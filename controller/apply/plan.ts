/** Plans the cluster changes of a compiled revision. Writes nothing. */
import type { CompileOutcome } from '../compile/index.ts';
import type { KubeObject } from '../kube/types.ts';
import { type ApplyPlan, formatUnitKey, readLastGood, type SourceHistory } from '../reconcile/index.ts';
import type { InventoryEntry } from '../status/index.ts';
import { combineErrors } from './api-error.ts';
import type { ApplyContext } from './apply-context.ts';
import { checkReferences } from './check-references.ts';
import {
  type DesiredObject,
  findState,
  type HeldUnit,
  type LabelledObjects,
  listDesiredObjects,
} from './desired-objects.ts';
import { formatInventoryId, toObjectKey } from './identity.ts';
import { planDeletions } from './plan-deletions.ts';
import { type PlannedObject, planObject } from './plan-object.ts';
import type { Records } from './records.ts';
import { runInParallel } from './run-in-parallel.ts';
import { findTrustedActivation } from './trusted-activation.ts';

const PARALLEL = 8;

const RUNS_PODS: readonly string[] = ['Deployment', 'StatefulSet'];

/**
 * Tries every change as a dry run: if one fails, none is made.
 * @throws ReconcileError
 */
export async function planRevision(
  on: ApplyContext,
  stamps: LabelledObjects,
  records: Records,
  outcome: CompileOutcome,
  before: SourceHistory,
  signal: AbortSignal,
): Promise<ApplyPlan> {
  const held = await listHeldUnits(outcome, before, records, signal);
  const desired = listDesiredObjects(outcome, held, before.units, stamps);
  const inventory = new Map(before.inventory.map(entry => [entry.id, entry]));
  const planned = await planAll(on, desired, inventory, signal);
  const changes = planned.flatMap(({ change }) => change ?? []);
  const objects = desired.map(({ object }) => object);
  const changed = changes.map(({ object }) => object).filter(runsPods);
  const unchanged = before.hasNotes === true ? without(objects, changed).filter(runsPods) : [];
  const { errors, secrets, notes } = await checkReferences({ changed, unchanged, desired: objects }, on.client, signal);
  for (const missing of secrets) on.onMissingSecret?.(missing);
  if (errors.length > 0) throw combineErrors(errors);
  const desiredIds = new Set(desired.map(({ id }) => id));
  const gone = before.inventory.filter(({ id }) => !desiredIds.has(id));
  const { deletions, retained } = await planDeletions(on, gone, outcome, held, before.units, records, signal);
  const kept = [...planned.flatMap(({ unchanged }) => unchanged ?? []), ...retained];
  const hasLooked = changed.length + unchanged.length > 0;
  return {
    ...{ changes, unchanged: planned.length - changes.length, deletions, kept },
    notes: hasLooked ? notes : undefined,
  };
}

function runsPods({ kind }: KubeObject): boolean {
  return RUNS_PODS.includes(kind);
}

function without(objects: readonly KubeObject[], others: readonly KubeObject[]): readonly KubeObject[] {
  const ids = new Set(others.map(object => formatInventoryId(toObjectKey(object))));
  return objects.filter(object => !ids.has(formatInventoryId(toObjectKey(object))));
}

async function planAll(
  on: ApplyContext,
  desired: readonly DesiredObject[],
  inventory: ReadonlyMap<string, InventoryEntry>,
  signal: AbortSignal,
): Promise<readonly PlannedObject[]> {
  const outcomes = await runInParallel(desired, PARALLEL, one => planObject(on, one, inventory.get(one.id), signal));
  const errors = outcomes.flatMap(outcome => (outcome.status === 'rejected' ? [outcome.reason] : []));
  if (errors.length > 0) {
    signal.throwIfAborted();
    throw combineErrors(errors);
  }
  return outcomes.flatMap(outcome => (outcome.status === 'fulfilled' ? [outcome.value] : []));
}

async function listHeldUnits(
  outcome: CompileOutcome,
  before: SourceHistory,
  records: Records,
  signal: AbortSignal,
): Promise<readonly HeldUnit[]> {
  const held: HeldUnit[] = [];
  for (const unit of outcome.units) {
    if (!before.stays.has(formatUnitKey(unit))) continue;
    const back = readLastGood(findState(unit, before.units));
    const known = await records.listActivations(unit, signal);
    held.push({ unit, runs: findTrustedActivation(known, back) });
  }
  return held;
}
