import type { MCPServerEntrySpec } from '#schemas';
import { quote } from '../check/describe.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnose } from '../resolve/diagnose.ts';
import { membersOf } from '../resolve/group-members.ts';
import type { Inventory, Resource } from '../resolve/inventory.ts';
import { relatedPlace } from '../resolve/related-place.ts';
import type { Path } from '../source/source-document.ts';
import { gatewaySpec } from './gateway-spec.ts';

/**
 * A header is either the caller's or the backend's own: of two values nobody knows which the backend would see. The headers
 * of an MCPRemoteProxy are added behind the gateway, by the proxy.
 */
export function headerCollisions(resource: Resource, inventory: Inventory): Diagnostic[] {
  const spec = gatewaySpec(resource);
  const names = spec?.passthroughHeaders ?? spec?.config?.passthroughHeaders ?? [];
  if (spec === undefined || names.length === 0) return [];
  const field = spec.passthroughHeaders === undefined ? ['spec', 'config'] : ['spec'];
  const { entries } = membersOf(inventory, resource.namespace, spec.groupRef.name);
  return entries.flatMap(entry => {
    const own = headersOf(entry);
    return names.flatMap((name, index) => {
      const path = own.get(name.toLowerCase());
      if (path === undefined) return [];
      const message = `the header ${quote(name)} of callers collides with the one that MCPServerEntry "${entry.name}" sets`;
      const related = [relatedPlace('set here', { resource: entry, path })];
      return [diagnose(resource.document, 'LNT6015', [...field, 'passthroughHeaders', index], message, { related })];
    });
  });
}

function headersOf({ spec }: Resource<MCPServerEntrySpec>): ReadonlyMap<string, Path> {
  const { addPlaintextHeaders = {}, addHeadersFromSecret = [] } = spec.headerForward ?? {};
  const path = ['spec', 'headerForward'];
  const found = new Map<string, Path>();
  // The whole block: the line of a header shows its value as well.
  for (const name of Object.keys(addPlaintextHeaders)) found.set(name.toLowerCase(), [...path, 'addPlaintextHeaders']);
  for (const [index, { headerName }] of addHeadersFromSecret.entries()) {
    found.set(headerName.toLowerCase(), [...path, 'addHeadersFromSecret', index, 'headerName']);
  }
  return found;
}
