import { expect } from 'vitest';
import { withPeers } from '../../../support/peers.ts';
import { soakReplicas } from './replicas-soak.ts';

withPeers('redis-server', 'redis-sentinel').test(
  'every answer reaches its caller once, and no session is lost, whichever replicas and backends die',
  async () => {
    const report = await soakReplicas({ sessions: 30, durationMs: 60_000, pauseMs: 300, eventMs: 1_000 });
    expect(report).toMatchObject({ violations: [], violationCount: 0 });
    expect(Math.min(...Object.values(report.events))).toBeGreaterThan(0);
    expect(report.endings.answer).toBeGreaterThan(30);
    expect(report.answeredOverSwaps).toBeGreaterThan(0);
  },
);
