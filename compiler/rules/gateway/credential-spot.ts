import type { BackendModel, GatewayModel } from '../../gateway/model.ts';
import type { Spot } from '../../resolve/related-place.ts';

/** Where somebody chose the credential of a backend; where nobody did, the group that made it a backend. */
export function credentialSpot({ resource }: GatewayModel, { place }: BackendModel): Spot {
  return place === null ? { resource, path: ['spec', 'groupRef', 'name'] } : place.spot;
}
