import type { Path } from '../source/source-document.ts';
import type { Resource } from './inventory.ts';

/** The part of the sources that describes a backend. */
export interface BackendOrigin {
  /** The backend's key in the tool lock. All gateways share it, except for an inline backend. */
  readonly key: string;
  readonly resource: Resource;
  /** The path of the description, from the root of the object. */
  readonly path: Path;
}

/** A workload in the group. */
export function toWorkloadOrigin(resource: Resource): BackendOrigin {
  return { key: `${resource.namespace}/${resource.kind}/${resource.name}`, resource, path: ['metadata', 'name'] };
}

/**
 * The origin of a server for the gateway in front of it. For other gateways the server is the backend that this gateway shows. If this gateway
 * restricts tools, the two differ, so their entries in the tool lock have different keys.
 */
export function toServedOrigin(resource: Resource, isFiltered: boolean): BackendOrigin {
  const origin = toWorkloadOrigin(resource);
  return isFiltered ? { ...origin, key: `${origin.key}/${resource.name}` } : origin;
}

/** An inline backend of a gateway. */
export function toStaticOrigin(gateway: Resource, name: string, path: Path): BackendOrigin {
  return { key: `${gateway.namespace}/${gateway.kind}/${gateway.name}/${name}`, resource: gateway, path };
}
