import type { Path } from '../source/source-document.ts';
import type { Resource } from './inventory.ts';

/** Which part of the sources describes a backend. */
export interface BackendOrigin {
  /** Names the backend in the tool lock. The same for all gateways, unless one of them wrote the backend out itself. */
  readonly key: string;
  readonly resource: Resource;
  /** Where the description starts, from the root of the object. */
  readonly path: Path;
}

/** A workload of the group. */
export function workloadOrigin(resource: Resource): BackendOrigin {
  return { key: `${resource.namespace}/${resource.kind}/${resource.name}`, resource, path: ['metadata', 'name'] };
}

/**
 * The server itself, behind the gateway of its own that serves it. Gateways of others get what that gateway lets through: where it lets
 * less through, these are two.
 */
export function servedOrigin(resource: Resource, isFiltered: boolean): BackendOrigin {
  const origin = workloadOrigin(resource);
  return isFiltered ? { ...origin, key: `${origin.key}/${resource.name}` } : origin;
}

/** A backend that a gateway wrote out. */
export function staticOrigin(gateway: Resource, name: string, path: Path): BackendOrigin {
  return { key: `${gateway.namespace}/${gateway.kind}/${gateway.name}/${name}`, resource: gateway, path };
}
