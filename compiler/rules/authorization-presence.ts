import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnose } from '../resolve/diagnose.ts';
import type { Resource } from '../resolve/inventory.ts';
import { gatewaySpec } from './gateway-spec.ts';

/** Signing in says who calls, policies say who may: each without the other is worth a thought. */
export function authorizationPresence(resource: Resource): Diagnostic[] {
  const incoming = gatewaySpec(resource)?.incomingAuth;
  if (incoming === undefined) return [];
  const { type, authzConfig, authzConfigRef } = incoming;
  const path = ['spec', 'incomingAuth'];
  const field = authzConfig === undefined ? 'authzConfigRef' : 'authzConfig';
  const hasPolicies = authzConfig !== undefined || authzConfigRef !== undefined;
  if (type === 'oidc' && !hasPolicies) {
    const message = 'without authzConfig every authenticated caller may call every tool';
    return [diagnose(resource.document, 'LNT4005', [...path, 'type'], message)];
  }
  if (type !== 'anonymous' || !hasPolicies) return [];
  const message = `${field} knows no callers to tell apart: incomingAuth.type is anonymous`;
  return [diagnose(resource.document, 'LNT4006', [...path, field], message, { at: 'key' })];
}
