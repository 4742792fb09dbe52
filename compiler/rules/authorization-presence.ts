import { readPolicySet } from '../analysis/cedar/authorization.ts';
import { dependsOnPrincipal } from '../analysis/cedar/depends-on-principal.ts';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { chosenIncomingAuth } from '../resolve/chosen-incoming-auth.ts';
import type { Inventory, Resource } from '../resolve/inventory.ts';
import { gatewaySpec } from './support/gateway-spec.ts';

/** Reports authentication without policies, and policies without authentication. */
export function authorizationPresence(resource: Resource, inventory: Inventory): Diagnostic[] {
  const spec = gatewaySpec(resource);
  if (spec === undefined) return [];
  const { type, path, policies } = chosenIncomingAuth(spec);
  if (type === 'oidc' && policies === undefined) {
    const field = path.includes('config') ? 'authz' : 'authzConfig';
    const message = `without ${field} every authenticated caller may call every tool`;
    return [diagnose(resource.document, 'LNT4005', [...path, 'type'], message)];
  }
  if (type !== 'anonymous' || policies === undefined) return [];
  // Policies about tools alone also apply to anonymous callers: they list what is offered.
  const read = readPolicySet({ ...resource, spec }, inventory);
  if (read !== undefined && !read.policies.some(dependsOnPrincipal)) return [];
  const message = `${policies.path.at(-1)} has policies about callers, and no caller signs in: incomingAuth.type is anonymous`;
  return [diagnose(resource.document, 'LNT4006', policies.path, message, { at: 'key' })];
}
