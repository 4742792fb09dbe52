import { chooseIncomingAuth } from '../../resolve/choose-incoming-auth.ts';
import type { GatewayModel } from '../gateway/model.ts';
import type { PlacedText } from './policy-source.ts';

/** Whether another gateway has the same policies: what the policies name may exist at that gateway only. */
export function isShared(
  { resource, inventory }: Pick<GatewayModel, 'resource' | 'inventory'>,
  source: PlacedText,
): boolean {
  if (source.resource === resource) return false;
  const gateways = inventory.listAll<typeof resource.spec>('VirtualMCPServer', resource.namespace);
  return gateways.some(({ name, spec }) => {
    const { policies } = chooseIncomingAuth(spec);
    const isHere = policies?.type === (source.resource.kind === 'ConfigMap' ? 'configMap' : 'shared');
    return name !== resource.name && isHere && policies.name === source.resource.name;
  });
}
