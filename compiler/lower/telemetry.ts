import type { GatewayConfig, MCPTelemetryConfig, VirtualMCPServerSpec } from '#schemas';
import type { Resource } from '../resolve/inventory.ts';
import type { LoweringContext } from './context.ts';
import type { Tracked } from './tracked.ts';

type SharedSettings = NonNullable<MCPTelemetryConfig['spec']>;

const FEATURE = 'telemetry';

/** Signals that are switched on are refused; settings of signals that are all off have no effect. */
export function refuseTelemetry(
  context: LoweringContext,
  gateway: Resource<VirtualMCPServerSpec>,
  spec: Tracked<VirtualMCPServerSpec>,
  config: Tracked<GatewayConfig> | undefined,
): void {
  refuseReferred(context, gateway, spec);
  const written = config?.child('telemetry');
  if (written === undefined) return;
  if (SWITCHES.some(name => written.peek(name) === true)) {
    written.refuse(FEATURE);
    return;
  }
  for (const name of SWITCHES) written.get(name);
  written.ignoreRest(`none of ${SWITCHES.join(', ')} is true`);
}

const SWITCHES = [
  'tracingEnabled',
  'metricsEnabled',
  'enablePrometheusMetricsPath',
] as const satisfies readonly (keyof NonNullable<GatewayConfig['telemetry']>)[];

function refuseReferred(
  { inventory }: LoweringContext,
  { namespace }: Resource,
  spec: Tracked<VirtualMCPServerSpec>,
): void {
  const name = spec.peek('telemetryConfigRef')?.name;
  if (name === undefined) return;
  const shared = inventory.find<SharedSettings>('MCPTelemetryConfig', namespace, name);
  if (shared === undefined || isOn(shared.spec)) spec.unsupported('telemetryConfigRef', FEATURE);
  else spec.ignore('telemetryConfigRef', `MCPTelemetryConfig "${name}" enables no signal`);
}

function isOn({ openTelemetry, prometheus }: SharedSettings): boolean {
  return openTelemetry?.enabled === true || prometheus?.enabled === true;
}
