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
 * The origin of a server behind its own gateway. Other gateways get the tools that this gateway allows: if it restricts tools, the two
 * origins have different keys.
 */
export function toServedOrigin(resource: Resource, isFiltered: boolean): BackendOrigin {
  const origin = toWorkloadOrigin(resource);
  return isFiltered ? { ...origin, key: `${origin.key}/${resource.name}` } : origin;
}

/** An inline backend of a gateway. */
export function toStaticOrigin(gateway: Resource, name: string, path: Path): BackendOrigin {
  return { key: `${gateway.namespace}/${gateway.kind}/${gateway.name}/${name}`, resource: gateway, path };
}
