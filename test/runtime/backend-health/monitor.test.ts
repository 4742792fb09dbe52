/** The monitor of one backend, with sessions from the test: when it probes, what it logs, how it ends. */

import { getEventListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Logger } from '#runtime';
import type { BackendSession } from '../../../runtime/gateway/backends/backend.ts';
import { BackendMonitor } from '../../../runtime/gateway/backends/health/monitor.ts';
import { BackendError } from '../../../runtime/mcp/backend-error.ts';
import type { Envelope } from '../../../runtime/mcp/envelope.ts';
import { readEnvelope } from '../../../runtime/mcp/read-envelope.ts';
import { eventually } from '../../support/gateway.ts';

const down = (message: string) => new BackendError('b', 'connection_failed', message);
const identity = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: {} };

/** `open` is the backend's outcome for each probe; it offers no items. */
function monitorOf(open: () => Promise<unknown>, more: { close?: () => Promise<void>; intervalMs?: number } = {}) {
  const lines: string[] = [];
  const fields: object[] = [];
  const note = (level: string) => (members: object, text: string) => {
    lines.push(`${level} ${text}`);
    fields.push(members);
  };
  const log = { debug() {}, info: note('info'), warn: note('warn'), error: note('error') } as unknown as Logger;
  const seen = { probes: 0, message: (_notification: Envelope): void => {}, missed: (): void => {}, lines, fields };
  const monitor = new BackendMonitor({
    backend: 'b',
    address: 'http://b.test:4501',
    health: {
      intervalMs: more.intervalMs ?? 50,
      timeoutMs: 1_000,
      unhealthyThreshold: 3,
    },
    log,
    openSession: () => {
      let opening: Promise<unknown> | undefined;
      const session: Partial<BackendSession> = {
        open: () => {
          if (opening === undefined) seen.probes++;
          opening ??= open();
          const current = opening;
          // One session for each probe: the second request of the same probe gets the same outcome.
          setTimeout(() => (opening = undefined), 1);
          return current.then(() => identity);
        },
        listen: ({ message, missed }) => Object.assign(seen, { message, missed }),
      };
      return session as BackendSession;
    },
    endSession: more.close ?? (async () => {}),
    onChange() {},
  });
  onTestFinished(() => monitor.close());
  return { monitor, seen };
}

test('the log reports a failing backend at its first failure, when it becomes unavailable, and when the cause of the failures changes', async () => {
  let cause = down('nobody listens');
  const { monitor, seen } = monitorOf(() => Promise.reject(cause));
  monitor.start();
  await eventually(() => seen.probes >= 8);
  expect(seen.lines).toEqual([
    'warn backend "b": nobody listens; failure 1, still counts as unknown',
    'warn backend "b": nobody listens; failure 3, is unavailable now',
  ]);
  expect(seen.fields.at(-1), 'the place to look at').toMatchObject({ backend: 'b', address: 'http://b.test:4501' });
  cause = new BackendError('b', 'timeout', 'too slow');
  await eventually(() => seen.lines.length > 2);
  const { probes } = seen;
  await eventually(() => seen.probes >= probes + 4);
  expect(seen.lines.slice(2)).toEqual([
    expect.stringMatching(/^warn backend "b": too slow; failure \d+, still counts as unavailable$/),
  ]);
});

/** Repeats an action for some milliseconds and until its work is done; returns the number of repetitions. */
async function during(leastMs: number, isDone: () => boolean, step: () => void): Promise<number> {
  const start = performance.now();
  for (let tookMs = 0; ; tookMs = performance.now() - start) {
    if (tookMs >= leastMs && isDone()) return tookMs;
    step();
    await sleep(1);
  }
}

test('the gateway probes a backend at most at short intervals, however many calls request a probe', async () => {
  const { monitor, seen } = monitorOf(() => Promise.reject(down('x')), { intervalMs: 60_000 });
  monitor.start();
  await monitor.settled;
  const tookMs = await during(600, () => seen.probes > 1, monitor.probeSoon.bind(monitor));
  expect(seen.probes).toBeLessThan((6 * tookMs) / 600);
});

test('the gateway reads the lists of a backend at most at short intervals, however often the backend reports changed lists', async () => {
  const { monitor, seen } = monitorOf(() => Promise.resolve(), { intervalMs: 60_000 });
  monitor.start();
  await monitor.settled;
  const changed = readEnvelope('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}');
  const tookMs = await during(
    800,
    () => seen.probes > 2,
    () => seen.message(changed),
  );
  expect(seen.probes).toBeLessThan((7 * tookMs) / 800);
});

test('the gateway reads the lists of a backend again after the notification stream of the backend was down', async () => {
  const { monitor, seen } = monitorOf(() => Promise.resolve(), { intervalMs: 60_000 });
  monitor.start();
  await monitor.settled;
  seen.missed();
  await eventually(() => seen.probes === 2);
});

test('requests for a probe of a backend during a running probe share a second probe that begins after it', async () => {
  let answer = Promise.withResolvers<void>();
  const { monitor, seen } = monitorOf(() => answer.promise, { intervalMs: 60_000 });
  const order: string[] = [];
  monitor.start();
  await eventually(() => seen.probes === 1);
  // The running probe may have read the lists before.
  const waiting = ['a', 'b'].map(async name => {
    await monitor.lookAgain();
    order.push(name);
  });
  const first = answer;
  answer = Promise.withResolvers();
  first.resolve();
  await monitor.settled;
  order.push('first probe');
  await eventually(() => seen.probes === 2);
  order.push('second probe');
  answer.reject(down('x'));
  await Promise.all(waiting);
  expect(order).toEqual(['first probe', 'second probe', 'a', 'b']);
  expect(seen.probes).toBe(2);
});

test('closing the monitor of a backend ends the wait of requests for a probe', async () => {
  const { monitor } = monitorOf(() => Promise.resolve(), { intervalMs: 60_000 });
  monitor.start();
  await monitor.settled;
  const looking = monitor.lookAgain();
  await monitor.close();
  await looking;
  await monitor.lookAgain();
});

test('the monitor of a backend counts a failed probe at once, without waiting until the failed session is closed', async () => {
  const { monitor } = monitorOf(() => Promise.reject(down('x')), {
    close: () => sleep(60_000, undefined, { ref: false }),
  });
  monitor.start();
  await eventually(() => monitor.health.consecutiveFailures > 0);
  await monitor.settled;
});

test('a closed monitor of a backend sends no probe', async () => {
  const { monitor, seen } = monitorOf(() => Promise.resolve());
  monitor.start();
  await monitor.settled;
  await monitor.close();
  const { probes } = seen;
  monitor.probeSoon();
  await monitor.check();
  await sleep(200);
  expect(seen.probes).toBe(probes);
});

test('a finished probe leaves no listener at the abort signals of the monitor', async () => {
  const listen = vi.spyOn(EventTarget.prototype, 'addEventListener');
  // The signals that it follows hold references to what it creates.
  const any = vi.spyOn(AbortSignal, 'any');
  onTestFinished(() => void vi.restoreAllMocks());
  const { monitor } = monitorOf(() => Promise.resolve(), { intervalMs: 60_000 });
  await monitor.check();
  await monitor.check();
  const followed = new Set(listen.mock.contexts as EventTarget[]);
  expect(followed.size).toBeGreaterThan(0);
  expect([...followed].map(signal => getEventListeners(signal, 'abort').length)).toEqual([...followed].map(() => 0));
  expect(any).not.toHaveBeenCalled();
});
