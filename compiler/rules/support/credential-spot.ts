import type { BackendModel, GatewayModel } from '../../analysis/gateway/model.ts';
import type { Spot } from '../../resolve/related-place.ts';

/** Where the credential of a backend is chosen; where it is not, the group that made it a backend. */
export function credentialSpot({ resource }: GatewayModel, { place }: BackendModel): Spot {
  return place === null ? { resource, path: ['spec', 'groupRef', 'name'] } : place.spot;
}

/** Backends that share a choice, with the choice. */
export function bySpot(
  gateway: GatewayModel,
  backends: readonly BackendModel[],
): readonly (readonly [Spot, readonly BackendModel[]])[] {
  const spots = new Map<string, readonly [Spot, BackendModel[]]>();
  for (const backend of backends) {
    const spot = credentialSpot(gateway, backend);
    const { kind, name } = spot.resource;
    const key = JSON.stringify([kind, name, ...spot.path]);
    const known = spots.get(key);
    if (known === undefined) spots.set(key, [spot, [backend]]);
    else known[1].push(backend);
  }
  return [...spots.values()];
}
