/** The state of a pod's container, and its `status`. */
import type { KubeObject } from '../../../controller/kube/index.ts';
import type { JsonObject } from '../kube-api/json.ts';
import type { Container } from './pod-files.ts';

export interface Termination {
  readonly exitCode: number;
  readonly message: string;
  /** The start of the container, in the format of RFC 3339. */
  readonly startedAt: string;
  readonly finishedAt: string;
}

export type ContainerState = { readonly restarts: number; readonly last?: Termination } & (
  | { readonly type: 'waiting'; readonly reason: string; readonly message?: string }
  | { readonly type: 'running'; readonly isReady: boolean; readonly startedAt: string }
);

const seconds = (time: string): string => time.replace(/\.\d+Z$/, 'Z');

/** @param now RFC 3339 */
export function podStatus(pod: KubeObject, ip: string, state: ContainerState, now: string): JsonObject {
  const isReady = state.type === 'running' && state.isReady;
  const { containers } = pod.spec as { readonly containers: readonly Container[] };
  const before = (pod.status ?? {}) as { readonly startTime?: string; readonly conditions?: readonly Condition[] };
  const { startTime = now } = before;
  const last =
    state.last === undefined
      ? {}
      : {
          terminated: {
            ...state.last,
            reason: state.last.exitCode === 0 ? 'Completed' : 'Error',
            startedAt: seconds(state.last.startedAt),
            finishedAt: seconds(state.last.finishedAt),
          },
        };
  return {
    phase: state.type === 'running' || state.last !== undefined ? 'Running' : 'Pending',
    hostIP: '127.0.0.1',
    podIP: ip,
    podIPs: [{ ip }],
    startTime,
    conditions: ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map(type => {
      const status = isReady || type === 'PodScheduled' || type === 'Initialized' ? 'True' : 'False';
      const same = before.conditions?.find(one => one.type === type && one.status === status);
      return { type, status, lastTransitionTime: same?.lastTransitionTime ?? now };
    }),
    containerStatuses: containers.map(({ name, image = '' }) => ({
      name,
      image,
      imageID: image,
      ready: isReady,
      started: state.type === 'running',
      restartCount: state.restarts,
      state:
        state.type === 'running'
          ? { running: { startedAt: seconds(state.startedAt) } }
          : { waiting: { reason: state.reason, ...(state.message !== undefined && { message: state.message }) } },
      lastState: last,
    })),
  };
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime: string;
}
