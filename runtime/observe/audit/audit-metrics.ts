import { METRIC_PREFIX } from '#schemas';
import type { Metric } from '../metrics/metric.ts';
import type { WriterCounts } from './record-writer.ts';

/** The totals of all logs that a process has written; a new bundle may name a new log. */
export type AuditTotals = Pick<WriterCounts, 'written' | 'dropped' | 'writeErrors'>;

/** @param totals undefined when nothing was ever recorded: then the metrics have no samples */
export function auditMetrics(totals: AuditTotals | undefined): readonly Metric[] {
  const counter = (name: string, help: string, value: (of: AuditTotals) => number): Metric => ({
    name: `${METRIC_PREFIX}audit_${name}`,
    type: 'counter',
    help,
    samples: totals === undefined ? [] : [{ labels: {}, value: value(totals) }],
  });
  return [
    counter('written_records', 'Audit records that were written.', ({ written }) => written),
    counter(
      'dropped_records',
      'Audit records that were lost because they could not be written in time.',
      ({ dropped }) => dropped,
    ),
    counter(
      'write_errors',
      'Failures to write audit records, to open their log again or to force them to the disk; failed operations are tried again.',
      ({ writeErrors }) => writeErrors,
    ),
  ];
}
