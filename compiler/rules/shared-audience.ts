import type { MCPOIDCConfig, MCPServerSpec, VirtualMCPServerSpec } from '#schemas';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnose } from '../resolve/diagnose.ts';
import type { Inventory, Resource } from '../resolve/inventory.ts';
import { relatedPlace } from '../resolve/related-place.ts';
import { FirstUsers } from './siblings.ts';

/** A token for one server must not open another one: of the same issuer each has an audience of its own. */
export function sharedAudience(resource: Resource, inventory: Inventory): Diagnostic[] {
  const other = users.before(resource, inventory);
  if (other === undefined) return [];
  const message = `${other.kind} "${other.name}" has the same audience and issuer, so a token for one opens the other`;
  const related = [relatedPlace('the same audience', { resource: other, path: pathOf(other) })];
  return [diagnose(resource.document, 'LNT4007', pathOf(resource), message, { related })];
}

const users = new FirstUsers((server, inventory) => {
  const ref = refOf(server);
  if (ref === undefined) return undefined;
  const { name, audience } = ref;
  return JSON.stringify([audience, issuerOf(inventory, server.namespace, name) ?? [server.namespace, name]]);
});

function refOf(server: Resource): MCPServerSpec['oidcConfigRef'] {
  if (server.kind !== 'VirtualMCPServer') return (server.spec as MCPServerSpec).oidcConfigRef;
  const { incomingAuth } = server.spec as VirtualMCPServerSpec;
  return incomingAuth.type === 'oidc' ? incomingAuth.oidcConfigRef : undefined;
}

function issuerOf(inventory: Inventory, namespace: string, name: string): string | undefined {
  const config = inventory.find<NonNullable<MCPOIDCConfig['spec']>>('MCPOIDCConfig', namespace, name);
  return config?.spec.type === 'inline' ? config.spec.inline?.issuer : config?.spec.kubernetesServiceAccount?.issuer;
}

function pathOf({ kind }: Resource): string[] {
  const holder = kind === 'VirtualMCPServer' ? ['spec', 'incomingAuth'] : ['spec'];
  return [...holder, 'oidcConfigRef', 'audience'];
}
