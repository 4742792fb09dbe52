/** The desired objects of a revision. */
import { OBJECT_KIND } from '#schemas';
import type { CompiledUnit, CompileOutcome, EmbeddingUnit } from '../compile/index.ts';
import { formatKey } from '../kube/resource-path.ts';
import type { KubeObject } from '../kube/types.ts';
import { formatUnitKey, ReconcileError } from '../reconcile/index.ts';
import type { UnitState } from '../status/index.ts';
import { formatInventoryId, toObjectKey } from './identity.ts';
import { withOwner } from './owner.ts';
import { type Activation, createRecord, isBundle } from './record.ts';
import { type LabelledObject, type SourceIdentity, withSourceLabels } from './source-labels.ts';
import { compareForApplying } from './stages.ts';

export interface DesiredObject extends LabelledObject {
  readonly id: string;
  /**
   * `content`: fully managed. `bundle`: its name identifies its content, so it is created once and never changed. `record`: it only has to
   * exist; its content is written when a bundle becomes active.
   */
  readonly role: 'content' | 'bundle' | 'record';
  /** The source for messages: `file:line`, or the gateway or registry server that the object runs. */
  readonly origin?: string | undefined;
  /** Whether the bundle differs from the last one: a missing object has then never existed, so that creating it corrects no drift. */
  readonly isNew: boolean;
}

/** Adds the labels and the hash to each object only once: the compiler returns the same objects for unchanged sources. */
export class LabelledObjects {
  readonly #source: SourceIdentity;
  readonly #known = new WeakMap<KubeObject, LabelledObject>();

  constructor(source: SourceIdentity) {
    this.#source = source;
  }

  stamp(object: KubeObject): LabelledObject {
    const stamp = this.#known.get(object) ?? withSourceLabels(withOwner(object, this.#source), this.#source);
    this.#known.set(object, stamp);
    return stamp;
  }
}

/** A gateway or registry server that does not get its new bundle: the objects of its last good bundle are desired instead. */
export interface HeldUnit {
  readonly unit: CompiledUnit;
  /** What it currently runs; undefined when that is unknown: then nothing of it is changed. */
  readonly runs: Activation | undefined;
}

/**
 * In the order of applying.
 * @throws ReconcileError `DryRunFailed` when two objects have the same identity
 */
export function listDesiredObjects(
  outcome: CompileOutcome,
  held: readonly HeldUnit[],
  before: readonly UnitState[],
  stamps: LabelledObjects,
): readonly DesiredObject[] {
  const heldUnits = new Set(held.map(({ unit }) => unit));
  const objects = outcome.objects.map(object => toDesired(object, findOrigin(outcome, object), false, stamps));
  const running = outcome.units
    .filter(unit => !heldUnits.has(unit))
    .flatMap(unit => listUnitObjects(unit, unit.manifests, isNewBundle(unit, before), outcome, stamps));
  const embedding = (outcome.embeddingServers ?? []).flatMap(server =>
    listEmbeddingServerObjects(server, outcome, stamps),
  );
  const restored = held.flatMap(({ unit, runs }) =>
    listUnitObjects(unit, runs?.manifests ?? [], false, outcome, stamps),
  );
  const all = [...objects, ...running, ...restored, ...embedding];
  refuseDoubles(all);
  return all
    .map(object => ({ one: object, key: toObjectKey(object.object) }))
    .sort((a, b) => compareForApplying(a.key, b.key))
    .map(({ one: object }) => object);
}

/** The state of the same gateway or registry server in `status.gateways`. */
export function findState(
  unit: Pick<UnitState, 'kind' | 'namespace' | 'name'>,
  before: readonly UnitState[],
): UnitState | undefined {
  const known = states.get(before) ?? new Map(before.map(state => [formatUnitKey(state), state]));
  states.set(before, known);
  return known.get(formatUnitKey(unit));
}

/** Indexes of lists that are searched for each of hundreds of gateways. */
const states = new WeakMap<readonly UnitState[], ReadonlyMap<string, UnitState>>();

function isNewBundle(unit: CompiledUnit, before: readonly UnitState[]): boolean {
  return findState(unit, before)?.digest !== unit.digest;
}

function listUnitObjects(
  unit: CompiledUnit,
  manifests: readonly KubeObject[],
  isNew: boolean,
  outcome: CompileOutcome,
  stamps: LabelledObjects,
): readonly DesiredObject[] {
  const kind = OBJECT_KIND[unit.kind];
  const origin =
    locateOrigin(outcome, `${kind}/${unit.namespace}/${unit.name}`) ?? `${kind} ${unit.namespace}/${unit.name}`;
  const record = recordFor(manifests);
  return [
    ...manifests.map(manifest => toDesired(manifest, origin, isNew, stamps)),
    ...(record === undefined ? [] : [{ ...toDesired(record, origin, isNew, stamps), role: 'record' as const }]),
  ];
}

function listEmbeddingServerObjects(
  { namespace, name, manifests }: EmbeddingUnit,
  outcome: CompileOutcome,
  stamps: LabelledObjects,
): readonly DesiredObject[] {
  const origin =
    locateOrigin(outcome, `EmbeddingServer/${namespace}/${name}`) ?? `EmbeddingServer ${namespace}/${name}`;
  return manifests.map(manifest => toDesired(manifest, origin, false, stamps));
}

const records = new WeakMap<readonly KubeObject[], KubeObject>();

function recordFor(manifests: readonly KubeObject[]): KubeObject | undefined {
  const record = records.get(manifests) ?? createRecord({ manifests });
  if (record !== undefined) records.set(manifests, record);
  return record;
}

function toDesired(
  object: KubeObject,
  origin: string | undefined,
  isNew: boolean,
  stamps: LabelledObjects,
): DesiredObject {
  const id = formatInventoryId(toObjectKey(object));
  return { id, role: isBundle(object) ? 'bundle' : 'content', origin, isNew, ...stamps.stamp(object) };
}

function findOrigin(outcome: CompileOutcome, { kind, metadata }: KubeObject): string | undefined {
  return locateOrigin(outcome, `${kind}/${metadata.namespace}/${metadata.name}`);
}

function locateOrigin({ origins }: CompileOutcome, object: string): string | undefined {
  const at = origins?.[object];
  return at && `${at.file}:${at.line}`;
}

function refuseDoubles(all: readonly DesiredObject[]): void {
  for (const [, [one, other]] of Map.groupBy(all, ({ id }) => id)) {
    if (one === undefined || other === undefined) continue;
    const origins = [one, other].map(({ origin }) => origin ?? 'the repository').join(' and of ');
    const message = `${formatKey(toObjectKey(one.object))} is in the repository twice, because of ${origins}: give one of the two another name`;
    throw new ReconcileError('DryRunFailed', 'stalled', message);
  }
}
