import { METRIC_PREFIX } from '#schemas';
import type { Metric } from '../metrics/metric.ts';

/** The outcomes of all items of one signal. */
export interface SentItems {
  readonly signal: 'traces' | 'metrics' | 'logs';
  /** Items that the collector accepted. */
  readonly sent: number;
  /** Items that the collector refused. */
  readonly failed: number;
  /** Items that were dropped because too many waited. */
  readonly dropped: number;
}

/** The metrics exist even when nothing is sent; they then have no samples. */
export function listSentMetrics(items: readonly SentItems[]): readonly Metric[] {
  const counter = (name: string, help: string, value: (of: SentItems) => number): Metric => ({
    name: `${METRIC_PREFIX}telemetry_${name}_items`,
    type: 'counter',
    help,
    samples: items.map(of => ({ labels: { signal: of.signal }, value: value(of) })),
  });
  return [
    counter('exported', 'Spans, metrics and audit records that the collector has accepted.', ({ sent }) => sent),
    counter(
      'failed',
      'Spans, metrics and audit records that the collector has not accepted, and which are lost.',
      ({ failed }) => failed,
    ),
    counter(
      'dropped',
      'Spans and audit records that were dropped because the queue was full, and exports of metrics that were skipped because the last export was still running.',
      ({ dropped }) => dropped,
    ),
  ];
}
