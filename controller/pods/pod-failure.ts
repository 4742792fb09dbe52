/** Why a pod does not serve, as text for people, from the reports of the kubelet and the scheduler. */

import type { ContainerStatus, ContainerTermination, Pod } from './pod.ts';
import { isReady } from './pod.ts';
import { readTerminationMessage } from './termination-message.ts';

export interface PodFailure {
  readonly problem: string;
  /** Whether the failure stays until a person changes something. */
  readonly isStuck: boolean;
  /** Why the runtime refused its bundle, if that is the cause. */
  readonly refused: string | null;
}

/** The exit code of `lintel-runtime` for a bundle that it cannot serve. */
const REFUSED = 2;

/**
 * Containers next to the runtime in pods of an MCPServer: the server, and the one that copies the bridge. Their exit codes say nothing about the
 * bundle.
 */
const OF_SERVERS: readonly string[] = ['mcp', 'bridge'];

const BEING_CREATED = 'the pod is being created';

/** Why a pod does not serve; undefined for a pod that is ready. */
export function findPodFailure(pod: Pod): PodFailure | undefined {
  if (isReady(pod)) return undefined;
  const {
    phase,
    reason,
    message,
    conditions = [],
    initContainerStatuses = [],
    containerStatuses = [],
  } = pod.status ?? {};
  if (phase === 'Failed') return createStuckFailure(`the pod failed${joinDetails(reason, message)}`);
  const unscheduled = conditions.find(({ type, status }) => type === 'PodScheduled' && status === 'False');
  if (unscheduled !== undefined)
    return createStuckFailure(`no node accepts the pod${joinDetails(unscheduled.message)}`);
  const found = [...initContainerStatuses, ...containerStatuses].flatMap(
    container => findContainerFailure(container) ?? [],
  );
  // Lasting failures take precedence over transient ones; among equals, the first container in start order is the cause.
  return (
    found.find(({ isStuck }) => isStuck) ??
    found[0] ??
    createPassingFailure(phase === 'Running' ? 'the pod runs, and is not ready yet' : BEING_CREATED)
  );
}

function findContainerFailure({ name, image, ready, state, lastState }: ContainerStatus): PodFailure | undefined {
  const { waiting, terminated } = state ?? {};
  const ending = terminated ?? lastState?.terminated;
  if (waiting !== undefined) {
    const { reason = '', message } = waiting;
    switch (reason) {
      case 'CrashLoopBackOff':
        return ending === undefined
          ? createStuckFailure(`container ${name} keeps ending`)
          : createEndedFailure(name, ending, 'keeps ending');
      case 'ErrImagePull':
      case 'ImagePullBackOff':
      case 'ErrImageNeverPull':
      case 'RegistryUnavailable':
        return createStuckFailure(`image ${image ?? ''} of container ${name} cannot be pulled${joinDetails(message)}`);
      case 'InvalidImageName':
      case 'ImageInspectError':
        return createStuckFailure(`image ${image ?? ''} of container ${name} cannot be used${joinDetails(message)}`);
      case 'CreateContainerConfigError':
      case 'CreateContainerError':
      case 'RunContainerError':
        return createStuckFailure(`container ${name} cannot be started${joinDetails(message)}`);
      default:
        return ending === undefined
          ? createPassingFailure(BEING_CREATED)
          : createEndedFailure(name, ending, 'starts again');
    }
  }
  // Init containers end after their work.
  if (terminated !== undefined)
    return terminated.exitCode === 0 ? undefined : createEndedFailure(name, terminated, 'ended');
  if (ready === true) return undefined;
  return lastState?.terminated === undefined
    ? createPassingFailure(`container ${name} runs, and is not ready yet`)
    : createEndedFailure(name, lastState.terminated, 'started again after it ended');
}

function createEndedFailure(name: string, ending: ContainerTermination, how: string): PodFailure {
  const { exitCode, signal, reason, message = '' } = ending;
  if (reason === 'OOMKilled')
    return createStuckFailure(`container ${name} ${how}: it needs more memory than its limit`);
  const words = readTerminationMessage(message);
  const code = signal ? `signal ${signal}` : `exit code ${exitCode ?? 'unknown'}`;
  const problem = `container ${name} ${how}: ${code}${words === '' ? '' : `: ${words}`}`;
  const isRuntime = !OF_SERVERS.includes(name);
  const refused =
    isRuntime && exitCode === REFUSED ? words || 'the runtime cannot serve the bundle, and gave no reason' : null;
  return { problem, isStuck: how === 'keeps ending' || refused !== null, refused };
}

function createStuckFailure(problem: string): PodFailure {
  return { problem, isStuck: true, refused: null };
}

function createPassingFailure(problem: string): PodFailure {
  return { problem, isStuck: false, refused: null };
}

function joinDetails(...texts: readonly (string | undefined)[]): string {
  const messages = texts.filter(text => text !== undefined && text !== '');
  return messages.length === 0 ? '' : `: ${messages.join(': ')}`;
}
