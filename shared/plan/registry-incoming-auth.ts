import type { IncomingAuthPlan, RegistryAuthPlan } from '#schemas';

/**
 * The rules by which a registry server accepts tokens, in the form of a gateway's. They contain no scopes, because claims decide what a caller
 * sees.
 */
export function toIncomingAuthPlan(auth: RegistryAuthPlan): IncomingAuthPlan {
  if (auth.mode === 'anonymous') return { type: 'anonymous' };
  const { realm, providers, resourceMetadata } = auth;
  return { type: 'oidc', realm, providers, requiredScopes: [], resourceMetadata };
}
