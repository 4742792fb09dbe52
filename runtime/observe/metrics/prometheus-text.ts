/**
 * Metrics as text, in the format of Prometheus (version 0.0.4) or as OpenMetrics (1.0.0), which supports exemplars.
 *
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/
 * @see https://prometheus.io/docs/specs/om/open_metrics_spec/
 */
import {
  type Exemplar,
  type HistogramSample,
  type Labels,
  type Metric,
  toFamilyName,
  toPrometheusName,
} from './metric.ts';

export const PROMETHEUS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export const OPEN_METRICS_TYPE = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

/** The page in the format that a scraper requests in its `Accept` header. */
export function renderMetrics(
  metrics: readonly Metric[],
  accept: string | undefined,
): { readonly type: string; readonly text: string } {
  return accept?.includes('application/openmetrics-text') === true
    ? { type: OPEN_METRICS_TYPE, text: openMetricsText(metrics) }
    : { type: PROMETHEUS_TYPE, text: formatPrometheus(metrics) };
}

/** Metrics without samples are listed as well, so that operators see which metrics exist. */
export function formatPrometheus(metrics: readonly Metric[]): string {
  return metrics.map(metric => formatFamily(metric, toPrometheusName(metric), false)).join('');
}

export function openMetricsText(metrics: readonly Metric[]): string {
  return `${metrics.map(metric => formatFamily(metric, toFamilyName(metric), true)).join('')}# EOF\n`;
}

const UNITS = { s: 'seconds', By: 'bytes' } as const;

function formatFamily(metric: Metric, family: string, isOpenMetrics: boolean): string {
  const name = toPrometheusName(metric);
  const lines = [
    `# HELP ${family} ${isOpenMetrics ? quoteText(metric.help) : escapeText(metric.help)}\n# TYPE ${family} ${metric.type}\n`,
  ];
  if (isOpenMetrics && metric.unit !== undefined) lines.push(`# UNIT ${family} ${UNITS[metric.unit]}\n`);
  if (metric.type === 'histogram') {
    for (const sample of metric.samples) lines.push(formatHistogram(name, sample, isOpenMetrics));
  } else {
    for (const { labels, value } of metric.samples)
      lines.push(`${name}${formatLabels(labels)} ${formatNumber(value)}\n`);
  }
  return lines.join('');
}

/** The lines of a histogram. In this format, buckets are cumulative, and the last bucket has no upper bound. */
function formatHistogram(
  name: string,
  { labels, bounds, counts, sum, count, exemplars }: HistogramSample,
  isOpenMetrics: boolean,
): string {
  let lines = '';
  let below = 0;
  const pairs = formatPairs(labels);
  for (let at = 0; at <= bounds.length; at++) {
    below += counts[at] ?? 0;
    const bound = bounds[at] ?? Number.POSITIVE_INFINITY;
    const le = isOpenMetrics ? formatFloat(bound) : formatNumber(bound);
    const exemplar = isOpenMetrics ? formatExemplar(exemplars[at]) : '';
    lines += `${name}_bucket{${[...pairs, `le="${le}"`].join(',')}} ${below}${exemplar}\n`;
  }
  const all = formatLabels(labels);
  return `${lines}${name}_sum${all} ${formatNumber(sum)}\n${name}_count${all} ${count}\n`;
}

function formatExemplar(exemplar: Exemplar | undefined): string {
  if (exemplar === undefined) return '';
  const { traceId, spanId, value, at } = exemplar;
  return ` # {trace_id="${traceId}",span_id="${spanId}"} ${formatNumber(value)} ${at / 1000}`;
}

function formatLabels(labels: Labels): string {
  const pairs = formatPairs(labels);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function formatPairs(labels: Labels): string[] {
  return Object.entries(labels).map(([name, value]) => `${name.replace(/\W/g, '_')}="${quoteText(value)}"`);
}

function quoteText(text: string): string {
  return escapeText(text).replaceAll('"', '\\"');
}

function escapeText(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

/** A bound as OpenMetrics requires it: with a decimal point, `1.0` instead of `1`. */
function formatFloat(value: number): string {
  const text = formatNumber(value);
  return /^\d+$/.test(text) ? `${text}.0` : text;
}

function formatNumber(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (Number.isFinite(value)) return String(value);
  return value > 0 ? '+Inf' : '-Inf';
}
