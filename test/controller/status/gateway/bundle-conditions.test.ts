/** The conditions about a gateway's current bundle and about whether its newest spec compiles. */
import { describe, expect, test } from 'vitest';
import type { PodReport } from '../../../../controller/pods/index.ts';
import {
  type CompileObservation,
  computeGatewayStatus,
  type GatewayStatusInput,
} from '../../../../controller/status/index.ts';
import { COMPILED, condition, ERROR, NEW, OLD, pod, statusInput, UNIT } from './status-input.ts';

describe('BundleActive and Compiled', () => {
  const on = (digest: string | null, name: string, more: Partial<PodReport> = {}) => pod({ name, digest, ...more });

  test.each<[name: string, more: Partial<GatewayStatusInput>, expected: string]>([
    [
      'every pod serves the bundle',
      { pods: [on(NEW, 'p1'), on(NEW, 'p2')] },
      `True Active: 2 of 2 ready pods serve ${NEW}`,
    ],
    [
      'one of two pods serves the bundle',
      { pods: [on(NEW, 'p1'), on(OLD, 'p2')] },
      `False RolloutProgressing: 1 of 2 ready pods serve ${NEW}`,
    ],
    [
      'a pod that is not ready does not count',
      { pods: [on(NEW, 'p1'), on(OLD, 'p2', { isReady: false })] },
      `True Active: 1 of 1 ready pods serve ${NEW}`,
    ],
    [
      'a pod without an answer does not count as serving',
      { pods: [on(NEW, 'p1'), on(null, 'p2', { problem: 'no answer' })] },
      `False RolloutProgressing: 1 of 2 ready pods serve ${NEW}; p2: no answer`,
    ],
    ['there is no pod', { pods: [] }, 'False NoReadyPods: no pod is ready'],
    ['no source deploys the gateway', { unit: undefined }, 'False NotDeployed: no GatewaySource deploys it yet'],
    [
      'a pod refuses the bundle',
      { pods: [on(OLD, 'p1'), on(null, 'p2', { isReady: false, refused: 'format version 2' })] },
      `False BundleRejected: pod p2 refuses ${NEW}: format version 2`,
    ],
    [
      'the bundle was refused and rolled back',
      {
        unit: { ...UNIT, digest: OLD, heldDigest: NEW, message: 'format version 2' },
        pods: [on(OLD, 'p1')],
      },
      `False BundleRejected: ${NEW} was rolled back: format version 2; 1 of 1 ready pods serve ${OLD}`,
    ],
    [
      'the bundle did not become healthy and was rolled back',
      {
        unit: { ...UNIT, digest: OLD, heldDigest: NEW, message: 'HealthCheckFailed: not healthy after 300 s' },
        pods: [on(OLD, 'p1')],
      },
      `False HealthCheckFailed: ${NEW} was rolled back: HealthCheckFailed: not healthy after 300 s; 1 of 1 ready pods serve ${OLD}`,
    ],
    [
      'the bundle is compiled and not applied yet',
      { unit: { ...UNIT, digest: OLD }, pods: [on(OLD, 'p1')] },
      `False RolloutProgressing: ${NEW} of main@sha1:1 is being applied; 1 of 1 ready pods serve ${OLD}`,
    ],
    [
      'another gateway of the revision has errors',
      { unit: { ...UNIT, digest: OLD }, pods: [on(OLD, 'p1')], compiled: { ...COMPILED, isGood: false } },
      `False RolloutProgressing: ${NEW} of main@sha1:1 is not applied, because its revision has errors in other gateways; 1 of 1 ready pods serve ${OLD}`,
    ],
    [
      'the controller has not compiled since its start',
      { compiled: undefined },
      `True Active: 1 of 1 ready pods serve ${NEW}`,
    ],
  ])('the condition BundleActive of a gateway has its reason and message: %s', (_, more, expected) => {
    expect(condition(computeGatewayStatus(statusInput(more), { observedGeneration: 1 }), 'BundleActive')).toBe(
      expected,
    );
  });

  test.each<[name: string, compiled: CompileObservation | undefined, expected: string | undefined]>([
    ['a compiled bundle', COMPILED, `True Succeeded: ${NEW}`],
    [
      'a spec with errors',
      { ...COMPILED, digest: null, diagnostics: [ERROR, ERROR] },
      'False CompilationFailed: a.yaml:3: LNT1003: unknown field "x" (+1 more) (main@sha1:1)',
    ],
    ['a gateway that was not compiled since the start', undefined, undefined],
  ])('the condition Compiled of a gateway has the expected status and reason for %s', (_, compiled, expected) => {
    expect(condition(computeGatewayStatus(statusInput({ compiled }), { observedGeneration: 1 }), 'Compiled')).toBe(
      expected,
    );
  });
});
