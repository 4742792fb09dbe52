/** The fields of a gateway's status that an operator reads first: phase, message and Ready. */
import { describe, expect, test } from 'vitest';
import { computeGatewayStatus, type GatewayStatusInput } from '../../../../controller/status/index.ts';
import { COMPILED, condition, ERROR, pod, serving, statusInput } from './status-input.ts';

describe('phase, message and Ready', () => {
  test.each<[name: string, more: Partial<GatewayStatusInput>, phase: string, message: string, ready: string]>([
    ['no backends', { pods: serving() }, 'Ready', 'Ready, no backends configured', 'True DeploymentReady'],
    ['all ready', { pods: serving('ready', 'ready') }, 'Ready', 'All 2 backends healthy', 'True DeploymentReady'],
    [
      'some want credentials',
      { pods: serving('ready', 'unauthenticated') },
      'Ready',
      '1 backend healthy, 1 requiring authentication',
      'True DeploymentReady',
    ],
    [
      'none checked yet',
      { pods: serving('unknown', 'unknown') },
      'Pending',
      'Waiting for initial health checks (2 backends configured)',
      'False BackendsUnknown',
    ],
    [
      'some away',
      { pods: serving('ready', 'unavailable') },
      'Degraded',
      '1/2 backends routable (0 degraded, 1 unavailable, 0 unknown)',
      'False BackendsDegraded',
    ],
    [
      'some away while partialFailureMode is fail',
      { pods: serving('ready', 'unavailable').map(one => ({ ...one, failsRequests: true })) },
      'Failed',
      'Requests fail (partialFailureMode is fail): 1/2 backends routable (0 degraded, 1 unavailable, 0 unknown)',
      'False BackendsUnavailable',
    ],
    [
      'some away on one of two pods while partialFailureMode is fail',
      {
        pods: [
          ...serving('ready', 'ready'),
          ...serving('ready', 'unavailable').map(one => ({ ...one, name: 'eng-2', failsRequests: true })),
        ],
      },
      'Degraded',
      'Requests fail on 1 of 2 pods (partialFailureMode is fail): 1/2 backends routable (1 degraded, 0 unavailable, 0 unknown)',
      'False BackendsDegraded',
    ],
    [
      'none checked yet while partialFailureMode is fail',
      { pods: serving('unknown').map(one => ({ ...one, failsRequests: true })) },
      'Pending',
      'Waiting for initial health checks (1 backend configured)',
      'False BackendsUnknown',
    ],
    [
      'one backend, which is slow and serves',
      { pods: serving('degraded') },
      'Degraded',
      '0/1 backends routable (1 degraded, 0 unavailable, 0 unknown)',
      'False BackendsDegraded',
    ],
    [
      'none serves',
      { pods: serving('unavailable', 'unknown') },
      'Failed',
      'No routable backends (0 degraded, 1 unavailable, 1 unknown)',
      'False BackendsUnavailable',
    ],
    ['no pods', { pods: [] }, 'Pending', 'Waiting for ready pods', 'False DeploymentNotReady'],
    [
      'pods that start',
      { pods: [pod({ isReady: false, problem: 'the pod is being created' })] },
      'Pending',
      'Waiting for ready pods; eng-1: the pod is being created',
      'False DeploymentNotReady',
    ],
    [
      'pods that never will',
      {
        pods: [
          pod({ name: 'eng-0', isReady: false }),
          pod({ isReady: false, isStuck: true, problem: 'image x cannot be pulled' }),
        ],
      },
      'Failed',
      'No ready pods; eng-1: image x cannot be pulled',
      'False DeploymentFailed',
    ],
    [
      'a pod that never will, next to one that serves',
      { pods: [...serving('ready'), pod({ name: 'eng-2', isReady: false, isStuck: true, problem: 'no' })] },
      'Ready',
      '1 backend healthy',
      'True DeploymentReady',
    ],
    [
      'scaled to zero',
      { pods: [], deployment: { replicas: 0 } },
      'Pending',
      'Scaled to zero',
      'False DeploymentNotReady',
    ],
    [
      'no Deployment yet',
      { pods: [], deployment: undefined },
      'Pending',
      'Waiting for its Deployment',
      'False DeploymentNotReady',
    ],
    [
      'no source deploys it',
      { pods: [], deployment: undefined, unit: undefined },
      'Pending',
      'No GatewaySource deploys it yet',
      'False DeploymentNotReady',
    ],
    [
      'broken from the start',
      {
        pods: [],
        deployment: undefined,
        unit: undefined,
        compiled: { ...COMPILED, digest: null, diagnostics: [ERROR] },
      },
      'Failed',
      'a.yaml:3: LNT1003: unknown field "x"',
      'False CompilationFailed',
    ],
    [
      'broken now, while the former bundle serves',
      { pods: serving('ready'), compiled: { ...COMPILED, digest: null, isGood: false, diagnostics: [ERROR] } },
      'Ready',
      '1 backend healthy',
      'True DeploymentReady',
    ],
    [
      'ready pods that tell nothing',
      { pods: [pod({ digest: null, problem: 'http://10.0.0.1:8081/status: no answer' })] },
      'Pending',
      'no ready pod reports its state; eng-1: http://10.0.0.1:8081/status: no answer',
      'Unknown BackendsUnknown',
    ],
  ])('%s', (_, more, phase, message, ready) => {
    const status = computeGatewayStatus(statusInput(more));
    expect(status).toMatchObject({ phase, message });
    expect(condition(status, 'Ready')).toBe(`${ready}: ${message}`);
  });

  test('the phase stays while no pod reports', () => {
    const before = computeGatewayStatus(statusInput({ pods: serving('ready', 'unavailable') }));
    const silent = computeGatewayStatus(statusInput({ pods: [pod({ digest: null })] }), before);
    expect(silent).toMatchObject({ phase: 'Degraded', backendCount: 1, discoveredBackends: before.discoveredBackends });
  });
});
