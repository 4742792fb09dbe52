import type { BackendModel, GatewayModel } from '../../analysis/gateway/model.ts';
import type { ObjectLocation } from '../../resolve/related-location.ts';

/** Where a backend's credential is chosen; without a choice, the group that contains the backend. */
export function locateCredential({ resource }: GatewayModel, { location }: BackendModel): ObjectLocation {
  return location === null ? { resource, path: ['spec', 'groupRef', 'name'] } : location.location;
}

/** Groups backends by the position at which their credential is chosen. */
export function groupByLocation(
  gateway: GatewayModel,
  backends: readonly BackendModel[],
): readonly (readonly [ObjectLocation, readonly BackendModel[]])[] {
  const locations = new Map<string, readonly [ObjectLocation, BackendModel[]]>();
  for (const backend of backends) {
    const location = locateCredential(gateway, backend);
    const { kind, name } = location.resource;
    const key = JSON.stringify([kind, name, ...location.path]);
    const known = locations.get(key);
    if (known === undefined) locations.set(key, [location, [backend]]);
    else known[1].push(backend);
  }
  return [...locations.values()];
}
