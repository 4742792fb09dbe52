/** How the metrics and statuses of several workers are merged into one page. */

import { expect, test } from 'vitest';
import type { HistogramSample, Metric } from '../../../runtime/observe/metrics/metric.ts';
import { mergeMetrics, RULES } from '../../../runtime/workers/merge-metrics.ts';
import { mergeStatus } from '../../../runtime/workers/merge-status.ts';
import { optimizerBy } from '../../support/embedding-service.ts';
import { backendPlan, startGateway } from '../../support/gateway.ts';
import { startSdkServer } from '../../support/sdk-server.ts';
import { CHAIN } from '../workflows/support.ts';

test('every gauge of a gateway has a merge rule, and every merge rule has a metric', async () => {
  const backend = await startSdkServer({ transport: 'streamable-http' });
  const optimizer = optimizerBy({ url: 'http://127.0.0.1:9' });
  const backends = [backendPlan('one', backend.url)];
  const gateway = await startGateway({ backends, optimizer, workflows: [CHAIN] });
  try {
    await gateway.ready();
    const text = await (await fetch(`${gateway.internalUrl}/metrics`)).text();
    const types = new Map([...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '', type = '']) => [name, type]));
    const gauges = [...types].filter(([, type]) => type === 'gauge').map(([name]) => name);
    expect(gauges.length).toBeGreaterThan(15);
    expect(gauges.filter(name => RULES[name] === undefined)).toEqual([]);
    // Counters and durations have suffixes on the page that the table does not have.
    const known = [...types.keys()].map(name => name.replace(/(_seconds)?(_total)?$/, ''));
    const named = (rule: string) => known.includes(rule) || types.has(rule);
    expect(
      Object.keys(RULES).filter(rule => !named(rule)),
      'with telemetry alone',
    ).toEqual(['target_info']);
  } finally {
    await gateway.stop();
    await backend.close();
  }
});

const counter = (name: string, value: number, labels = {}): Metric => ({
  name,
  type: 'counter',
  help: 'h',
  samples: [{ labels, value }],
});

const histogram = (counts: readonly number[], sum: number, exemplars: HistogramSample['exemplars'] = []): Metric => ({
  name: 'd',
  unit: 's',
  type: 'histogram',
  help: 'h',
  samples: [{ labels: {}, bounds: [1], counts, sum, count: (counts[0] ?? 0) + (counts[1] ?? 0), exemplars }],
});

test('the primary adds up the metrics of all workers for each set of labels', () => {
  const merged = mergeMetrics([
    { worker: '1', metrics: [counter('c', 1, { a: 'x', b: 'y' }), histogram([1, 2], 3)] },
    {
      worker: '2',
      metrics: [
        {
          ...counter('c', 2, { b: 'y', a: 'x' }),
          samples: [
            { labels: { b: 'y', a: 'x' }, value: 2 },
            { labels: { a: 'z' }, value: 5 },
          ],
        } as Metric,
        histogram([10, 20], 30, [undefined, { traceId: 't', spanId: 's', value: 2, at: 7 }]),
      ],
    },
  ]);
  expect(merged).toEqual([
    {
      ...counter('c', 0),
      samples: [
        { labels: { a: 'x', b: 'y' }, value: 3 },
        { labels: { a: 'z' }, value: 5 },
      ],
    },
    histogram([11, 22], 33, [undefined, { traceId: 't', spanId: 's', value: 2, at: 7 }]),
  ]);
});

test('metrics that describe a process, such as its CPU time, have the worker or the primary as a label', () => {
  const of = (value: number) => [counter('process_cpu', value)];
  const merged = mergeMetrics([
    { worker: '1', metrics: of(1) },
    { worker: 'primary', metrics: of(2) },
  ]);
  expect(merged.map(({ samples }) => samples)).toEqual([
    [
      { labels: { worker: '1' }, value: 1 },
      { labels: { worker: 'primary' }, value: 2 },
    ],
  ]);
});

test('/status shows a backend as the worker with the worst health sees it, with the calls of all workers', async () => {
  const gateway = await startGateway({ backends: [backendPlan('one', 'http://127.0.0.1:1/mcp')] });
  try {
    const page = await gateway.status();
    const [seen] = page.backends as [(typeof page.backends)[0]];
    const view = (change: Partial<typeof seen>, healthy: boolean) => ({
      ...page,
      healthy,
      backends: [{ ...seen, ...change }],
    });
    const calls = { ...seen.calls, sent: 3 };
    const merged = mergeStatus([
      view({ status: 'ready', message: '', calls }, true),
      view({ status: 'unavailable', message: 'it is away', calls }, false),
      view({ status: 'degraded', message: 'slow', calls }, true),
    ]);
    expect(merged.backends).toMatchObject([{ status: 'unavailable', message: 'it is away', calls: { sent: 9 } }]);
    expect(merged.healthy).toBe(false);
    expect(merged.bundle).toEqual(page.bundle);
  } finally {
    await gateway.stop();
  }
});
