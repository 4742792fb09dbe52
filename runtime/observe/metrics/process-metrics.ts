/** Metrics of the resources that the process uses, under the names that the Prometheus client libraries of all languages use. */
import { readdirSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import type { Metric } from './metric.ts';

/**
 * The event loop's utilization at the last scrape. The metric is the utilization since then, from 0 to 1, because a value since the start would be
 * useless for alerts.
 */
let looked = performance.eventLoopUtilization();

export function listProcessMetrics(): Metric[] {
  const { user, system } = process.cpuUsage();
  const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
  const now = performance.eventLoopUtilization();
  const { utilization } = performance.eventLoopUtilization(now, looked);
  looked = now;
  const files = openFiles();
  return [
    {
      name: 'process_cpu',
      unit: 's',
      type: 'counter',
      help: 'Processor time of the process, user and system together.',
      samples: [{ labels: {}, value: (user + system) / 1e6 }],
    },
    createGauge(
      'process_start_time_seconds',
      'When the process started, in seconds since 1970.',
      performance.timeOrigin / 1_000,
    ),
    createGauge('process_resident_memory_bytes', 'Memory of the process that is in RAM.', rss),
    ...(files === undefined
      ? []
      : [createGauge('process_open_fds', 'Open file descriptors, sockets among them.', files)]),
    createGauge('nodejs_heap_size_total_bytes', 'Size of the heap of JavaScript.', heapTotal),
    createGauge('nodejs_heap_size_used_bytes', 'Used size of the heap of JavaScript.', heapUsed),
    createGauge('nodejs_external_memory_bytes', 'Memory of buffers and other objects outside of the heap.', external),
    createGauge(
      'nodejs_eventloop_utilization',
      'Share of time in which the event loop was busy since the page was read last, from 0 to 1.',
      utilization,
    ),
    {
      name: 'nodejs_version_info',
      type: 'gauge',
      help: 'Version of Node; always 1.',
      samples: [{ labels: { version: process.version }, value: 1 }],
    },
  ];
}

function createGauge(name: string, help: string, value: number): Metric {
  return { name, type: 'gauge', help, samples: [{ labels: {}, value }] };
}

/** The number of open files; undefined on systems that do not list them. */
function openFiles(): number | undefined {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return undefined;
  }
}
