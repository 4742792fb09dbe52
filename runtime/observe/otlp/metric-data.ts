/** Converts metrics to the form that the SDK's exporters accept. */
import type { HrTime } from '@opentelemetry/api';
import type { MetricData, ResourceMetrics } from '@opentelemetry/sdk-metrics';
import { VERSION } from '#schemas';
import type { HistogramSample, Metric, Sample } from '../metrics/metric.ts';
import type { Sdk } from './load-sdk.ts';

/** The SDK's constant for floating point numbers. They are precise enough for the counts of a process. */
const DOUBLE = 1;

/** The start of all counts: the start of the process. */
const STARTED: HrTime = toHrTime(performance.timeOrigin);

export function toResourceMetrics(
  sdk: Sdk,
  metrics: readonly Metric[],
  resource: ResourceMetrics['resource'],
): ResourceMetrics {
  const endTime = toHrTime(Date.now());
  const scope = { name: 'lintel', version: VERSION };
  return { resource, scopeMetrics: [{ scope, metrics: metrics.map(metric => toMetricData(sdk, metric, endTime)) }] };
}

function toMetricData({ DataPointType, AggregationTemporality }: Sdk, metric: Metric, endTime: HrTime): MetricData {
  const { name, help, unit = '' } = metric;
  const common = {
    descriptor: { name, description: help, unit, valueType: DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  const point = <V>({ labels }: Sample | HistogramSample, value: V) => ({
    startTime: STARTED,
    endTime,
    attributes: labels,
    value,
  });
  switch (metric.type) {
    case 'histogram':
      return {
        ...common,
        dataPointType: DataPointType.HISTOGRAM,
        dataPoints: metric.samples.map(sample => point(sample, toHistogram(sample))),
      };
    case 'counter':
      return {
        ...common,
        dataPointType: DataPointType.SUM,
        isMonotonic: true,
        dataPoints: metric.samples.map(sample => point(sample, sample.value)),
      };
    case 'gauge':
      return {
        ...common,
        dataPointType: DataPointType.GAUGE,
        dataPoints: metric.samples.map(sample => point(sample, sample.value)),
      };
  }
}

function toHistogram({ bounds, counts, sum, count }: HistogramSample) {
  return { buckets: { boundaries: [...bounds], counts: [...counts] }, sum, count };
}

/** @param ms milliseconds since 1970 */
function toHrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.round((ms - seconds * 1_000) * 1e6)];
}
