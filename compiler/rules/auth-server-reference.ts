import type { MCPExternalAuthConfigSpec, MCPServerSpec } from '#schemas';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Inventory, Resource } from '../resolve/inventory.ts';

/**
 * `authServerRef` of a proxy must refer to an authorization server, not to another way to authenticate.
 *
 * @holds Other kinds | MCPServer, `authServerRef` | an `embeddedAuthServer` | LNT2003
 */
export function authServerReference(resource: Resource, inventory: Inventory): Diagnostic[] {
  if (resource.kind !== 'MCPServer' && resource.kind !== 'MCPRemoteProxy') return [];
  const { authServerRef: ref } = resource.spec as Pick<MCPServerSpec, 'authServerRef'>;
  if (ref === undefined) return [];
  const kind = 'MCPExternalAuthConfig';
  const target = inventory.find<MCPExternalAuthConfigSpec>(kind, resource.namespace, ref.name);
  if (target === undefined || target.spec.type === 'embeddedAuthServer') return [];
  const message = `${kind} "${ref.name}" is of type ${target.spec.type}, not embeddedAuthServer`;
  return [diagnose(resource.document, 'LNT2003', ['spec', 'authServerRef', 'name'], message)];
}
