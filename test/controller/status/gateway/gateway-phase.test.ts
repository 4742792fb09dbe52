/** The fields of a gateway's status that an operator reads first: phase, message and Ready. */
import { describe, expect, test } from 'vitest';
import { computeGatewayStatus, type GatewayStatusInput } from '../../../../controller/status/index.ts';
import { COMPILED, condition, ERROR, pod, serving, statusInput } from './status-input.ts';

describe('phase, message and Ready', () => {
  test.each<[name: string, more: Partial<GatewayStatusInput>, phase: string, message: string, ready: string]>([
    [
      'no backends are configured',
      { pods: serving() },
      'Ready',
      'Ready, no backends configured',
      'True DeploymentReady',
    ],
    [
      'all backends are ready',
      { pods: serving('ready', 'ready') },
      'Ready',
      'All 2 backends healthy',
      'True DeploymentReady',
    ],
    [
      'a backend requires credentials',
      { pods: serving('ready', 'unauthenticated') },
      'Ready',
      '1 backend healthy, 1 requiring authentication',
      'True DeploymentReady',
    ],
    [
      'no backend is checked yet',
      { pods: serving('unknown', 'unknown') },
      'Pending',
      'Waiting for initial health checks (2 backends configured)',
      'False BackendsUnknown',
    ],
    [
      'a backend is unavailable',
      { pods: serving('ready', 'unavailable') },
      'Degraded',
      '1/2 backends routable (0 degraded, 1 unavailable, 0 unknown)',
      'False BackendsDegraded',
    ],
    [
      'a backend is unavailable while partialFailureMode is fail',
      { pods: serving('ready', 'unavailable').map(one => ({ ...one, failsRequests: true })) },
      'Failed',
      'Requests fail (partialFailureMode is fail): 1/2 backends routable (0 degraded, 1 unavailable, 0 unknown)',
      'False BackendsUnavailable',
    ],
    [
      'a backend is unavailable on one of two pods while partialFailureMode is fail',
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
      'no backend is checked yet while partialFailureMode is fail',
      { pods: serving('unknown').map(one => ({ ...one, failsRequests: true })) },
      'Pending',
      'Waiting for initial health checks (1 backend configured)',
      'False BackendsUnknown',
    ],
    [
      'the only backend is degraded and still serves',
      { pods: serving('degraded') },
      'Degraded',
      '0/1 backends routable (1 degraded, 0 unavailable, 0 unknown)',
      'False BackendsDegraded',
    ],
    [
      'no backend serves',
      { pods: serving('unavailable', 'unknown') },
      'Failed',
      'No routable backends (0 degraded, 1 unavailable, 1 unknown)',
      'False BackendsUnavailable',
    ],
    ['no pods', { pods: [] }, 'Pending', 'Waiting for ready pods', 'False DeploymentNotReady'],
    [
      'its pods start',
      { pods: [pod({ isReady: false, problem: 'the pod is being created' })] },
      'Pending',
      'Waiting for ready pods; eng-1: the pod is being created',
      'False DeploymentNotReady',
    ],
    [
      'its pods cannot start',
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
      'one pod cannot start and another pod serves',
      { pods: [...serving('ready'), pod({ name: 'eng-2', isReady: false, isStuck: true, problem: 'no' })] },
      'Ready',
      '1 backend healthy',
      'True DeploymentReady',
    ],
    [
      'it is scaled to zero',
      { pods: [], deployment: { replicas: 0 } },
      'Pending',
      'Scaled to zero',
      'False DeploymentNotReady',
    ],
    [
      'it has no Deployment yet',
      { pods: [], deployment: undefined },
      'Pending',
      'Waiting for its Deployment',
      'False DeploymentNotReady',
    ],
    [
      'no source deploys the gateway',
      { pods: [], deployment: undefined, unit: undefined },
      'Pending',
      'No GatewaySource deploys it yet',
      'False DeploymentNotReady',
    ],
    [
      'its first spec is broken',
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
      'its spec is broken and the former bundle serves',
      { pods: serving('ready'), compiled: { ...COMPILED, digest: null, isGood: false, diagnostics: [ERROR] } },
      'Ready',
      '1 backend healthy',
      'True DeploymentReady',
    ],
    [
      'its ready pods do not answer',
      { pods: [pod({ digest: null, problem: 'http://10.0.0.1:8081/status: no answer' })] },
      'Pending',
      'no ready pod reports its state; eng-1: http://10.0.0.1:8081/status: no answer',
      'Unknown BackendsUnknown',
    ],
  ])('the gateway has the right phase, message and Ready condition: %s', (_, more, phase, message, ready) => {
    const status = computeGatewayStatus(statusInput(more));
    expect(status).toMatchObject({ phase, message });
    expect(condition(status, 'Ready')).toBe(`${ready}: ${message}`);
  });

  test('the phase and the backends of a gateway stay the same while no pod reports its state', () => {
    const before = computeGatewayStatus(statusInput({ pods: serving('ready', 'unavailable') }));
    const silent = computeGatewayStatus(statusInput({ pods: [pod({ digest: null })] }), before);
    expect(silent).toMatchObject({ phase: 'Degraded', backendCount: 1, discoveredBackends: before.discoveredBackends });
  });
});
