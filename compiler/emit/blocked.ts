import type { VirtualMCPServerSpec } from '#schemas';
import { KINDS } from '../check/kinds.ts';
import type { Diagnostic, ObjectRef } from '../diagnostics/diagnostic.ts';
import { mayBeBrokenMember, membersOf } from '../resolve/group-members.ts';
import type { Inventory, Resource } from '../resolve/inventory.ts';
import { referencesOf } from '../resolve/references.ts';

/**
 * Does any error concern this gateway? Its own do, and those of everything it is made of. A broken workload counts
 * as well if it may be a member; so does an error without an object, such as a file that is no YAML:
 * what stood there is unknown, and a gateway must not be built from half of its sources.
 */
export function blockedBy(
  gateway: Resource<VirtualMCPServerSpec>,
  inventory: Inventory,
  errors: readonly Diagnostic[],
): boolean {
  if (errors.length === 0) return false;
  const own = keyOf(gateway);
  if (errors.some(({ object }) => object === undefined || keyOf(object) === own)) return true;
  const parts = partsOf(gateway, inventory);
  const group = { namespace: gateway.namespace, name: gateway.spec.groupRef.name };
  return errors.some(({ object }) => {
    if (object === undefined || parts.has(keyOf(object))) return true;
    return object.namespace === gateway.namespace && mayBeBrokenMember(inventory, group, object.name);
  });
}

/** The gateway, its group and members, and all that any of them refers to. */
function partsOf(gateway: Resource<VirtualMCPServerSpec>, inventory: Inventory): ReadonlySet<string> {
  const parts = new Set<string>();
  const members = membersOf(inventory, gateway.namespace, gateway.spec.groupRef.name);
  const queue: Resource[] = [gateway, ...members.servers, ...members.proxies, ...members.entries];
  for (let part = queue.pop(); part !== undefined; part = queue.pop()) {
    const key = keyOf(part);
    if (parts.has(key)) continue;
    parts.add(key);
    const kind = KINDS.get(part.kind);
    if (kind === undefined) continue;
    for (const reference of referencesOf(kind.spec, part.spec)) {
      const target = inventory.find(reference.kind, part.namespace, reference.name);
      if (target !== undefined) queue.push(target);
      // A target that is broken or missing is no resource, and yet a part by its name.
      else parts.add(keyOf({ kind: reference.kind, namespace: part.namespace, name: reference.name }));
    }
  }
  return parts;
}

function keyOf({ kind, namespace, name }: Pick<ObjectRef, 'kind' | 'namespace' | 'name'>): string {
  return `${kind}/${namespace}/${name}`;
}
