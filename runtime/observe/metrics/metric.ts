/** The form of metrics in this process; the page for Prometheus and the OTLP export are both made from it. */

/** Values of labels, by the attribute's name in OpenTelemetry, such as `mcp.method.name`. */
export interface Labels {
  readonly [name: string]: string;
}

export interface Sample {
  readonly labels: Labels;
  readonly value: number;
}

/** A traced request whose value was counted in a bucket. */
export interface Exemplar {
  readonly traceId: string;
  readonly spanId: string;
  readonly value: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface HistogramSample {
  readonly labels: Labels;
  /** Upper bounds of the buckets, in ascending order. */
  readonly bounds: readonly number[];
  /** The number of values in each bucket, not cumulative; the last bucket has the values above all bounds. */
  readonly counts: readonly number[];
  readonly sum: number;
  readonly count: number;
  /** The latest exemplar of each bucket; empty when no request was traced. */
  readonly exemplars: readonly (Exemplar | undefined)[];
}

interface MetricDescription {
  /** The name in OpenTelemetry, such as `mcp.server.operation.duration`: without unit and `_total`. */
  readonly name: string;
  /** One sentence. */
  readonly help: string;
  /** Seconds or bytes; undefined for counts. */
  readonly unit?: 's' | 'By' | undefined;
}

/** A counter never falls while the process lives. */
export type Metric =
  | (MetricDescription & { readonly type: 'counter' | 'gauge'; readonly samples: readonly Sample[] })
  | (MetricDescription & { readonly type: 'histogram'; readonly samples: readonly HistogramSample[] });

const SUFFIXES = { s: '_seconds', By: '_bytes' } as const;

/**
 * The name of a metric on the page for Prometheus, followed by its unit and, for a counter, `_total`.
 * @see https://opentelemetry.io/docs/specs/otel/compatibility/prometheus_and_openmetrics/
 */
export function toPrometheusName({ name, unit, type }: Pick<Metric, 'name' | 'unit' | 'type'>): string {
  return `${toFamilyName({ name, unit })}${type === 'counter' ? '_total' : ''}`;
}

/** The name of a metric without `_total`, which OpenMetrics omits in the name of a counter's family. */
export function toFamilyName({ name, unit }: Pick<Metric, 'name' | 'unit'>): string {
  const suffix = unit === undefined ? '' : SUFFIXES[unit];
  const plain = name.replaceAll('.', '_');
  return plain.endsWith(suffix) ? plain : `${plain}${suffix}`;
}

/** The metric with more labels on each sample. */
export function withLabels(metric: Metric, common: Labels): Metric {
  const all = <S extends { readonly labels: Labels }>(samples: readonly S[]): S[] =>
    samples.map(sample => ({ ...sample, labels: { ...sample.labels, ...common } }));
  return metric.type === 'histogram'
    ? { ...metric, samples: all(metric.samples) }
    : { ...metric, samples: all(metric.samples) };
}
