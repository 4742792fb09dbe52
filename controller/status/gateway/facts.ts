/** What the status of a gateway or registry server is made of. */
import type { Condition, EmbeddingServerStatus } from '#schemas';
import type { CompiledUnit } from '../../compile/index.ts';
import type { PodReport } from '../../pods/index.ts';
import type { UnitState } from '../../reconcile/index.ts';

/** What the last compilation of the source found about a unit. */
export interface CompileObservation
  extends Pick<CompiledUnit, 'digest' | 'diagnostics' | 'configHashes' | 'statusReportingIntervalMs' | 'backends'> {
  /** The revision of the source, such as `main@sha1:…`. */
  readonly revision: string;
  /** Whether all of its revision is good: without that nothing of it is applied. */
  readonly isGood: boolean;
}

export interface DeploymentObservation {
  /** Pods that are wanted. */
  readonly replicas: number;
}

/** The EmbeddingServer that a gateway refers to. */
export interface EmbeddingObservation {
  readonly name: string;
  /** As it says itself; undefined while there is none. */
  readonly status: EmbeddingServerStatus | undefined;
}

export interface WorkloadStatusInput {
  /** `metadata.generation` of the object whose status it is. */
  readonly generation: number;
  readonly now: Date;
  /** Inside of the cluster. */
  readonly url: string;
  /** Undefined until the source was compiled in this process: what depends on it stays as it was. */
  readonly compiled: CompileObservation | undefined;
  /** As its source has it; undefined while no source says that it deploys it. */
  readonly unit: UnitState | undefined;
  /** Undefined where it refers to none. */
  readonly embedding?: EmbeddingObservation | undefined;
  /** Undefined while there is none. */
  readonly deployment: DeploymentObservation | undefined;
  readonly pods: readonly PodReport[];
}

/** Pods that get requests. */
export function readyPods(pods: readonly PodReport[]): readonly PodReport[] {
  return pods.filter(({ isReady }) => isReady);
}

/** A condition without the time: when it changed is not known here. */
export interface UntimedCondition {
  readonly type: string;
  readonly status: Condition['status'];
  readonly reason: string;
  readonly message: string;
}
