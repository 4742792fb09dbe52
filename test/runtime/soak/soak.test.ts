import { expect, test } from 'vitest';
import { soak } from './soak.ts';

test('sessions under restarts and swaps: no cross-talk, nothing lost, nothing left behind', async () => {
  const report = await soak({ sessions: 16, calls: 50 });
  expect(report).toMatchObject({
    crossTalk: [],
    lost: [],
    sessionsLeft: 0,
    backendSessionsLeft: [0, 0, 0],
  });
  expect(report.handlesLeft).toBeLessThanOrEqual(0);
  expect(report.heapGrowthBytes).toBeLessThan(20_000_000);
  expect(report.swaps).toBeGreaterThan(1);
  expect(report.restarts).toBeGreaterThan(1);
  expect(report.restarting.answered).toBeGreaterThan(0);
});
