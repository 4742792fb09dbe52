/** Plans which objects of the inventory are deleted, and which stay although the revision lacks them. */
import { DIGEST_ANNOTATION } from '#schemas';
import type { CompiledUnit, CompileOutcome } from '../compile/index.ts';
import type { ObjectKey } from '../kube/types.ts';
import type { InventoryEntry, UnitState } from '../status/index.ts';
import { mapApiError } from './api-error.ts';
import { type ApplyContext, getSeen } from './apply-context.ts';
import { findState, type HeldUnit } from './desired-objects.ts';
import { formatInventoryId, toKeyOfEntry, toObjectKey } from './identity.ts';
import { isInventoried } from './ownership.ts';
import { createRecord } from './record.ts';
import type { Records } from './records.ts';
import { readAnnotation } from './source-labels.ts';
import { compareForApplying } from './stages.ts';

export interface Deletions {
  /** In the order of deleting, the reverse of applying. */
  readonly deletions: readonly InventoryEntry[];
  readonly retained: readonly InventoryEntry[];
}

/**
 * The last active bundles of each desired gateway or registry server stay, and where its new bundle was refused, so do the objects that run it.
 * @param gone inventory entries of objects that are not desired
 */
export async function planDeletions(
  on: ApplyContext,
  gone: readonly InventoryEntry[],
  outcome: CompileOutcome,
  heldUnits: readonly HeldUnit[],
  before: readonly UnitState[],
  records: Records,
  signal: AbortSignal,
): Promise<Deletions> {
  const untouched = new Set(heldUnits.flatMap(listUnknownIds));
  const bundles = await listRetainedBundles(on, gone, outcome.units, before, records, signal);
  const isRetained = ({ id }: InventoryEntry): boolean => untouched.has(id) || bundles.has(id);
  const lost = await findLost(
    on,
    gone.filter(({ id }) => bundles.has(id)),
    signal,
  );
  return {
    deletions: gone
      .filter(entry => !isRetained(entry))
      .toSorted((a, b) => compareForApplying(toKeyOfEntry(b), toKeyOfEntry(a))),
    retained: gone.filter(entry => isRetained(entry) && !lost.has(entry.id)),
  };
}

/** Bundles that no workload needs and that another client deleted: they cannot be created again, so the inventory drops them. */
async function findLost(
  on: ApplyContext,
  bundles: readonly InventoryEntry[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const lost = new Set<string>();
  for (const entry of bundles) {
    const key = toKeyOfEntry(entry);
    const live = await mapApiError({ key }, getSeen(on, key, signal));
    if (live === undefined || !isInventoried(live, entry, on.source)) lost.add(entry.id);
  }
  return lost;
}

/** The inventory ids of a gateway or registry server whose running state is unknown: none of these objects is desired, and none may be deleted. */
function listUnknownIds({ unit, runs }: HeldUnit): readonly string[] {
  if (runs !== undefined) return [];
  const record = createRecord(unit);
  return [...unit.manifests, ...(record === undefined ? [] : [record])].map(object =>
    formatInventoryId(toObjectKey(object)),
  );
}

async function listRetainedBundles(
  on: ApplyContext,
  gone: readonly InventoryEntry[],
  units: readonly CompiledUnit[],
  before: readonly UnitState[],
  records: Records,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const candidates = gone
    .map(entry => ({ entry, key: toKeyOfEntry(entry) }))
    .filter(({ key }) => key.kind === 'ConfigMap');
  const retained = new Set<string>();
  for (const [namespace, inNamespace] of Map.groupBy(candidates, ({ key }) => key.namespace)) {
    const own = units.filter(unit => unit.namespace === namespace);
    if (own.length === 0) continue;
    const recorded = await Promise.all(own.map(unit => records.listActivations(unit, signal)));
    const names = new Set(recorded.flat().flatMap(({ configMaps }) => configMaps));
    // If a person deleted the activation record, the current workload must still keep its bundle.
    const digests = new Set(own.flatMap(unit => listDigests(findState(unit, before))));
    for (const { entry, key } of inNamespace) {
      if (names.has(key.name)) retained.add(entry.id);
      else if (digests.size > 0 && digests.has(await readDigest(on, key, signal))) retained.add(entry.id);
    }
  }
  return retained;
}

function listDigests(state: UnitState | undefined): readonly (string | undefined)[] {
  return state === undefined ? [] : [state.activeDigest].filter(digest => digest !== undefined);
}

async function readDigest(on: ApplyContext, key: ObjectKey, signal: AbortSignal): Promise<string | undefined> {
  const live = await mapApiError({ key }, getSeen(on, key, signal));
  return live && readAnnotation(live, DIGEST_ANNOTATION);
}
