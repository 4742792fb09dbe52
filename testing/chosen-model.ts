import type { GatewayModel } from '#compiler';
import { type CompileSettings, compileChart, type Synthesizable } from './compiled-chart.ts';

/** The project that the specs belong to, and the gateway to examine. */
export interface ExposureSettings extends CompileSettings {
  /** The gateway, as `name` or `namespace/name`; required when there are several gateways. */
  readonly gateway?: string;
}

/** @throws Error when the specs have errors, or when several gateways match */
export function chooseModel(
  source: Synthesizable,
  settings: ExposureSettings,
): { readonly name: string; readonly model: GatewayModel } {
  const { gateways } = compileChart(source, settings);
  const named = gateways.map(gateway => ({ name: `${gateway.object.namespace}/${gateway.object.name}`, gateway }));
  const gatewayName = settings.gateway;
  const chosen = named.filter(
    ({ name }) => gatewayName === undefined || name === gatewayName || name.endsWith(`/${gatewayName}`),
  );
  const names = named.map(({ name }) => name).join(', ') || 'none';
  const [only, ...others] = chosen;
  if (only === undefined)
    throw new Error(`there is no gateway${gatewayName === undefined ? '' : ` "${gatewayName}"`}; there are: ${names}`);
  if (others.length > 0) throw new Error(`there are several gateways, choose one with { gateway: '…' }: ${names}`);
  const model = only.gateway.model();
  if (model === null) throw new Error(`${only.name} has errors, so its behaviour is not known`);
  return { name: only.name, model };
}
