import { buildObjectNames } from '#schemas';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Inventory, Resource } from '../resolve/inventory.ts';
import { toRelatedLocation } from '../resolve/related-location.ts';

const PATH = ['metadata', 'name'];

/**
 * A registry server's Kubernetes objects have its name with a suffix; a gateway of that full name would collide.
 *
 * @holds VirtualMCPServer | `metadata.name` | a gateway and an MCPRegistry of one namespace need objects of different names | LNT2009
 */
export function sharedObjectName({ kind, namespace, name, document }: Resource, inventory: Inventory): Diagnostic[] {
  if (kind !== 'MCPRegistry') return [];
  const own = buildObjectNames({ kind: 'registry', name });
  for (const other of [`${name}-api`, `${name}-api`.replace(/^vmcp-/, '')]) {
    const gateway = inventory.find('VirtualMCPServer', namespace, other);
    if (gateway === undefined) continue;
    const theirs = buildObjectNames({ kind: 'gateway', name: other });
    const shared = own.deployment === theirs.deployment ? `Deployment "${own.deployment}"` : `Service "${own.service}"`;
    const message = `${shared} would belong to VirtualMCPServer "${other}" as well`;
    const related = [toRelatedLocation('the gateway', { resource: gateway, path: PATH })];
    return [diagnose(document, 'LNT2009', PATH, message, { related })];
  }
  return [];
}
