/** Pods as the kubelet reports them, and the messages for them. */
import { describe, expect, test } from 'vitest';
import {
  type ContainerStatus,
  findPodFailure,
  type Pod,
  type PodFailure,
  type PodStatus,
} from '../../../controller/pods/index.ts';

function pod(status: PodStatus): Pod {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'eng-1', namespace: 'a' }, status };
}

const container = (more: Partial<ContainerStatus>): PodStatus => ({
  phase: 'Running',
  conditions: [{ type: 'Ready', status: 'False', reason: 'ContainersNotReady' }],
  containerStatuses: [{ name: 'vmcp', image: 'ghcr.io/lintel/runtime:1', ready: false, ...more }],
});
const waiting = (reason: string, message?: string) =>
  container({ state: { waiting: { reason, ...(message === undefined ? {} : { message }) } } });
const REFUSAL = [
  '{"level":"info","time":"2026-01-01T00:00:00.000Z","msg":"starting"}',
  'lintel-runtime: /etc/lintel/bundle/sha256-ab: format version 2 is newer than this runtime',
  "Try 'lintel-runtime --help'.",
  '',
].join('\n');

test('a ready pod has no problem', () => {
  expect(findPodFailure(pod({ phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }))).toBeUndefined();
});

describe('temporary states of pods', () => {
  test.each<[name: string, status: PodStatus, problem: string]>([
    ['no status yet', {}, 'the pod is being created'],
    ['being created', { ...waiting('ContainerCreating'), phase: 'Pending' }, 'the pod is being created'],
    ['init containers run', waiting('PodInitializing'), 'the pod is being created'],
    ['a reason that nobody knows yet', waiting('NewInKubernetes'), 'the pod is being created'],
    ['runs, not ready', container({ state: { running: {} } }), 'container vmcp runs, and is not ready yet'],
    [
      'all containers are ready, the pod is not',
      { phase: 'Running', containerStatuses: [{ name: 'vmcp', ready: true, state: { running: {} } }] },
      'the pod runs, and is not ready yet',
    ],
    [
      'ended once',
      container({ state: { terminated: { exitCode: 70, message: 'oh no' } } }),
      'container vmcp ended: exit code 70: oh no',
    ],
    [
      'came back after it ended',
      container({ state: { running: {} }, lastState: { terminated: { exitCode: 137, signal: 9 } } }),
      'container vmcp started again after it ended: signal 9',
    ],
  ])('%s', (_, status, problem) => {
    expect(findPodFailure(pod(status))).toEqual({ problem, isStuck: false, refused: null });
  });
});

describe('pod failures that stay until a person acts', () => {
  test.each<[name: string, status: PodStatus, problem: string]>([
    [
      'no node',
      {
        phase: 'Pending',
        conditions: [
          {
            type: 'PodScheduled',
            status: 'False',
            reason: 'Unschedulable',
            message: '0/3 nodes: Insufficient memory.',
          },
        ],
      },
      'no node accepts the pod: 0/3 nodes: Insufficient memory.',
    ],
    [
      'evicted',
      { phase: 'Failed', reason: 'Evicted', message: 'The node was low on memory.' },
      'the pod failed: Evicted: The node was low on memory.',
    ],
    [
      'image back-off',
      waiting('ImagePullBackOff', 'Back-off pulling image'),
      'image ghcr.io/lintel/runtime:1 of container vmcp cannot be pulled: Back-off pulling image',
    ],
    ['image', waiting('ErrImagePull'), 'image ghcr.io/lintel/runtime:1 of container vmcp cannot be pulled'],
    [
      'image name',
      waiting('InvalidImageName', 'invalid reference format'),
      'image ghcr.io/lintel/runtime:1 of container vmcp cannot be used: invalid reference format',
    ],
    [
      'a missing Secret',
      waiting('CreateContainerConfigError', 'secret "oidc" not found'),
      'container vmcp cannot be started: secret "oidc" not found',
    ],
    [
      'memory',
      container({
        state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 5m0s' } },
        lastState: { terminated: { exitCode: 137, reason: 'OOMKilled' } },
      }),
      'container vmcp keeps ending: it needs more memory than its limit',
    ],
    [
      'keeps ending, with a fatal line of the log',
      container({
        state: { waiting: { reason: 'CrashLoopBackOff' } },
        lastState: {
          terminated: {
            exitCode: 70,
            message: 'half a line\n{"level":"fatal","err":{"message":"EADDRINUSE"},"msg":"internal error"}\n',
          },
        },
      }),
      'container vmcp keeps ending: exit code 70: internal error: EADDRINUSE',
    ],
    ['keeps ending without a word', waiting('CrashLoopBackOff'), 'container vmcp keeps ending'],
    [
      'an init container, before those that wait for it',
      {
        ...waiting('PodInitializing'),
        initContainerStatuses: [
          { name: 'done', state: { terminated: { exitCode: 0 } } },
          {
            name: 'prepare',
            state: { waiting: { reason: 'CrashLoopBackOff' } },
            lastState: { terminated: { exitCode: 1, message: 'no such host' } },
          },
        ],
      },
      'container prepare keeps ending: exit code 1: no such host',
    ],
    [
      'a server over its standard streams whose program is not in its image: its bridge says so, and no bundle is refused',
      {
        ...container({ name: 'proxy', ready: true, state: { running: {} } }),
        containerStatuses: [
          { name: 'proxy', ready: true, state: { running: {} } },
          {
            name: 'mcp',
            state: { waiting: { reason: 'CrashLoopBackOff' } },
            lastState: {
              terminated: {
                exitCode: 2,
                message: "lintel-bridge: there is no program notes on PATH (/bin)\nTry 'lintel-bridge --help'.\n",
              },
            },
          },
        ],
      },
      'container mcp keeps ending: exit code 2: there is no program notes on PATH (/bin)',
    ],
    [
      'a bridge whose image is not there',
      {
        ...waiting('PodInitializing'),
        initContainerStatuses: [
          { name: 'bridge', image: 'r/bridge:1', state: { waiting: { reason: 'ErrImagePull' } } },
        ],
      },
      'image r/bridge:1 of container bridge cannot be pulled',
    ],
    [
      'a sidecar that is stuck, next to a container that only waits',
      {
        ...waiting('ContainerCreating'),
        containerStatuses: [
          { name: 'vmcp', state: { waiting: { reason: 'ContainerCreating' } } },
          { name: 'mesh', image: 'x', state: { waiting: { reason: 'ErrImagePull' } } },
        ],
      },
      'image x of container mesh cannot be pulled',
    ],
  ])('%s', (_, status, problem) => {
    expect(findPodFailure(pod(status))).toEqual({ problem, isStuck: true, refused: null });
  });
});

describe('a refused bundle', () => {
  const words = '/etc/lintel/bundle/sha256-ab: format version 2 is newer than this runtime';
  const ending = { exitCode: 2, message: REFUSAL };

  test.each<[name: string, more: Partial<ContainerStatus>, how: string]>([
    ['just now', { state: { terminated: ending } }, 'ended'],
    [
      'and again',
      { state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: { terminated: ending } },
      'keeps ending',
    ],
    [
      'and tries once more',
      { state: { running: {} }, lastState: { terminated: ending } },
      'started again after it ended',
    ],
  ])('%s', (_, more, how) => {
    expect(findPodFailure(pod(container(more)))).toEqual<PodFailure>({
      problem: `container vmcp ${how}: exit code 2: ${words}`,
      isStuck: true,
      refused: words,
    });
  });

  test('without a message', () => {
    const trouble = findPodFailure(pod(container({ state: { terminated: { exitCode: 2 } } })));
    expect(trouble?.refused).toBe('the runtime cannot serve the bundle, and gave no reason');
  });

  test('very long words are cut, not within a character', () => {
    const message = `lintel-runtime: ${'😀'.repeat(2000)}`;
    const refused = findPodFailure(pod(container({ state: { terminated: { exitCode: 2, message } } })))?.refused ?? '';
    expect(refused.length).toBeLessThanOrEqual(1000);
    expect(refused.isWellFormed()).toBe(true);
    expect(refused.endsWith('…')).toBe(true);
  });
});
