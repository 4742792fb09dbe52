import { expect, test } from 'vitest';
import { restarts } from './restarts.ts';

test('killed backends and new bundles do not change the results of calls to other backends', async () => {
  const report = await restarts({ clients: 12, sdkClients: 3, durationMs: 3_000, lifeMs: 1_500, swapMs: 1_000 });
  expect(report).toMatchObject({ violations: [], violationCount: 0, sessionsLeft: 0 });
  expect(report.deaths).toBeGreaterThan(1);
  expect(report.swaps).toBeGreaterThan(1);
  expect(report.endings['dying plain: answer']).toBeGreaterThan(0);
  expect(report.endings['dying-pair plain: answer']).toBeGreaterThan(0);
});
