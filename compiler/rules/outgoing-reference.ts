import type { MCPExternalAuthConfigSpec } from '#schemas';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnose } from '../resolve/diagnose.ts';
import type { Inventory, Resource } from '../resolve/inventory.ts';
import { gatewaySpec } from './gateway-spec.ts';

/** Types of MCPExternalAuthConfig that only the proxy of a single server can act on. */
const NOT_FOR_GATEWAYS: readonly string[] = ['bearerToken', 'embeddedAuthServer', 'obo'];

/** What a gateway names as outgoing authentication must be a strategy of gateways. */
export function outgoingReference(resource: Resource, inventory: Inventory): Diagnostic[] {
  const outgoing = gatewaySpec(resource)?.outgoingAuth;
  if (outgoing === undefined) return [];
  const path = ['spec', 'outgoingAuth'];
  const entries = [
    ...(outgoing.default ? [{ entry: outgoing.default, at: [...path, 'default'] }] : []),
    ...Object.entries(outgoing.backends ?? {}).map(([name, entry]) => ({ entry, at: [...path, 'backends', name] })),
  ];
  return entries.flatMap(({ entry, at }) => {
    const name = entry.type === 'externalAuthConfigRef' ? entry.externalAuthConfigRef?.name : undefined;
    if (name === undefined) return [];
    const kind = 'MCPExternalAuthConfig';
    const type = inventory.find<MCPExternalAuthConfigSpec>(kind, resource.namespace, name)?.spec.type;
    if (type === undefined || !NOT_FOR_GATEWAYS.includes(type)) return [];
    const message = `${kind} "${name}" is of type ${type}, which a gateway cannot use toward a backend`;
    return [diagnose(resource.document, 'LNT2003', [...at, 'externalAuthConfigRef', 'name'], message)];
  });
}
