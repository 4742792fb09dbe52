/** The destination of compiled revisions: a cluster, or a folder. Every call observes and acts; none waits for pods. */
import type { SourceGateway } from '#schemas';
import type { CompiledUnit, CompileOutcome } from '../compile/index.ts';
import type { KubeObject } from '../kube/types.ts';

/** As in `status.inventory`. */
export interface InventoryEntry {
  /** `namespace_name_group_Kind`, with an empty group for core. */
  readonly id: string;
  readonly v: string;
  /**
   * Empty during creation. The object then counts as this source's if Lintel's field manager created it, because the process may have ended
   * before the response.
   */
  readonly uid: string;
}

/** As in `status.gateways`. `release` identifies what runs the bundle: the image, `#` and a hash of the desired Deployment. */
export type UnitState = SourceGateway;

/** The source's durable state from earlier reconciles. */
export interface SourceHistory {
  readonly inventory: readonly InventoryEntry[];
  readonly units: readonly UnitState[];
  readonly lastAppliedRevision: string | undefined;
  /** Keys of units that keep running unchanged although the revision changes them: their new state is held or queued. */
  readonly stays: ReadonlySet<string>;
  /** Whether there are notes about pods' requirements: these are checked again, even if the pods do not change. */
  readonly hasNotes?: boolean;
}

export interface PlannedChange {
  readonly action: 'create' | 'configure' | 'recreate';
  readonly object: KubeObject;
  /** Printable: differing paths with both values; never values of Secrets. */
  readonly difference: readonly string[];
  /** Drift: the object changed while the repository did not. */
  readonly isDrift: boolean;
}

export interface ApplyPlan {
  /** In the order of applying. */
  readonly changes: readonly PlannedChange[];
  readonly unchanged: number;
  /** Entries of objects that the revision dropped, in the order of deleting. */
  readonly deletions: readonly InventoryEntry[];
  /** Inventory entries that stay unchanged. */
  readonly kept: readonly InventoryEntry[];
  /** Printable notes: checks that were impossible in advance, and optional objects that are missing. Undefined when nothing was checked. */
  readonly notes?: readonly string[] | undefined;
}

/** What a unit ran last while it was healthy, as the status of the source says. */
export interface LastGood {
  readonly digest: string;
  /** The value of `activeManifests` in the status. */
  readonly manifests?: string | undefined;
}

/** The observed state of a unit. */
export interface Rollout {
  readonly unit: Pick<CompiledUnit, 'kind' | 'namespace' | 'name'>;
  readonly digest: string;
  /** The release of its workload; undefined when unknown. */
  readonly release?: string | undefined;
  /** Digest of the objects that run the desired state; undefined when another state runs, and where no objects are recorded. */
  readonly manifests?: string | undefined;
  /** `active`: the desired number of ready pods run the digest. `refused`: a pod cannot serve it. */
  readonly state: 'progressing' | 'active' | 'refused';
  readonly message: string;
}

export interface Destination {
  /** False for a destination without health reports: an applied unit counts as running, and conditions do not mention health. */
  readonly knowsHealth: boolean;
  /**
   * Plans the changes. The objects of a unit that stays (`before.stays`) are neither changed nor deleted.
   *
   * @throws ReconcileError `DryRunFailed`, `FieldConflict`, `PolicyDenied`
   */
  plan(outcome: CompileOutcome, before: SourceHistory, signal: AbortSignal): Promise<ApplyPlan>;
  /**
   * Applies changes in stages, and returns the inventory entries of applied objects; after a failure, `PartlyApplied.entries` has the
   * entries of objects that were applied before it.
   *
   * @throws PartlyApplied
   */
  apply(changes: readonly PlannedChange[], signal: AbortSignal): Promise<readonly InventoryEntry[]>;
  /** Deletes objects, and returns the entries that still exist, for another attempt. */
  prune(deletions: readonly InventoryEntry[], signal: AbortSignal): Promise<readonly InventoryEntry[]>;
  /**
   * Removes owner references from objects that stay, so that they are not deleted with their source. Absent for a destination without owner
   * references.
   */
  orphan?(entries: readonly InventoryEntry[], signal: AbortSignal): Promise<void>;
  /**
   * The release of Lintel whose runtime will serve the unit, as in {@link UnitState.release}; undefined when the destination does not start a runtime
   * for it.
   */
  findRelease?(unit: CompiledUnit): string | undefined;
  rollouts(units: readonly CompiledUnit[], signal: AbortSignal): Promise<readonly Rollout[]>;
  /**
   * Restores a unit's previous bundle. False when it no longer exists, and when what is recorded of it is not what the status says: other people
   * may write to the place of the record.
   */
  rollBack(unit: CompiledUnit, back: LastGood, signal: AbortSignal): Promise<boolean>;
}

/** A partial failure: the applied objects must not be forgotten. */
export class PartlyApplied extends Error {
  readonly entries: readonly InventoryEntry[];

  constructor(entries: readonly InventoryEntry[], cause: Error) {
    super(cause.message, { cause });
    this.entries = entries;
  }
}
