import type { VirtualMCPServerSpec } from '#schemas';
import type { Diagnostic, ObjectRef } from '../diagnostics/diagnostic.ts';
import { formatObjectKey } from '../diagnostics/object-key.ts';
import { listGroupMembers, mayBeBrokenMember } from '../resolve/group-members.ts';
import type { Inventory, Resource } from '../resolve/inventory.ts';
import { isKnownKind } from '../resolve/known-kinds.ts';
import { findMountedCaBundle } from '../resolve/mounted-secret.ts';
import { collectReferences } from '../resolve/references.ts';
import { KINDS } from '../source/kinds.ts';
import { isNamespaceName } from '../source/metadata.ts';
import { REGISTRY_CONFIG_KIND } from '../source/registry-config.ts';

/**
 * The first error that affects this gateway: an error of the gateway itself, or of an object that it uses. Undefined when there is none. An
 * error of a workload that may be a member counts as well, and so do errors for which `concernsEveryGateway` or `mayBeAnything` is true: a
 * gateway must not be built from half of its sources.
 *
 * @param errors the errors of the gateway's namespace, and the errors that concern every gateway
 */
export function findBlocker(
  gateway: Resource<VirtualMCPServerSpec>,
  inventory: Inventory,
  errors: readonly Diagnostic[],
): Diagnostic | undefined {
  if (errors.length === 0) return undefined;
  const own = formatObjectKey(gateway);
  const direct = errors.find(error => error.object !== undefined && formatObjectKey(error.object) === own);
  if (direct !== undefined) return direct;
  const parts = collectParts(gateway, inventory);
  const group = { namespace: gateway.namespace, name: gateway.spec.groupRef.name };
  return errors.find(error => {
    const { object } = error;
    if (object === undefined || concernsEveryGateway(error) || parts.has(formatObjectKey(object))) return true;
    if (object.namespace !== gateway.namespace) return false;
    return mayBeAnything(object) || mayBeBrokenMember(inventory, group, object.name);
  });
}

/**
 * Whether an error affects every gateway. An error without an object does, such as a file that is not YAML, because its content is unknown. So
 * does an error in an invalid namespace, because any namespace may be meant, unless the object's kind is never part of a gateway.
 */
export function concernsEveryGateway({ object }: Diagnostic): boolean {
  if (object === undefined) return true;
  return !isNamespaceName(object.namespace) && !SERVER_KINDS.includes(object.kind);
}

/** Kinds that are never part of a gateway. */
const SERVER_KINDS: readonly string[] = ['VirtualMCPServer', 'MCPRegistry', REGISTRY_CONFIG_KIND];

/** An object of an unknown kind may be meant as a member of any group in its namespace. */
function mayBeAnything({ kind }: ObjectRef): boolean {
  return !isKnownKind(kind);
}

/** The first error that affects an MCPServer or MCPRemoteProxy that Lintel serves: of the server itself, or of an object that it refers to. */
export function findServerBlocker(
  server: Resource,
  inventory: Inventory,
  errors: readonly Diagnostic[],
): Diagnostic | undefined {
  if (errors.length === 0) return undefined;
  const parts = collectReached([server], inventory);
  return errors.find(
    error => error.object === undefined || concernsEveryGateway(error) || parts.has(formatObjectKey(error.object)),
  );
}

/** The gateway, its group and members, and every object that any of these refers to. */
function collectParts(gateway: Resource<VirtualMCPServerSpec>, inventory: Inventory): ReadonlySet<string> {
  const members = listGroupMembers(inventory, gateway.namespace, gateway.spec.groupRef.name);
  const start = [gateway, ...members.servers, ...members.proxies, ...members.entries];
  return new Set([...listMountedFiles(gateway), ...collectReached(start, inventory)]);
}

function collectReached(start: readonly Resource[], inventory: Inventory): ReadonlySet<string> {
  const parts = new Set<string>();
  const queue = [...start];
  for (let part = queue.pop(); part !== undefined; part = queue.pop()) {
    const key = formatObjectKey(part);
    if (parts.has(key)) continue;
    parts.add(key);
    const kind = KINDS.get(part.kind);
    if (kind === undefined) continue;
    for (const reference of collectReferences(kind.spec, part.spec)) {
      const target = inventory.find(reference.kind, part.namespace, reference.name);
      if (target !== undefined) queue.push(target);
      // A broken or missing target is not a resource, but its name still counts.
      else parts.add(formatObjectKey({ kind: reference.kind, namespace: part.namespace, name: reference.name }));
    }
  }
  return parts;
}

/** The ConfigMaps from which manifests mount the certificate authorities of this gateway. */
function listMountedFiles({ namespace, spec }: Resource<VirtualMCPServerSpec>): string[] {
  const paths = [spec.config?.incomingAuth?.oidc, ...(spec.config?.backends ?? [])].map(block => block?.caBundlePath);
  return paths.flatMap(path => {
    const name = findMountedCaBundle(path ?? '');
    return name === null ? [] : formatObjectKey({ kind: 'ConfigMap', namespace, name });
  });
}
