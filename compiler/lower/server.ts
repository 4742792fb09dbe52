import type { GatewayConfig, ServerIdentity, VirtualMCPServerSpec } from '#schemas';
import type { Resource } from '../resolve/inventory.ts';
import type { Tracked } from './tracked.ts';

/** Who the gateway says it is. `spec.groupRef` was resolved before; `config.groupRef` can only repeat it. */
export function lowerServer(
  gateway: Resource<VirtualMCPServerSpec>,
  spec: Tracked<VirtualMCPServerSpec>,
  config: Tracked<GatewayConfig> | undefined,
): ServerIdentity {
  const group = spec.get('groupRef').name;
  if (config?.peek('groupRef') === group) config.get('groupRef');
  else config?.ignore('groupRef', `spec.groupRef names the group, "${group}"`);
  return { name: config?.get('name') || gateway.name, metadata: config?.get('metadata') ?? {} };
}
