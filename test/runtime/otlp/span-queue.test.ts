/** A collector that hangs, refuses or is slow: the queue is limited, lost spans are counted, and no request waits. */
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { MAX_BATCH } from '../../../runtime/observe/otlp/batch-queue.ts';
import { Delivery, type Exporter } from '../../../runtime/observe/otlp/delivery.ts';
import { MetricPush } from '../../../runtime/observe/otlp/metric-push.ts';
import { MAX_WAITING_SPANS, SpanQueue } from '../../../runtime/observe/otlp/span-queue.ts';
import { listeningLog } from '../../support/log-lines.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const SPAN = {} as ReadableSpan;

/** A collector with scripted responses. */
function collector() {
  const exports: { readonly spans: number; readonly answer: (error?: Error) => void }[] = [];
  const exporter: Exporter<ReadableSpan[]> = {
    export: (spans, done) => {
      const answer = (error?: Error) => done(error === undefined ? { code: 0 } : { code: 1, error });
      exports.push({ spans: spans.length, answer });
    },
    shutdown: async () => {},
  };
  const { log, lines } = listeningLog();
  const delivery = new Delivery({ signal: 'traces', log, exporter: async () => exporter });
  return { queue: new SpanQueue(delivery), delivery, exports, lines };
}

const settle = () => vi.advanceTimersByTimeAsync(0);

test('the gateway sends a hanging collector only one batch of spans, and drops further spans beyond the limit of the queue', async () => {
  const { queue, exports } = collector();
  for (let span = 0; span < 10_000; span++) queue.onEnd(SPAN);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(exports.map(({ spans }) => spans)).toEqual([MAX_BATCH]);
  expect(queue.size).toBe(MAX_WAITING_SPANS);
  expect(queue.dropped).toBe(10_000 - MAX_BATCH - MAX_WAITING_SPANS);
});

test('a collector that recovers gets the waiting spans batch by batch', async () => {
  const { queue, delivery, exports } = collector();
  for (let span = 0; span < MAX_BATCH + 700; span++) queue.onEnd(SPAN);
  await settle();
  exports[0]?.answer();
  await settle();
  expect(exports.map(({ spans }) => spans)).toEqual([MAX_BATCH, MAX_BATCH]);
  exports[1]?.answer();
  await settle();
  expect(queue.size, 'less than a batch waits for others').toBe(700 - MAX_BATCH);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(exports[2]?.spans).toBe(700 - MAX_BATCH);
  exports[2]?.answer();
  await settle();
  expect([delivery.sent, delivery.failed, queue.dropped]).toEqual([MAX_BATCH + 700, 0, 0]);
});

test('the gateway sends a batch that is not full after five seconds', async () => {
  const { queue, exports } = collector();
  queue.onEnd(SPAN);
  await vi.advanceTimersByTimeAsync(4_999);
  expect(exports).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(exports.map(({ spans }) => spans)).toEqual([1]);
});

test('spans that a collector refuses are lost, and each outage has one line in the log', async () => {
  const { queue, delivery, exports, lines } = collector();
  for (let outage = 0; outage < 3; outage++) {
    queue.onEnd(SPAN);
    await vi.advanceTimersByTimeAsync(5_000);
    exports.at(-1)?.answer(new Error(`refused\n${'x'.repeat(10_000)}`));
    await settle();
  }
  expect([delivery.sent, delivery.failed, queue.size]).toEqual([0, 3, 0]);
  queue.onEnd(SPAN);
  await vi.advanceTimersByTimeAsync(5_000);
  exports.at(-1)?.answer();
  await settle();
  const said = lines.map(({ level, msg }) => [level, String(msg).length < 300, String(msg).slice(0, 36)]);
  expect(said).toEqual([
    ['warn', true, 'the collector does not accept traces'],
    ['info', true, 'the collector accepts telemetry agai'],
  ]);
});

test('the gateway sends the waiting spans before its process ends', async () => {
  const { queue, exports } = collector();
  for (let span = 0; span < MAX_BATCH + 1; span++) queue.onEnd(SPAN);
  const closed = queue.shutdown();
  for (let batch = 0; batch < 2; batch++) {
    await settle();
    exports[batch]?.answer();
  }
  await closed;
  expect(exports.map(({ spans }) => spans)).toEqual([MAX_BATCH, 1]);
});

test('the gateway exports metrics at intervals, and never runs two exports at a time', async () => {
  const waiting: (() => void)[] = [];
  const push = new MetricPush(
    () => [],
    () => new Promise<void>(resolve => waiting.push(resolve)),
    undefined,
  );
  await vi.advanceTimersByTimeAsync(240_000);
  expect([waiting.length, push.skipped]).toEqual([1, 3]);
  waiting[0]?.();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(waiting.length).toBe(2);
  waiting[1]?.();
  const closed = push.close();
  await settle();
  waiting[2]?.();
  await closed;
});

test.each([
  ['200', 200],
  ['0', 60_000],
  ['often', 60_000],
  [undefined, 60_000],
])('the export interval %s for metrics means %i ms', async (variable, ms) => {
  let sent = 0;
  const push = new MetricPush(
    () => [],
    async () => void sent++,
    variable,
  );
  await vi.advanceTimersByTimeAsync(ms - 1);
  expect(sent).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  expect(sent).toBe(1);
  await push.close();
});
