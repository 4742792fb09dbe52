import { type TelemetryPlan, VERSION } from '#schemas';
import type { Metric } from './metric.ts';

/**
 * The attributes of the reporting resource, for readers of metrics that do not use OTLP.
 *
 * @see https://opentelemetry.io/docs/specs/otel/compatibility/prometheus_and_openmetrics/#resource-attributes-1
 */
export function listTargetInfo(plan: TelemetryPlan | undefined): readonly Metric[] {
  if (plan === undefined) return [];
  const { serviceName, serviceVersion, attributes } = plan;
  const all = { ...attributes, 'service.name': serviceName, 'service.version': serviceVersion ?? VERSION };
  // Names that differ only in punctuation become the same label; the last one counts.
  const labels = Object.fromEntries(
    Object.entries(all).map(([name, value]) => [name.replace(/\W/g, '_').replace(/^(?=\d)/, '_'), value]),
  );
  return [
    {
      name: 'target_info',
      type: 'gauge',
      help: 'Attributes of the service that reports; always 1.',
      samples: [{ labels, value: 1 }],
    },
  ];
}
