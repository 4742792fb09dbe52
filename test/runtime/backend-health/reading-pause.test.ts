/** How soon a backend that reports changed lists is read again. */
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { createLogger } from '#runtime';
import type { BackendSession } from '../../../runtime/gateway/backends/backend.ts';
import { BackendMonitor } from '../../../runtime/gateway/backends/health/monitor.ts';
import { RefreshBackoff } from '../../../runtime/gateway/backends/health/refresh-backoff.ts';
import type { Envelope } from '../../../runtime/mcp/envelope.ts';
import { readEnvelope } from '../../../runtime/mcp/read-envelope.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

test.each([
  [0, 250],
  [1, 250],
  [4, 250],
  [5, 500],
  [6, 1_000],
  [10, 16_000],
  [11, 30_000],
  [5_000, 30_000],
])(
  'after %i list changes in a row the gateway waits %i ms until it reads the lists of a backend again',
  (count, pauseMs) => {
    const pause = new RefreshBackoff();
    for (let n = 0; n < count; n++) pause.hasChanged();
    expect(pause.ms).toBe(pauseMs);
  },
);

test.each([
  [0, 0, 250],
  [200_000, 0, 250],
  [1024 * 1024, 0, 1_024],
  [1024 * 1024, 20, 30_000],
  [16 * 1024 * 1024, 0, 16_384],
  [64 * 1024 * 1024, 0, 30_000],
])(
  'after reading %i bytes and %i list changes the gateway waits %i ms until it reads the lists of a backend again',
  (bytes, count, pauseMs) => {
    const pause = new RefreshBackoff();
    pause.hasRead(bytes);
    for (let n = 0; n < count; n++) pause.hasChanged();
    expect(pause.ms).toBe(pauseMs);
  },
);

test('after a minute without list changes of a backend, the gateway pauses between reads as briefly as at first', () => {
  const pause = new RefreshBackoff();
  for (let n = 0; n < 20; n++) pause.hasChanged();
  vi.advanceTimersByTime(59_999);
  expect(pause.ms).toBe(30_000);
  vi.advanceTimersByTime(1);
  expect(pause.ms).toBe(250);
  for (let n = 0; n < 5; n++) pause.hasChanged();
  expect(pause.ms).toBe(500);
});

const IDENTITY = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: {} };
const CHANGED = readEnvelope('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}');

/** A monitor of a backend that has these tools at the nth reading. */
async function monitorOf(toolsOf: (reading: number) => readonly string[], intervalMs = 600_000) {
  const seen = { readings: 0, tables: 0, message: (_notification: Envelope): void => {} };
  const session: Partial<BackendSession> = {
    open: async () => IDENTITY,
    listen: ({ message }) => Object.assign(seen, { message }),
    request: ({ id }, sink) => {
      const tools = toolsOf(++seen.readings).map(name => ({ name }));
      sink.start(undefined);
      sink.data(Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, result: { tools } })));
      sink.end();
    },
  };
  const monitor = new BackendMonitor({
    backend: 'b',
    health: { intervalMs, timeoutMs: 60_000, unhealthyThreshold: 3 },
    log: createLogger('silent'),
    openSession: () => session as BackendSession,
    endSession: async () => {},
    onChange: () => void seen.tables++,
  });
  onTestFinished(() => monitor.close());
  monitor.start();
  await monitor.settled;
  return { monitor, seen };
}

/** Reports a changed list ten times a second for some seconds; returns how often the lists were read. */
async function readingsIn(seconds: number, { seen }: Awaited<ReturnType<typeof monitorOf>>): Promise<number> {
  const before = seen.readings;
  for (let n = 0; n < seconds * 10; n++) {
    seen.message(CHANGED);
    await vi.advanceTimersByTimeAsync(100);
  }
  return seen.readings - before;
}

test('the gateway reads the lists of a backend at growing intervals if they differ at each read', async () => {
  const monitored = await monitorOf(reading => [`t${reading}`]);
  expect(await readingsIn(60, monitored)).toBeLessThan(12);
  expect(await readingsIn(300, monitored)).toBeLessThan(12);
});

test('the gateway reads the lists of a backend at each report of a change if each read finds the same lists', async () => {
  const monitored = await monitorOf(() => ['t']);
  expect(await readingsIn(60, monitored)).toBeGreaterThan(150);
});

test.each([
  ['large', 4],
  ['larger than the limit', 17],
])(
  'if the lists of a backend are %s, the gateway reads them only at intervals, even if they stay the same',
  async (_, mebi) => {
    const name = 'x'.repeat(mebi * 2 ** 20);
    expect(await readingsIn(120, await monitorOf(() => [name], 60_000))).toBeLessThan(40);
  },
);

test('the gateway reads the lists of a backend without a pause if they changed only a few times or no longer change', async () => {
  const monitored = await monitorOf(reading => [`t${Math.min(reading, 4)}`]);
  expect(await readingsIn(1, monitored)).toBeGreaterThan(2);
  const wild = await monitorOf(reading => (reading < 20 ? [`t${reading}`] : ['t']));
  await readingsIn(600, wild);
  expect(wild.seen.readings).toBeGreaterThan(20);
  expect(await readingsIn(10, wild)).toBeGreaterThan(25);
});

test('a long pause between reads of the lists delays no health probe of a backend', async () => {
  const monitored = await monitorOf(reading => [`t${reading}`], 5_000);
  await readingsIn(120, monitored);
  expect(await readingsIn(60, monitored)).toBeGreaterThan(8);
  expect(await readingsIn(60, monitored)).toBeLessThan(15);
});

test('a shorter health interval ends a long pause between reads of the lists', async () => {
  const monitored = await monitorOf(reading => [`t${reading}`]);
  await readingsIn(120, monitored);
  const { readings } = monitored.seen;
  monitored.seen.message(CHANGED);
  monitored.monitor.configure({ health: { intervalMs: 1_000, timeoutMs: 60_000, unhealthyThreshold: 3 } });
  await vi.advanceTimersByTimeAsync(1_200);
  expect(monitored.seen.readings).toBeGreaterThan(readings);
});

test('the monitor keeps the same items object when a second read of the lists gives equal lists', async () => {
  const { monitor, seen } = await monitorOf(reading => (reading < 3 ? ['a'] : ['b']), 1_000);
  const first = monitor.items;
  await vi.advanceTimersByTimeAsync(1_200);
  expect([seen.readings, monitor.items === first]).toEqual([2, true]);
  await vi.advanceTimersByTimeAsync(1_200);
  expect(seen.readings).toBe(3);
  expect(monitor.items.tools).toEqual([{ name: 'b' }]);
});
