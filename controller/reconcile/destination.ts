/** The destination of compiled revisions: a cluster, or a folder. Every call observes and acts; none waits for pods. */
import type { CompiledUnit, CompileOutcome } from '../compile/index.ts';
import type { KubeObject } from '../kube/types.ts';
import type { InventoryEntry, UnitState } from '../status/index.ts';

/** The source's durable state from earlier reconciles. */
export interface SourceHistory {
  readonly inventory: readonly InventoryEntry[];
  readonly units: readonly UnitState[];
  readonly lastAppliedRevision: string | undefined;
  /**
   * Keys of gateways and registry servers that keep running unchanged although the revision changes them: their last attempt failed, or they wait for
   * their turn.
   */
  readonly stays: ReadonlySet<string>;
  /** Whether there are notes about pods' requirements: these are checked again, even if the pods do not change. */
  readonly hasNotes?: boolean;
}

export interface PlannedChange {
  readonly action: 'create' | 'configure' | 'recreate';
  readonly object: KubeObject;
  /** Printable: differing paths with both values; never values of Secrets. */
  readonly difference: readonly string[];
  /** Whether the change corrects drift: the object changed while the repository did not. */
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

/** What a gateway or registry server ran last while it was healthy, according to the status of the source. */
export interface LastGood {
  readonly digest: string;
  /** The value of `activeManifests` in the status. */
  readonly manifests?: string | undefined;
}

/** The observed state of a gateway or registry server. */
export interface Rollout {
  readonly unit: Pick<CompiledUnit, 'kind' | 'namespace' | 'name'>;
  readonly digest: string;
  /** What runs the bundle, as in `UnitState.release`; undefined when unknown. */
  readonly release?: string | undefined;
  /** Digest of the objects that run the desired state; undefined when another state runs, and where no objects are recorded. */
  readonly manifests?: string | undefined;
  /** `active`: the desired number of ready pods run the digest. `refused`: a pod cannot serve it. */
  readonly state: 'progressing' | 'active' | 'refused';
  readonly message: string;
}

export interface Destination {
  /**
   * Whether the destination reports the health of what it runs. If not, an applied gateway counts as running, and conditions do not mention health.
   */
  readonly knowsHealth: boolean;
  /**
   * Plans the changes. The objects of a gateway or registry server in `before.stays` are neither changed nor deleted.
   *
   * @throws ReconcileError `DryRunFailed`, `FieldConflict`, `PolicyDenied`
   */
  plan(outcome: CompileOutcome, before: SourceHistory, signal: AbortSignal): Promise<ApplyPlan>;
  /**
   * Applies changes in stages, and returns the inventory entries of applied objects; after a failure, `PartlyApplied.entries` has the entries of
   * objects that were applied before the failure.
   *
   * @throws PartlyApplied
   */
  apply(changes: readonly PlannedChange[], signal: AbortSignal): Promise<readonly InventoryEntry[]>;
  /** Deletes objects, and returns the entries of those that still exist, so that the next reconcile tries again. */
  prune(deletions: readonly InventoryEntry[], signal: AbortSignal): Promise<readonly InventoryEntry[]>;
  /**
   * Removes owner references from objects that stay, so that they are not deleted with their source. Absent for a destination without owner
   * references.
   */
  orphan?(entries: readonly InventoryEntry[], signal: AbortSignal): Promise<void>;
  /** What will run the bundle, as in {@link UnitState.release}; undefined when the destination does not start a runtime for it. */
  findRelease?(unit: CompiledUnit): string | undefined;
  rollouts(units: readonly CompiledUnit[], signal: AbortSignal): Promise<readonly Rollout[]>;
  /**
   * Restores the previous bundle of a gateway or registry server. False when that bundle no longer exists, and when its record does not match the
   * status: other people may be able to write the record.
   */
  rollBack(unit: CompiledUnit, back: LastGood, signal: AbortSignal): Promise<boolean>;
}

/** Some changes were applied before one failed. The applied objects must still get into the inventory. */
export class PartlyApplied extends Error {
  readonly entries: readonly InventoryEntry[];

  constructor(entries: readonly InventoryEntry[], cause: Error) {
    super(cause.message, { cause });
    this.entries = entries;
  }
}
