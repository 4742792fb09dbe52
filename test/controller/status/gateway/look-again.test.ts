import { expect, test } from 'vitest';
import type { Condition } from '#schemas';
import { requeueAfterMs } from '../../../../controller/status/index.ts';

const active = (status: Condition['status']): readonly Condition[] => [
  { type: 'BundleActive', status, reason: 'A', message: 'm', lastTransitionTime: '2026-01-01T00:00:00Z' },
];

test.each([
  ['nothing is known', {}, 30_000, 2_000],
  ['pods are not ready yet', { phase: 'Ready', conditions: active('False') }, 30_000, 2_000],
  ['backends are not checked yet', { phase: 'Pending', conditions: active('True') }, 30_000, 2_000],
  ['the gateway is ready', { phase: 'Ready', conditions: active('True') }, 30_000, 10_000],
  [
    'the gateway is ready and has a short status interval',
    { phase: 'Ready', conditions: active('True') },
    3_000,
    3_000,
  ],
  ['the gateway is degraded and has no status interval', { phase: 'Degraded', conditions: active('True') }, 0, 10_000],
] as const)(
  'the controller checks a gateway again after a time that depends on its phase, conditions and status interval: %s',
  (_, status, intervalMs, expected) => {
    expect(requeueAfterMs(status, intervalMs)).toBe(expected);
  },
);
