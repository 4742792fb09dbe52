import type { MCPServerSpec, VirtualMCPServerSpec } from '#schemas';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { type ChosenOidc, chooseIncomingAuth, findIssuer, getAudience } from '../resolve/choose-incoming-auth.ts';
import type { Inventory, Resource } from '../resolve/inventory.ts';
import { toRelatedLocation } from '../resolve/related-location.ts';
import type { Path } from '../source/source-document.ts';
import { FirstUsers } from './support/first-users.ts';

/**
 * A token for one server must not be valid at another one: servers with the same issuer need different audiences.
 *
 * @holds incomingAuth | `oidcConfigRef.audience` | not empty; each audience belongs to one server of an issuer | LNT4007
 */
export function sharedAudience(resource: Resource, inventory: Inventory): Diagnostic[] {
  const other = users.findEarlier(resource, inventory);
  if (other === undefined) return [];
  const message = `${other.kind} "${other.name}" has the same audience and issuer, so each of the two accepts the tokens for the other`;
  const related = [toRelatedLocation('the same audience', { resource: other, path: locateAudience(other) })];
  return [diagnose(resource.document, 'LNT4007', locateAudience(resource), message, { related })];
}

const users = new FirstUsers((server, inventory) => {
  const oidc = findOidc(server);
  if (oidc === undefined) return undefined;
  const unknown = [server.namespace, oidc.type === 'reference' ? oidc.ref.name : ''];
  return JSON.stringify([getAudience(oidc), findIssuer(oidc, server.namespace, inventory) ?? unknown]);
});

function findOidc(server: Resource): ChosenOidc | undefined {
  if (server.kind === 'VirtualMCPServer') return chooseIncomingAuth(server.spec as VirtualMCPServerSpec).oidc;
  const { oidcConfigRef: ref } = server.spec as MCPServerSpec;
  return ref && { type: 'reference', ref, path: ['spec', 'oidcConfigRef'] };
}

function locateAudience(server: Resource): Path {
  return [...(findOidc(server)?.path ?? ['spec']), 'audience'];
}
