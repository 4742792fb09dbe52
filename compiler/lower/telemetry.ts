/** Lowers telemetry: by a reference to shared settings, otherwise the gateway's own. */
import {
  compareText,
  ENV_PREFIX,
  type ForwardedHeaderPlan,
  type GatewayConfig,
  type MCPTelemetryConfig,
  type OtlpPlan,
  type TelemetryPlan,
  type VirtualMCPServerSpec,
} from '#schemas';
import type { Resource } from '../resolve/inventory.ts';
import { toMountedSecret } from '../resolve/mounted-secret.ts';
import type { Tracked } from '../resolve/tracked.ts';
import { checkMountedCaBundle, lowerCaBundle } from './ca-bundle.ts';
import type { LoweringContext } from './context.ts';
import { lowerOtlpEndpoint } from './otlp-endpoint.ts';

type SharedSettings = NonNullable<MCPTelemetryConfig['spec']>;
type OpenTelemetry = NonNullable<SharedSettings['openTelemetry']>;
type OwnSettings = NonNullable<GatewayConfig['telemetry']>;

const SWITCHES = [
  'tracingEnabled',
  'metricsEnabled',
  'enablePrometheusMetricsPath',
] as const satisfies readonly (keyof OwnSettings)[];

/** Undefined when no signal is enabled. */
export function lowerTelemetry(
  context: LoweringContext,
  gateway: Resource<VirtualMCPServerSpec>,
  spec: Tracked<VirtualMCPServerSpec>,
  config: Tracked<GatewayConfig> | undefined,
): TelemetryPlan | undefined {
  const own = config?.child('telemetry');
  if (spec.peek('telemetryConfigRef') === undefined) return own && lowerOwnTelemetry(context, gateway, own);
  if (own !== undefined) config?.ignore('telemetry', 'spec.telemetryConfigRef takes precedence');
  return lowerReferredTelemetry(context, gateway, spec);
}

function lowerReferredTelemetry(
  context: LoweringContext,
  gateway: Resource<VirtualMCPServerSpec>,
  spec: Tracked<VirtualMCPServerSpec>,
): TelemetryPlan | undefined {
  const { name = '' } = spec.peek('telemetryConfigRef') ?? {};
  const resource = context.inventory.find<SharedSettings>('MCPTelemetryConfig', gateway.namespace, name);
  // The missing object is reported as an error of the reference.
  if (resource === undefined) {
    spec.get('telemetryConfigRef');
    return undefined;
  }
  if (resource.spec.openTelemetry?.enabled !== true && resource.spec.prometheus?.enabled !== true) {
    spec.ignore('telemetryConfigRef', `MCPTelemetryConfig "${name}" enables no signal`);
    return undefined;
  }
  const ref = spec.child('telemetryConfigRef');
  ref?.get('name');
  const serviceName = ref?.get('serviceName');
  const shared = context.track(resource);
  const { otlp, attributes, useLegacyAttributes } = lowerOpenTelemetry(
    context,
    resource,
    shared.child('openTelemetry'),
  );
  return {
    serviceName: getServiceName(serviceName, gateway),
    serviceVersion: null,
    attributes,
    environmentVariables: [],
    useLegacyAttributes,
    metricsOnMainPort: shared.child('prometheus')?.get('enabled') === true,
    metricsPort: null,
    otlp,
  };
}

function lowerOpenTelemetry(
  context: LoweringContext,
  resource: Resource<SharedSettings>,
  block: Tracked<OpenTelemetry> | undefined,
): Pick<TelemetryPlan, 'otlp' | 'attributes' | 'useLegacyAttributes'> {
  const nothing = { otlp: null, attributes: {}, useLegacyAttributes: true };
  if (block === undefined) return nothing;
  const isEnabled = block.get('enabled');
  if (isEnabled !== true) {
    block.ignoreRest('enabled is not true');
    return nothing;
  }
  const tracing = block.child('tracing');
  const isTraced = tracing?.get('enabled') === true;
  const hasMetrics = block.child('metrics')?.get('enabled') === true;
  const attributes = sortAttributes(block.get('resourceAttributes'));
  const useLegacyAttributes = block.get('useLegacyAttributes') ?? true;
  if (!isTraced) tracing?.ignoreRest('enabled is not true');
  if (!isTraced && !hasMetrics) {
    block.ignoreRest('neither tracing nor metrics are enabled');
    return { otlp: null, attributes, useLegacyAttributes };
  }
  const plain = Object.entries(block.get('headers') ?? {}).map(toTextHeader);
  const secret = (block.get('sensitiveHeaders') ?? []).map(({ name, secretKeyRef }): ForwardedHeaderPlan => {
    const variable = `${ENV_PREFIX}OTEL_HEADER_${name.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`;
    return { name: name.toLowerCase(), value: { type: 'secret', from: toMountedSecret(secretKeyRef, variable) } };
  });
  const caPem = lowerCaBundle(context, resource, block.child('caBundleRef'));
  const otlp: OtlpPlan = {
    ...lowerOtlpEndpoint(block.get('endpoint'), block.get('insecure') === true),
    headers: sortByName([...plain, ...secret]),
    ...(caPem === undefined ? {} : { caPem }),
    samplingRate: isTraced ? Number(tracing?.get('samplingRate')) : null,
    metrics: hasMetrics,
  };
  return { otlp, attributes, useLegacyAttributes };
}

function lowerOwnTelemetry(
  context: LoweringContext,
  gateway: Resource<VirtualMCPServerSpec>,
  own: Tracked<OwnSettings>,
): TelemetryPlan | undefined {
  const [isTraced, hasMetrics, hasPage] = SWITCHES.map(name => own.get(name) === true);
  if (isTraced !== true && hasMetrics !== true && hasPage !== true) {
    own.ignoreRest(`none of ${SWITCHES.join(', ')} is true`);
    return undefined;
  }
  if (isTraced !== true) {
    for (const name of ['samplingRate', 'environmentVariables'] as const)
      own.ignore(name, 'tracingEnabled is not true');
  }
  if (hasPage !== true) {
    for (const name of ['prometheusPort', 'metricsOnTransportPort'] as const) {
      own.ignore(name, 'enablePrometheusMetricsPath is not true');
    }
  }
  const plan: Omit<TelemetryPlan, 'otlp'> = {
    serviceName: getServiceName(own.get('serviceName'), gateway),
    serviceVersion: own.get('serviceVersion') || null,
    attributes: sortAttributes(own.get('customAttributes')),
    environmentVariables: isTraced === true ? [...new Set(own.get('environmentVariables') ?? [])] : [],
    useLegacyAttributes: own.get('useLegacyAttributes') ?? true,
    metricsOnMainPort: hasPage === true && own.get('metricsOnTransportPort') !== false,
    metricsPort: hasPage === true ? (own.get('prometheusPort') ?? null) : null,
  };
  if (isTraced !== true && hasMetrics !== true) {
    own.ignoreRest('neither tracingEnabled nor metricsEnabled is true');
    return { ...plan, otlp: null };
  }
  const caFile = own.get('caCertPath') ?? '';
  if (caFile !== '') checkMountedCaBundle(context, gateway, caFile, [...own.path, 'caCertPath']);
  return {
    ...plan,
    otlp: {
      ...lowerOtlpEndpoint(own.get('endpoint'), own.get('insecure') === true),
      headers: sortByName(Object.entries(own.get('headers') ?? {}).map(toTextHeader)),
      ...(caFile === '' ? {} : { caFile }),
      samplingRate: isTraced === true ? Number(own.get('samplingRate')) : null,
      metrics: hasMetrics === true,
    },
  };
}

function getServiceName(serviceName: string | undefined, { name }: Resource): string {
  return serviceName === undefined || serviceName === '' ? name : serviceName;
}

function toTextHeader([name, text]: [string, string]): ForwardedHeaderPlan {
  return { name: name.toLowerCase(), value: { type: 'text', text } };
}

function sortByName(headers: readonly ForwardedHeaderPlan[]): readonly ForwardedHeaderPlan[] {
  return headers.toSorted((a, b) => compareText(a.name, b.name));
}

function sortAttributes(attributes: Readonly<Record<string, string>> | undefined): TelemetryPlan['attributes'] {
  return Object.fromEntries(Object.entries(attributes ?? {}).sort(([a], [b]) => compareText(a, b)));
}
