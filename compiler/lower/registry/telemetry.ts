import type { RegistryConfig, TelemetryPlan } from '#schemas';
import type { Tracked } from '../../resolve/tracked.ts';
import { lowerOtlpEndpoint } from '../otlp-endpoint.ts';

type TelemetryConfig = NonNullable<RegistryConfig['telemetry']>;

/** The default service name of a registry server in traces and metrics. */
const SERVICE_NAME = 'lintel-registry-api';

/**
 * The telemetry plan; undefined when nothing is reported. `enabled: false` turns off the whole section. Headers, certificate authorities and
 * attributes have no fields here: the runtime reads OpenTelemetry's environment variables.
 */
export function lowerRegistryTelemetry(telemetry: Tracked<TelemetryConfig> | undefined): TelemetryPlan | undefined {
  if (telemetry?.peek('enabled') !== true) {
    telemetry?.get('enabled');
    telemetry?.ignoreRest('enabled is not true');
    return undefined;
  }
  const tracing = telemetry.child('tracing');
  const isTraced = tracing?.get('enabled') === true;
  const hasMetrics = telemetry.child('metrics')?.get('enabled') === true;
  if (!isTraced && !hasMetrics) {
    telemetry.ignoreRest('neither tracing nor metrics are enabled');
    return undefined;
  }
  telemetry.get('enabled');
  if (!isTraced) tracing?.ignoreRest('enabled is not true');
  return {
    serviceName: telemetry.get('serviceName') || SERVICE_NAME,
    serviceVersion: telemetry.get('serviceVersion') || null,
    attributes: {},
    environmentVariables: [],
    useLegacyAttributes: false,
    metricsOnMainPort: false,
    metricsPort: null,
    otlp: {
      ...lowerOtlpEndpoint(telemetry.get('endpoint'), telemetry.get('insecure') === true),
      headers: [],
      samplingRate: isTraced ? Number(tracing.get('sampling')) : null,
      metrics: hasMetrics,
    },
  };
}
