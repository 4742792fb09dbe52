import type { GatewayConfig, ServerIdentity, VirtualMCPServerSpec } from '#schemas';
import { isGroupResolved } from '../resolve/group-members.ts';
import type { Inventory, Resource } from '../resolve/inventory.ts';
import type { Tracked } from '../resolve/tracked.ts';

/** The gateway's own name and version. `spec.groupRef` was resolved before; `config.groupRef` can only repeat it. */
export function lowerServer(
  inventory: Inventory,
  gateway: Resource<VirtualMCPServerSpec>,
  spec: Tracked<VirtualMCPServerSpec>,
  config: Tracked<GatewayConfig> | undefined,
): ServerIdentity {
  const group = spec.get('groupRef').name;
  // If two names differ and one is unresolved, either may be the wrong one.
  if (config?.peek('groupRef') === group || !isGroupResolved(inventory, gateway.namespace, group))
    config?.get('groupRef');
  else config?.ignore('groupRef', `spec.groupRef names the group, "${group}"`);
  return { name: config?.get('name') || gateway.name, metadata: config?.get('metadata') ?? {} };
}
