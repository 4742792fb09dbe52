/** All that a reconcile needs from outside of it, for a cluster and for a folder. */
import type { GatewaySource, GatewaySourceStatus } from '#schemas';
import type { CompileOutcome, CompileRequest } from '../compile/index.ts';
import type { YieldPlace } from '../kube/queue.ts';
import type { ObjectMeta } from '../kube/types.ts';
import type { Destination, Rollout } from './destination.ts';
import type { Reason } from './reasons.ts';

/** As it is stored: with its metadata, and with the defaults of its spec. */
export type ObservedSource = Omit<GatewaySource, 'metadata'> & { readonly metadata: ObjectMeta };

/** A revision on disk, verified as the source asks for. */
export interface Checkout {
  /** Such as `main@sha1:<id>`. */
  readonly revision: string;
  /** Full id of the commit. */
  readonly commit: string;
  /** Absolute; stays as it is until the next call for the same source. */
  readonly folder: string;
  /** Key that signed it, where that was asked for. */
  readonly verifiedBy?: string | undefined;
  /** RFC 3339. */
  readonly committedAt?: string | undefined;
}

export interface FetchOptions {
  /** False when the last answer will do: then there is no conversation, unless what is asked for is another one or is gone. Default true. */
  readonly isDue?: boolean;
  /** Lets another source be worked on while the server is asked whether there is something new. */
  readonly yieldPlace?: YieldPlace;
}

export interface Repository {
  /**
   * The revision that the source asks for now. Costs one conversation with the repository when nothing has changed.
   *
   * @param verified the newest commit up to which signatures were good
   * @throws ReconcileError `FetchFailed`, `AuthenticationFailed`, `SignatureInvalid`, `PolicyDenied`, `DependencyNotReady`
   */
  fetchLatest(
    source: ObservedSource,
    verified: string | undefined,
    signal: AbortSignal,
    options: FetchOptions,
  ): Promise<Checkout>;
  /** A revision that was applied before. Undefined when it can no longer be had. */
  checkoutPrevious(source: ObservedSource, revision: string, signal: AbortSignal): Promise<Checkout | undefined>;
  /** The source is gone: what was kept for it may go as well. */
  evict(source: ObservedSource): Promise<void>;
}

/** Objects of the cluster that the gateways of a source use and the repository does not have. */
export interface ClusterInputs {
  /** Changes when any of the texts does. */
  readonly digest: string;
  /** By name: `cluster:Kind/namespace/name`. */
  readonly texts: ReadonlyMap<string, string>;
}

export interface StatusStore {
  /**
   * Writes the status, whole. Nothing is sent when it is what is stored.
   *
   * @throws when the source is gone, or another client wrote it meanwhile
   */
  write(source: ObservedSource, status: GatewaySourceStatus, signal: AbortSignal): Promise<void>;
  /** Adds or removes our finalizer. */
  setFinalizer(source: ObservedSource, isKept: boolean, signal: AbortSignal): Promise<void>;
}

/** What a run found out, for those who tell others about it. */
export interface ReconcileReport {
  readonly source: ObservedSource;
  readonly status: GatewaySourceStatus;
  /** The checkout of the revision that was attempted; undefined when no revision could be fetched. */
  readonly tree?: Checkout | undefined;
  /** The outcome of the revision that was attempted. */
  readonly outcome?: CompileOutcome | undefined;
  /** What was applied before it, for differences. */
  readonly applied?: CompileOutcome | undefined;
  /** How the pods go, as far as it was looked at. */
  readonly rollouts?: readonly Rollout[] | undefined;
}

export interface Forge {
  /**
   * Writes back what changed since `status.lastPosted`, and gives what to put there. A failure is the forge's own business: it is
   * logged and tried again by the next run.
   */
  publish(report: ReconcileReport, signal: AbortSignal): Promise<string | undefined>;
}

export interface Events {
  /** Never fails and never waits. */
  add(
    source: ObservedSource,
    type: 'Normal' | 'Warning',
    reason: Reason | 'NewRevision' | 'DriftCorrected' | 'CommitStatusFailed',
    message: string,
  ): void;
}

/** Parts of a run, for measuring. */
export type Stage = 'source' | 'compile' | 'plan' | 'apply' | 'rollout' | 'prune';

export interface Metrics {
  stage(source: ObservedSource, stage: Stage, seconds: number): void;
  /** At the end of each run, also of one that does nothing because the source is suspended: then nothing is known of drift. */
  observeReconcile(
    report: ReconcileReport,
    facts: { readonly drift?: number; readonly rejected: readonly string[] },
  ): void;
}

export interface ReconcileContext {
  readonly repository: Repository;
  /** @throws ReconcileError when compiling could not even start; everything else is an outcome */
  compile(request: CompileRequest, signal: AbortSignal): Promise<CompileOutcome>;
  clusterInputs(source: ObservedSource): ClusterInputs;
  /** @throws ReconcileError `PolicyDenied` for a source without an account to act in the name of */
  destination(source: ObservedSource): Destination;
  /** What outcomes carry besides bundles. */
  readonly output: Pick<CompileRequest, 'withExposure' | 'withBundleFiles' | 'manifests' | 'denial'>;
  readonly store: StatusStore;
  readonly forge: Forge;
  readonly events: Events;
  readonly metrics: Metrics;
  /**
   * What the cluster's definitions of our kinds lack, as one sentence; null where they lack nothing, undefined where it is not known. Absent
   * where there are no definitions.
   */
  readonly definitionsProblem?: () => string | null | undefined;
  /** How an operator allows deletions that are held back, where it is not by the annotation of the source; completes a sentence. */
  readonly approvalInstructions?: (commit: string) => string;
  /** Milliseconds since 1970, by a clock that may jump. */
  now(): number;
  /** Milliseconds since some moment, by one that does not. */
  uptime(): number;
}
