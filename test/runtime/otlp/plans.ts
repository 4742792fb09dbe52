import type { OtlpPlan, TelemetryPlan } from '../../../schemas/index.ts';

/** Telemetry to a collector; all requests are traced. */
export function telemetryPlan(
  otlp: Partial<OtlpPlan> & Pick<OtlpPlan, 'endpoint'>,
  more: Partial<TelemetryPlan> = {},
): TelemetryPlan {
  return {
    serviceName: 'gateway',
    serviceVersion: null,
    attributes: {},
    environmentVariables: [],
    useLegacyAttributes: false,
    metricsOnMainPort: false,
    metricsPort: null,
    otlp: { protocol: 'http/protobuf', headers: [], samplingRate: 1, metrics: true, ...otlp },
    ...more,
  };
}
