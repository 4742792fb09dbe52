import type { IncomingAuthPlan, RegistryAuthPlan } from '#schemas';

/** Whom a registry server lets in, in the words of `runtime/auth`. Scopes are no part of it: what a caller sees is by claims. */
export function toIncomingAuthPlan(auth: RegistryAuthPlan): IncomingAuthPlan {
  if (auth.mode === 'anonymous') return { type: 'anonymous' };
  const { realm, providers, resourceMetadata } = auth;
  return { type: 'oidc', realm, providers, requiredScopes: [], resourceMetadata };
}
