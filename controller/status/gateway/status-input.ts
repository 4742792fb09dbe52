/** The inputs of the status of a gateway or registry server. */
import type { Condition, EmbeddingServerStatus } from '#schemas';
import type { CompiledUnit } from '../../compile/index.ts';
import type { PodReport } from '../../pods/index.ts';
import type { UnitState } from '../../reconcile/index.ts';

/** The last compilation's result about a unit. */
export interface CompileObservation
  extends Pick<CompiledUnit, 'digest' | 'diagnostics' | 'configHashes' | 'statusReportingIntervalMs' | 'backends'> {
  /** The revision of the source, such as `main@sha1:…`. */
  readonly revision: string;
  /** Whether the whole revision is valid; otherwise no part of it is applied. */
  readonly isGood: boolean;
}

export interface DeploymentObservation {
  /** Desired number of pods. */
  readonly replicas: number;
}

/** The EmbeddingServer that a gateway refers to. */
export interface EmbeddingObservation {
  readonly name: string;
  /** The status of the EmbeddingServer; undefined when it does not exist. */
  readonly status: EmbeddingServerStatus | undefined;
}

export interface WorkloadStatusInput {
  /** `metadata.generation` of the object whose status it is. */
  readonly generation: number;
  readonly now: Date;
  /** Inside of the cluster. */
  readonly url: string;
  /** Undefined until the source was compiled in this process: conditions that depend on it stay unchanged. */
  readonly compiled: CompileObservation | undefined;
  /** The unit's state in its source; undefined while no source deploys it. */
  readonly unit: UnitState | undefined;
  /** Undefined when it refers to none. */
  readonly embedding?: EmbeddingObservation | undefined;
  /** Undefined when it does not exist. */
  readonly deployment: DeploymentObservation | undefined;
  readonly pods: readonly PodReport[];
}

/** Pods that get requests. */
export function listReadyPods(pods: readonly PodReport[]): readonly PodReport[] {
  return pods.filter(({ isReady }) => isReady);
}

/** A condition without a transition time, which is unknown here. */
export interface UntimedCondition {
  readonly type: string;
  readonly status: Condition['status'];
  readonly reason: string;
  readonly message: string;
}
