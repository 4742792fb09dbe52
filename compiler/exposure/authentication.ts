/** Who gets in, and by whose word they may. From the spec: a runtime that cannot do it yet does not change what is meant. */
import type { Authorization } from '../cedar/access.ts';
import type { GatewayModel } from '../gateway/model.ts';
import { audienceOf, chosenIncomingAuth, issuerOf } from '../resolve/chosen-incoming-auth.ts';
import type { Authentication, AuthorizationSummary, ObjectName } from './exposure.ts';

export function authenticationOf({ resource, inventory }: GatewayModel): Authentication {
  const { type, oidc } = chosenIncomingAuth(resource.spec);
  if (type !== 'oidc') return { type };
  if (oidc === undefined) return { type, issuer: null, audience: null };
  return { type, issuer: issuerOf(oidc, resource.namespace, inventory) ?? null, audience: audienceOf(oidc) };
}

export function authorizationSummary(
  gateway: GatewayModel,
  authorization: Authorization | undefined,
): AuthorizationSummary {
  const source = policySource(gateway);
  if (source === undefined) return { type: 'none' };
  return { type: 'cedar', policies: authorization?.policies.length ?? null, source };
}

/** Where the policies are kept; undefined when the gateway names none. */
export function policySource({ resource }: GatewayModel): ObjectName | undefined {
  const { policies } = chosenIncomingAuth(resource.spec);
  switch (policies?.type) {
    case undefined:
      return undefined;
    case 'inline':
      return { kind: resource.kind, name: resource.name };
    case 'configMap':
      return { kind: 'ConfigMap', name: policies.name };
    case 'shared':
      return { kind: 'MCPAuthzConfig', name: policies.name };
  }
}
