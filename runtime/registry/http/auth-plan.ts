import type { IncomingAuthPlan, RegistryAuthPlan } from '#schemas';

/**
 * The admission rules of a registry server, in the form of `runtime/auth`. They contain no scopes, because claims decide what a caller
 * sees.
 */
export function toIncomingAuthPlan(auth: RegistryAuthPlan): IncomingAuthPlan {
  if (auth.mode === 'anonymous') return { type: 'anonymous' };
  const { realm, providers, resourceMetadata } = auth;
  return { type: 'oidc', realm, providers, requiredScopes: [], resourceMetadata };
}
