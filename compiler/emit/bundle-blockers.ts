import type { VirtualMCPServerSpec } from '#schemas';
import type { Diagnostic, ObjectRef } from '../diagnostics/diagnostic.ts';
import { listGroupMembers, mayBeBrokenMember } from '../resolve/group-members.ts';
import type { Inventory, Resource } from '../resolve/inventory.ts';
import { isKnownKind } from '../resolve/known-kinds.ts';
import { findMountedCaBundle } from '../resolve/mounted-secret.ts';
import { collectReferences } from '../resolve/references.ts';
import { KINDS } from '../source/kinds.ts';
import { isNamespaceName } from '../source/metadata.ts';
import { REGISTRY_CONFIG_KIND } from '../source/registry-config.ts';

/**
 * The first error that concerns this gateway, or undefined. Its own do, and those of everything it is made of. A broken
 * workload counts as well if it may be a member, and so does what `concernsEveryGateway` and `mayBeAnything` tell: a gateway
 * must not be built from half of its sources.
 *
 * @param errors those of the gateway's namespace, and those that concern every gateway
 */
export function findBlocker(
  gateway: Resource<VirtualMCPServerSpec>,
  inventory: Inventory,
  errors: readonly Diagnostic[],
): Diagnostic | undefined {
  if (errors.length === 0) return undefined;
  const own = formatKey(gateway);
  const direct = errors.find(error => error.object !== undefined && formatKey(error.object) === own);
  if (direct !== undefined) return direct;
  const parts = collectParts(gateway, inventory);
  const group = { namespace: gateway.namespace, name: gateway.spec.groupRef.name };
  return errors.find(error => {
    const { object } = error;
    if (object === undefined || concernsEveryGateway(error) || parts.has(formatKey(object))) return true;
    if (object.namespace !== gateway.namespace) return false;
    return mayBeAnything(object) || mayBeBrokenMember(inventory, group, object.name);
  });
}

/**
 * Does an error concern every gateway? One without an object does, such as a file that is no YAML: what stood there is
 * unknown. So does one in a namespace that cannot exist, since the one that is meant may be any, unless the object is of a
 * kind that is part of no gateway.
 */
export function concernsEveryGateway({ object }: Diagnostic): boolean {
  if (object === undefined) return true;
  return !isNamespaceName(object.namespace) && !SERVER_KINDS.includes(object.kind);
}

/** Kinds that no gateway is made of. */
const SERVER_KINDS: readonly string[] = ['VirtualMCPServer', 'MCPRegistry', REGISTRY_CONFIG_KIND];

/** An object of a kind that does not exist may be meant to be a member of any group of its namespace. */
function mayBeAnything({ kind }: ObjectRef): boolean {
  return !isKnownKind(kind);
}

/** The same for an MCPServer or MCPRemoteProxy that we serve: what it is made of is what it refers to. */
export function findServerBlocker(
  server: Resource,
  inventory: Inventory,
  errors: readonly Diagnostic[],
): Diagnostic | undefined {
  if (errors.length === 0) return undefined;
  const parts = reachedFrom([server], inventory);
  return errors.find(
    error => error.object === undefined || concernsEveryGateway(error) || parts.has(formatKey(error.object)),
  );
}

/** The gateway, its group and members, and all that any of them refers to. */
function collectParts(gateway: Resource<VirtualMCPServerSpec>, inventory: Inventory): ReadonlySet<string> {
  const members = listGroupMembers(inventory, gateway.namespace, gateway.spec.groupRef.name);
  const start = [gateway, ...members.servers, ...members.proxies, ...members.entries];
  return new Set([...mountedBy(gateway), ...reachedFrom(start, inventory)]);
}

function reachedFrom(start: readonly Resource[], inventory: Inventory): ReadonlySet<string> {
  const parts = new Set<string>();
  const queue = [...start];
  for (let part = queue.pop(); part !== undefined; part = queue.pop()) {
    const key = formatKey(part);
    if (parts.has(key)) continue;
    parts.add(key);
    const kind = KINDS.get(part.kind);
    if (kind === undefined) continue;
    for (const reference of collectReferences(kind.spec, part.spec)) {
      const target = inventory.find(reference.kind, part.namespace, reference.name);
      if (target !== undefined) queue.push(target);
      // A target that is broken or missing is no resource, and yet a part by its name.
      else parts.add(formatKey({ kind: reference.kind, namespace: part.namespace, name: reference.name }));
    }
  }
  return parts;
}

/** ConfigMaps that its files are mounted from. */
function mountedBy({ namespace, spec }: Resource<VirtualMCPServerSpec>): string[] {
  const paths = [spec.config?.incomingAuth?.oidc, ...(spec.config?.backends ?? [])].map(place => place?.caBundlePath);
  return paths.flatMap(path => {
    const name = findMountedCaBundle(path ?? '');
    return name === null ? [] : formatKey({ kind: 'ConfigMap', namespace, name });
  });
}

function formatKey({ kind, namespace, name }: Pick<ObjectRef, 'kind' | 'namespace' | 'name'>): string {
  return `${kind}/${namespace}/${name}`;
}
