/** The status of a registry server. */
import { describe, expect, test } from 'vitest';
import { computeRegistryStatus } from '../../../../controller/status/index.ts';
import { StatusInvariants } from '../../../support/status-invariants.ts';
import { condition, pod, statusInput, UNIT } from './status-input.ts';

describe('registry servers', () => {
  const registry = (more: object = {}) =>
    computeRegistryStatus({ ...statusInput({ unit: { ...UNIT, kind: 'registry' } }), isTerminating: false, ...more });

  test.each<[name: string, more: object, phase: string, ready: string]>([
    ['its pod is ready', {}, 'Ready', 'True Ready: 1 ready pod'],
    [
      'two of three pods are ready',
      { pods: [pod(), pod(), pod({ isReady: false })] },
      'Ready',
      'True Ready: 2 ready pods',
    ],
    [
      'its pod starts',
      { pods: [pod({ isReady: false, problem: 'p' })] },
      'Pending',
      'False NotReady: Waiting for ready pods; eng-1: p',
    ],
    [
      'its pod cannot start',
      { pods: [pod({ isReady: false, isStuck: true, problem: 'p' })] },
      'Failed',
      'False NotReady: No ready pods; eng-1: p',
    ],
    ['it is being deleted', { isTerminating: true }, 'Terminating', 'False NotReady: Being deleted'],
  ])('the status of a registry server has its phase and Ready condition: %s', (_, more, phase, ready) => {
    const status = registry(more);
    expect(status.phase).toBe(phase);
    expect(condition(status, 'Ready')).toBe(ready);
  });

  test('the status of a registry server has its phase, message, URL, number of ready pods, generation and conditions', () => {
    expect(registry()).toEqual({
      phase: 'Ready',
      message: '1 ready pod',
      url: 'http://vmcp-eng.a.svc.cluster.local:4483',
      readyReplicas: 1,
      observedGeneration: 1,
      conditions: ['Ready', 'BundleActive', 'Compiled'].map(type => expect.objectContaining({ type, status: 'True' })),
    });
  });

  test('the status of a registry server fits its CRD', () => {
    const invariants = new StatusInvariants();
    invariants.see({
      apiVersion: 'lintel.dev/v1beta1',
      kind: 'MCPRegistry',
      metadata: { name: 'r', namespace: 'a', generation: 1 },
      status: registry(),
    });
    expect(invariants.violations).toEqual([]);
  });
});
