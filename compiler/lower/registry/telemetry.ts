import type { RegistryConfig, TelemetryPlan } from '#schemas';
import type { Tracked } from '../../resolve/tracked.ts';
import { otlpEndpoint } from '../otlp-endpoint.ts';

type TelemetryConfig = NonNullable<RegistryConfig['telemetry']>;

/** What traces and metrics call a registry server whose configuration does not. */
const SERVICE_NAME = 'lintel-registry-api';

/**
 * What is reported; undefined for nothing. `enabled: false` turns all of the section off. Headers, authorities and attributes have
 * no field here: the runtime reads them from the variables of OpenTelemetry.
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
      ...otlpEndpoint(telemetry.get('endpoint'), telemetry.get('insecure') === true),
      headers: [],
      samplingRate: isTraced ? Number(tracing.get('sampling')) : null,
      metrics: hasMetrics,
    },
  };
}
