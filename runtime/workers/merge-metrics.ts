/** Merges the metrics of a gateway's workers. */
import { METRIC_PREFIX } from '#schemas';
import type { HistogramSample, Labels, Metric, Sample } from '../observe/metrics/metric.ts';
import { first, type Merge, sum } from './merge.ts';

/** The metrics of one process, and its name for samples that are not merged. */
export interface MeasuredProcess {
  /** The worker's number, or `primary`. */
  readonly worker: string;
  readonly metrics: readonly Metric[];
}

const max: Merge<number> = values => Math.max(...values);
const min: Merge<number> = values => Math.min(...values);

const GATEWAY = `${METRIC_PREFIX}gateway_`;

/**
 * How the values of all workers are merged into one, for gauges and for counters that have the same value at each worker. `each` keeps one sample for
 * each process, with the label `worker`. All other counters, and histograms, are added up.
 */
export const RULES: { readonly [name: string]: Merge<number> | 'each' } = {
  [`${GATEWAY}bundle_info`]: max,
  [`${GATEWAY}bundle_refused`]: max,
  [`${GATEWAY}bundle_stale_security`]: max,
  [`${GATEWAY}bundle_swaps`]: first,
  [`${GATEWAY}bundle_swap_duration`]: first,
  [`${GATEWAY}bundle_swapped_at_timestamp_seconds`]: first,
  [`${GATEWAY}ready`]: min,
  [`${GATEWAY}healthy`]: min,
  [`${GATEWAY}session_store_ready`]: min,
  [`${GATEWAY}identity_provider_available`]: min,
  [`${METRIC_PREFIX}mcp_active_connections`]: sum,
  [`${GATEWAY}stream_unread_bytes`]: sum,
  [`${GATEWAY}stream_kept_bytes`]: sum,
  [`${METRIC_PREFIX}vmcp_backends_discovered`]: max,
  // 1 if any worker reports it.
  [`${GATEWAY}backend_status`]: max,
  [`${GATEWAY}backend_consecutive_failures`]: max,
  [`${GATEWAY}backend_last_check_timestamp_seconds`]: max,
  [`${GATEWAY}backend_circuit_state`]: max,
  [`${GATEWAY}backend_calls_open`]: sum,
  [`${GATEWAY}items`]: max,
  [`${GATEWAY}workflows`]: sum,
  [`${METRIC_PREFIX}auth_server_ephemeral_keys`]: max,
  [`${GATEWAY}optimizer_indexed_tools`]: max,
  // If any worker searches without embeddings, the merged value says so.
  [`${GATEWAY}optimizer_embeddings_ready`]: min,
  [`${GATEWAY}optimizer_embedded_texts`]: max,
  target_info: max,
  process_cpu: 'each',
  process_start_time_seconds: 'each',
  process_resident_memory_bytes: 'each',
  process_open_fds: 'each',
  nodejs_heap_size_total_bytes: 'each',
  nodejs_heap_size_used_bytes: 'each',
  nodejs_external_memory_bytes: 'each',
  nodejs_eventloop_utilization: 'each',
  nodejs_version_info: 'each',
};

export function mergeMetrics(processes: readonly MeasuredProcess[]): Metric[] {
  const named = processes.flatMap(({ worker, metrics }) => metrics.map(metric => ({ worker, metric })));
  const families = Map.groupBy(named, ({ metric }) => metric.name);
  return [...families.entries()].map(([name, family]) => {
    const [{ metric }] = family as [(typeof family)[0]];
    const rule = RULES[name] ?? sum;
    if (rule === 'each') return { ...metric, samples: family.flatMap(addLabels) } as Metric;
    const samples = Map.groupBy(
      family.flatMap(entry => entry.metric.samples as readonly (Sample | HistogramSample)[]),
      ({ labels }) => formatKey(labels),
    );
    const merged = [...samples.values()].map(same =>
      metric.type === 'histogram'
        ? rule === first
          ? same[0]
          : addHistograms(same as HistogramSample[])
        : { labels: (same[0] as Sample).labels, value: rule((same as Sample[]).map(({ value }) => value)) },
    );
    return { ...metric, samples: merged } as Metric;
  });
}

function addLabels({
  worker,
  metric,
}: {
  readonly worker: string;
  readonly metric: Metric;
}): (Sample | HistogramSample)[] {
  return metric.samples.map(sample => ({ ...sample, labels: { ...sample.labels, worker } }));
}

/** Adds up histograms. All have the same buckets, because the code defines them. */
function addHistograms(samples: readonly HistogramSample[]): HistogramSample {
  const [{ labels, bounds, counts }] = samples as [HistogramSample];
  return {
    labels,
    bounds,
    counts: counts.map((_, at) => sum(samples.map(sample => sample.counts[at] ?? 0))),
    sum: sum(samples.map(sample => sample.sum)),
    count: sum(samples.map(sample => sample.count)),
    exemplars: bounds.concat(0).map((_, at) => findLatest(samples.map(({ exemplars }) => exemplars[at]))),
  };
}

function findLatest(exemplars: readonly HistogramSample['exemplars'][number][]): HistogramSample['exemplars'][number] {
  // In JSON, undefined items of an array arrive as null.
  return exemplars.reduce(
    (newest, exemplar) => ((exemplar?.at ?? 0) > (newest?.at ?? 0) ? exemplar : newest),
    undefined,
  );
}

function formatKey(labels: Labels): string {
  return JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}
