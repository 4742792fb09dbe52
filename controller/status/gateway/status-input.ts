/** The inputs of the status of a gateway or registry server. */
import type { Condition, EmbeddingServerStatus } from '#schemas';
import type { CompiledUnit } from '../../compile/index.ts';
import type { PodReport } from '../../pods/index.ts';
import type { UnitState } from '../recorded-state.ts';

/** What the last compilation says about a gateway or registry server. */
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
  /** The generation of the object whose status is computed. */
  readonly generation: number;
  readonly now: Date;
  /** The URL of the object inside of the cluster. */
  readonly url: string;
  /** The result of the last compilation; undefined until the source was compiled in this process: conditions that depend on it stay unchanged. */
  readonly compiled: CompileObservation | undefined;
  /** The state of the gateway or registry server in the status of its source; undefined while no source deploys it. */
  readonly unit: UnitState | undefined;
  /** The EmbeddingServer of the gateway; undefined when the gateway refers to none. */
  readonly embedding?: EmbeddingObservation | undefined;
  /** The Deployment; undefined when it does not exist. */
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
