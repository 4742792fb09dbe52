import { expect, test } from 'vitest';
import { soak } from './soak.ts';

test('every call ends once with the expected outcome, whatever backends do, and no session is left', async () => {
  const clients = 20;
  const report = await soak({
    clients,
    sdkClients: 6,
    calls: 40,
    warmUpCalls: 0,
    lifeMs: 2_000,
    // Ends a hanging test: all calls are made, however long a busy machine takes.
    limitMs: 280_000,
    backendSessionsAllowed: clients,
    socketsAllowed: 1_000,
    restMs: 0,
  });
  expect(report).toMatchObject({ calls: clients * 40, violations: [], violationCount: 0, sessionsLeft: 0 });
  expect(report.complaints).toBe('');
  expect(Math.max(...Object.values(report.backendSessionsLeft))).toBeLessThanOrEqual(clients);
  // With so few calls, memory proves little; `npm run test:soak` measures it more closely.
  expect(report.after.heapBytes - report.before.heapBytes).toBeLessThan(10_000_000);
});
