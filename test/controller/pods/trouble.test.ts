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

test('the controller reports no problem for a ready pod', () => {
  expect(findPodFailure(pod({ phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }))).toBeUndefined();
});

describe('temporary states of pods', () => {
  test.each<[name: string, status: PodStatus, problem: string]>([
    ['it has no status yet', {}, 'the pod is being created'],
    ['it is being created', { ...waiting('ContainerCreating'), phase: 'Pending' }, 'the pod is being created'],
    ['its init containers run', waiting('PodInitializing'), 'the pod is being created'],
    ['it waits for an unknown reason', waiting('NewInKubernetes'), 'the pod is being created'],
    ['it runs and is not ready', container({ state: { running: {} } }), 'container vmcp runs, and is not ready yet'],
    [
      'all its containers are ready, but the pod is not',
      { phase: 'Running', containerStatuses: [{ name: 'vmcp', ready: true, state: { running: {} } }] },
      'the pod runs, and is not ready yet',
    ],
    [
      'a container ended once',
      container({ state: { terminated: { exitCode: 70, message: 'oh no' } } }),
      'container vmcp ended: exit code 70: oh no',
    ],
    [
      'a container started again after it ended',
      container({ state: { running: {} }, lastState: { terminated: { exitCode: 137, signal: 9 } } }),
      'container vmcp started again after it ended: signal 9',
    ],
  ])('the controller reports a temporary state of a pod: %s', (_, status, problem) => {
    expect(findPodFailure(pod(status))).toEqual({ problem, isStuck: false, refused: null });
  });
});

describe('pod failures that stay until a person acts', () => {
  test.each<[name: string, status: PodStatus, problem: string]>([
    [
      'no node accepts the pod',
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
      'the pod was evicted',
      { phase: 'Failed', reason: 'Evicted', message: 'The node was low on memory.' },
      'the pod failed: Evicted: The node was low on memory.',
    ],
    [
      'the image cannot be pulled (ImagePullBackOff)',
      waiting('ImagePullBackOff', 'Back-off pulling image'),
      'image ghcr.io/lintel/runtime:1 of container vmcp cannot be pulled: Back-off pulling image',
    ],
    [
      'the image cannot be pulled (ErrImagePull)',
      waiting('ErrImagePull'),
      'image ghcr.io/lintel/runtime:1 of container vmcp cannot be pulled',
    ],
    [
      'the image name is invalid',
      waiting('InvalidImageName', 'invalid reference format'),
      'image ghcr.io/lintel/runtime:1 of container vmcp cannot be used: invalid reference format',
    ],
    [
      'a Secret is missing',
      waiting('CreateContainerConfigError', 'secret "oidc" not found'),
      'container vmcp cannot be started: secret "oidc" not found',
    ],
    [
      'a container exceeds its memory limit',
      container({
        state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 5m0s' } },
        lastState: { terminated: { exitCode: 137, reason: 'OOMKilled' } },
      }),
      'container vmcp keeps ending: it needs more memory than its limit',
    ],
    [
      'a container keeps ending with a fatal line in its log',
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
    ['a container keeps ending without a message', waiting('CrashLoopBackOff'), 'container vmcp keeps ending'],
    [
      'an init container keeps ending',
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
      'the program of a stdio server is not in its image',
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
      'the image of the bridge cannot be pulled',
      {
        ...waiting('PodInitializing'),
        initContainerStatuses: [
          { name: 'bridge', image: 'r/bridge:1', state: { waiting: { reason: 'ErrImagePull' } } },
        ],
      },
      'image r/bridge:1 of container bridge cannot be pulled',
    ],
    [
      'the image of a sidecar cannot be pulled',
      {
        ...waiting('ContainerCreating'),
        containerStatuses: [
          { name: 'vmcp', state: { waiting: { reason: 'ContainerCreating' } } },
          { name: 'mesh', image: 'x', state: { waiting: { reason: 'ErrImagePull' } } },
        ],
      },
      'image x of container mesh cannot be pulled',
    ],
  ])('the controller reports a pod failure that stays until a person acts: %s', (_, status, problem) => {
    expect(findPodFailure(pod(status))).toEqual({ problem, isStuck: true, refused: null });
  });
});

describe('a refused bundle', () => {
  const words = '/etc/lintel/bundle/sha256-ab: format version 2 is newer than this runtime';
  const ending = { exitCode: 2, message: REFUSAL };

  test.each<[name: string, more: Partial<ContainerStatus>, how: string]>([
    ['the container ended just now', { state: { terminated: ending } }, 'ended'],
    [
      'the container keeps ending',
      { state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: { terminated: ending } },
      'keeps ending',
    ],
    [
      'the container started again',
      { state: { running: {} }, lastState: { terminated: ending } },
      'started again after it ended',
    ],
  ])('the controller reports that a pod refused its bundle: %s', (_, more, how) => {
    expect(findPodFailure(pod(container(more)))).toEqual<PodFailure>({
      problem: `container vmcp ${how}: exit code 2: ${words}`,
      isStuck: true,
      refused: words,
    });
  });

  test('the controller reports that the runtime refused a bundle without a reason if the container ended without a message', () => {
    const trouble = findPodFailure(pod(container({ state: { terminated: { exitCode: 2 } } })));
    expect(trouble?.refused).toBe('the runtime cannot serve the bundle, and gave no reason');
  });

  test('the controller cuts a very long reason why a runtime refused a bundle, and only between characters', () => {
    const message = `lintel-runtime: ${'😀'.repeat(2000)}`;
    const refused = findPodFailure(pod(container({ state: { terminated: { exitCode: 2, message } } })))?.refused ?? '';
    expect(refused.length).toBeLessThanOrEqual(1000);
    expect(refused.isWellFormed()).toBe(true);
    expect(refused.endsWith('…')).toBe(true);
  });
});
