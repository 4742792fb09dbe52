import type { GatewayModel } from '../gateway/model.ts';
import type { PlacedText } from './policy-source.ts';

/** Whether another gateway has the same policies: what this one lacks, the other one may have. */
export function isShared({ resource, inventory }: GatewayModel, source: PlacedText): boolean {
  if (source.resource === resource) return false;
  const gateways = inventory.all<typeof resource.spec>('VirtualMCPServer', resource.namespace);
  return gateways.some(({ name, spec }) => {
    const { authzConfig, authzConfigRef } = spec.incomingAuth;
    const own = source.resource.kind === 'ConfigMap' ? authzConfig?.configMap?.name : authzConfigRef?.name;
    return name !== resource.name && own === source.resource.name;
  });
}
