/** Where compiled revisions go: a cluster, or a folder. Every call observes and acts; none waits for pods. */
import type { SourceGateway } from '#schemas';
import type { CompiledUnit, CompileOutcome } from '../compile/index.ts';
import type { KubeObject } from '../kube/types.ts';

/** As in `status.inventory`. */
export interface InventoryEntry {
  /** `namespace_name_group_Kind`, group empty for the core one. */
  readonly id: string;
  readonly v: string;
  /** Empty while it is being created: ours if we manage it, since the process that created it may have ended before the answer came. */
  readonly uid: string;
}

/**
 * As in `status.gateways`. `release` names what runs the bundle: the image, `#` and a hash of the Deployment as it is wanted.
 */
export type UnitState = SourceGateway;

/** What is there from before: the durable state of the source. */
export interface SourceHistory {
  readonly inventory: readonly InventoryEntry[];
  readonly units: readonly UnitState[];
  readonly lastAppliedRevision: string | undefined;
  /** Keys of units that keep running as they are, whatever the revision says: their new state is held or waits for its turn. */
  readonly stays: ReadonlySet<string>;
}

export interface PlannedChange {
  readonly action: 'create' | 'configure' | 'recreate';
  readonly object: KubeObject;
  /** Printable: paths that differ, with both values; never values of Secrets. */
  readonly difference: readonly string[];
  /** Drift: the repository has not changed, the object has. */
  readonly isDrift: boolean;
}

export interface Plan {
  /** In the order of applying. */
  readonly changes: readonly PlannedChange[];
  readonly unchanged: number;
  /** Entries of objects that the revision no longer has, in the order of deleting. */
  readonly deletions: readonly InventoryEntry[];
  /** Inventory of what stays as it is. */
  readonly kept: readonly InventoryEntry[];
  /** Printable: what could not be checked beforehand, or is missing and can be done without. */
  readonly notes?: readonly string[];
}

/** How a unit goes, as observed now. */
export interface Rollout {
  readonly unit: Pick<CompiledUnit, 'kind' | 'namespace' | 'name'>;
  readonly digest: string;
  /** The release of what runs it; undefined where that is not known. */
  readonly release?: string | undefined;
  /**
   * `active`: every ready pod runs the digest, as many as wanted. `refused`: a pod says that it cannot serve it.
   */
  readonly state: 'progressing' | 'active' | 'refused';
  readonly message: string;
}

export interface Destination {
  /** False where the destination reports no health of units: what is written counts as what runs, and conditions do not mention health. */
  readonly knowsHealth: boolean;
  /**
   * Plans the changes. What runs a unit that stays (`before.stays`) is neither changed nor deleted.
   *
   * @throws ReconcileError `DryRunFailed`, `FieldConflict`, `PolicyDenied`
   */
  plan(outcome: CompileOutcome, before: SourceHistory, signal: AbortSignal): Promise<Plan>;
  /**
   * Applies what changed, in stages, and gives the entries of what it applied, also of the part that was applied before a failure (in
   * `PartlyApplied.entries`).
   *
   * @throws PartlyApplied
   */
  apply(changes: readonly PlannedChange[], signal: AbortSignal): Promise<readonly InventoryEntry[]>;
  /** Deletes, and gives the entries that are still there: to be tried again. */
  prune(deletions: readonly InventoryEntry[], signal: AbortSignal): Promise<readonly InventoryEntry[]>;
  /** Takes from objects that stay what would let them go together with their source. Absent where nothing does. */
  orphan?(entries: readonly InventoryEntry[], signal: AbortSignal): Promise<void>;
  /** Names what is to run a unit, as in {@link UnitState.release}; undefined where the destination does not run it. */
  findRelease?(unit: CompiledUnit): string | undefined;
  rollouts(units: readonly CompiledUnit[], signal: AbortSignal): Promise<readonly Rollout[]>;
  /** Puts a unit's former bundle back. False when its bundle is no longer there. */
  rollBack(unit: CompiledUnit, digest: string, signal: AbortSignal): Promise<boolean>;
}

/** A failure half-way: what was applied must not be forgotten. */
export class PartlyApplied extends Error {
  readonly entries: readonly InventoryEntry[];

  constructor(entries: readonly InventoryEntry[], cause: Error) {
    super(cause.message, { cause });
    this.entries = entries;
  }
}
