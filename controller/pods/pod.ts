/** Those members of a pod (core/v1) that the controller reads. */
import { DIGEST_ANNOTATION } from '#schemas';
import type { KubeObject } from '../kube/types.ts';

export interface Pod extends KubeObject {
  readonly spec?: { readonly containers?: readonly { readonly name: string; readonly image?: string }[] };
  readonly status?: PodStatus;
}

export interface PodStatus {
  readonly phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  readonly podIP?: string;
  readonly conditions?: readonly {
    readonly type: string;
    readonly status: string;
    readonly reason?: string;
    readonly message?: string;
  }[];
  readonly initContainerStatuses?: readonly ContainerStatus[];
  readonly containerStatuses?: readonly ContainerStatus[];
}

export interface ContainerStatus {
  readonly name: string;
  readonly image?: string;
  readonly ready?: boolean;
  readonly restartCount?: number;
  readonly state?: ContainerState;
  readonly lastState?: ContainerState;
}

export interface ContainerState {
  readonly waiting?: { readonly reason?: string; readonly message?: string };
  readonly running?: object;
  readonly terminated?: ContainerTermination;
}

/** The termination state of a container. */
export interface ContainerTermination {
  readonly exitCode?: number;
  readonly signal?: number;
  readonly reason?: string;
  /** With `FallbackToLogsOnError`: the last lines of its log. */
  readonly message?: string;
}

export function isReady(pod: Pod): boolean {
  return pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
}

/** The members of a pod that are cached. Most of a pod is its spec, which its Deployment has as well. */
export function trimPodForCache({ apiVersion, kind, metadata, status }: KubeObject): KubeObject {
  const { managedFields: _, ownerReferences: __, annotations = {}, ...otherMetadata } = metadata;
  const digest = annotations[DIGEST_ANNOTATION];
  return {
    apiVersion,
    kind,
    metadata: { ...otherMetadata, ...(digest !== undefined && { annotations: { [DIGEST_ANNOTATION]: digest } }) },
    status,
  };
}
