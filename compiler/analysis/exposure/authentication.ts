/** How a gateway authenticates callers, and whose tokens it accepts. */

import { chooseIncomingAuth } from '../../resolve/choose-incoming-auth.ts';
import type { Authorization } from '../cedar/access.ts';
import type { GatewayModel } from '../gateway/model.ts';
import type { Authentication, AuthorizationSummary, ObjectName } from './exposure.ts';

/** Describes the plan. Providers are missing when an error makes them invalid. */
export function describeAuthentication({ plan: { incomingAuth } }: Pick<GatewayModel, 'plan'>): Authentication {
  const { type } = incomingAuth;
  if (type !== 'oidc') return { type };
  const { providers, requiredScopes } = incomingAuth;
  const [provider] = providers;
  return {
    type,
    issuer: provider?.issuer ?? null,
    audience: provider?.audience ?? null,
    ...(requiredScopes.length === 0 ? {} : { scopes: requiredScopes }),
  };
}

export function summarizeAuthorization(
  gateway: GatewayModel,
  authorization: Authorization | undefined,
): AuthorizationSummary {
  const source = findPolicySource(gateway);
  if (source === undefined) return { type: 'none' };
  return { type: 'cedar', policies: authorization?.policies.length ?? null, source };
}

/** Where the policies are written; undefined when the gateway has none. */
export function findPolicySource({ resource }: GatewayModel): ObjectName | undefined {
  const { policies } = chooseIncomingAuth(resource.spec);
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
