/** Everything that a reconcile needs from outside, for a cluster and for a folder. */
import type { GatewaySource, GatewaySourceStatus } from '#schemas';
import type { CompileOutcome, CompileRequest } from '../compile/index.ts';
import type { YieldWorker } from '../kube/queue.ts';
import type { ObjectMeta } from '../kube/types.ts';
import type { Reason } from '../status/index.ts';
import type { Destination, Rollout } from './destination.ts';

/** The stored source, with metadata and with the defaults of its spec. */
export type ObservedSource = Omit<GatewaySource, 'metadata'> & { readonly metadata: ObjectMeta };

/** The files of a revision on disk, verified as the source requires. */
export interface Checkout {
  /** Such as `main@sha1:<id>`. */
  readonly revision: string;
  /** Full commit id. */
  readonly commit: string;
  /** Absolute path. The folder stays unchanged until the next call for the same source. */
  readonly folder: string;
  /** The signing key, if signatures are required. */
  readonly verifiedBy?: string | undefined;
  /** RFC 3339. */
  readonly committedAt?: string | undefined;
}

export interface FetchOptions {
  /**
   * Whether to query the repository again. If false, the last answer is used: no connection is made unless the requested revision changed or is
   * missing. Default true.
   */
  readonly isDue?: boolean;
  /** Lets another source be reconciled while this one waits for a server, or for another source of the same repository. */
  readonly yieldWorker?: YieldWorker;
}

export interface Repository {
  /**
   * The revision that the source currently refers to. Makes one connection to the repository if nothing changed.
   *
   * @param verified the newest commit with verified signatures
   * @throws ReconcileError `FetchFailed`, `AuthenticationFailed`, `SignatureInvalid`, `PolicyDenied`, `DependencyNotReady`
   */
  fetchLatest(
    source: ObservedSource,
    verified: string | undefined,
    signal: AbortSignal,
    options: FetchOptions,
  ): Promise<Checkout>;
  /** The checkout of a previously applied revision; undefined when the revision is no longer available. */
  checkoutPrevious(
    source: ObservedSource,
    revision: string,
    signal: AbortSignal,
    options?: Pick<FetchOptions, 'yieldWorker'>,
  ): Promise<Checkout | undefined>;
  /** Called when a source was deleted: its cached data may be deleted as well. */
  evict(source: ObservedSource): Promise<void>;
}

/** Cluster objects that a source's gateways use and the repository lacks. */
export interface ClusterInputs {
  /** Changes whenever a text changes. */
  readonly digest: string;
  /** Texts, by their name `cluster:Kind/namespace/name`. */
  readonly texts: ReadonlyMap<string, string>;
}

export interface StatusStore {
  /**
   * Writes the whole status; an unchanged one is not sent.
   * @throws when the source is gone, or another client wrote it meanwhile
   */
  write(source: ObservedSource, status: GatewaySourceStatus, signal: AbortSignal): Promise<void>;
  /** Adds or removes the controller's finalizer. */
  setFinalizer(source: ObservedSource, isKept: boolean, signal: AbortSignal): Promise<void>;
}

/** The result of a reconcile, for its observers. */
export interface ReconcileReport {
  readonly source: ObservedSource;
  readonly status: GatewaySourceStatus;
  /** The checkout of the attempted revision; undefined when none could be fetched. */
  readonly tree?: Checkout | undefined;
  /** The outcome of the attempted revision. */
  readonly outcome?: CompileOutcome | undefined;
  /** The previously applied outcome, for differences. */
  readonly applied?: CompileOutcome | undefined;
  /** The observed state of the pods. */
  readonly rollouts?: readonly Rollout[] | undefined;
}

export interface Forge {
  /**
   * Posts changes since `status.lastPosted`, and returns its new value. A failure is logged and retried by the next reconcile.
   *
   * @param yieldWorker lets another source be reconciled while this one waits for the forge
   */
  publish(report: ReconcileReport, signal: AbortSignal, yieldWorker?: YieldWorker): Promise<string | undefined>;
}

export interface Events {
  /** Reports an event about a source. Never fails and never waits. */
  add(
    source: ObservedSource,
    type: 'Normal' | 'Warning',
    reason: Reason | 'NewRevision' | 'DriftCorrected' | 'CommitStatusFailed',
    message: string,
  ): void;
}

/** Phases of a reconcile, for measurements. */
export type Stage = 'source' | 'compile' | 'plan' | 'apply' | 'rollout' | 'prune';

export interface Metrics {
  stage(source: ObservedSource, stage: Stage, seconds: number): void;
  /** Called at the end of each reconcile, also when it does nothing because the source is suspended: drift is then unknown. */
  observeReconcile(
    report: ReconcileReport,
    facts: {
      readonly drift?: number;
      readonly rejected: readonly string[];
      /** `applied`: how many objects the reconcile applied. `deleted`: how many it deleted because the revision no longer has them. */
      readonly applied?: number;
      readonly deleted?: number;
    },
  ): void;
}

export interface ReconcileContext {
  readonly repository: Repository;
  /** @throws ReconcileError when compiling could not start; every other failure is an outcome */
  compile(request: CompileRequest, signal: AbortSignal): Promise<CompileOutcome>;
  clusterInputs(source: ObservedSource): ClusterInputs;
  /** @throws ReconcileError `PolicyDenied` for a source without an account to act as */
  destination(source: ObservedSource): Destination;
  /** What a compilation has to return besides the bundles. */
  readonly output: Pick<CompileRequest, 'withExposure' | 'withBundleFiles' | 'manifests' | 'denial'>;
  readonly store: StatusStore;
  readonly forge: Forge;
  readonly events: Events;
  readonly metrics: Metrics;
  /**
   * Which fields the cluster's definitions of Lintel's kinds lack, as one sentence; null when nothing is missing, undefined when unknown.
   * Absent for a destination without definitions.
   */
  readonly definitionsProblem?: () => string | null | undefined;
  /** How an operator approves the deletions that wait for a person, where the source has no annotation; completes a sentence. */
  readonly approvalInstructions?: (commit: string) => string;
  /** Milliseconds since 1970, from a clock that may jump. */
  now(): number;
  /** Monotonic milliseconds since some moment. */
  monotonicNow(): number;
}
