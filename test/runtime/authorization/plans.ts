/** Plans and callers for tests of authorization. */

import type { CedarPlan, CedarPolicyPlan } from '#schemas';
import {
  type AuthenticatedCaller,
  createIdentity,
  type Identity,
  NO_UPSTREAM_TOKENS,
} from '../../../runtime/auth/identity.ts';

/** A policy as text, or with its list form. */
export type PolicyText = string | { readonly text: string; readonly listText: string };

export function cedarPlan(policies: readonly PolicyText[], more: Partial<CedarPlan> = {}): CedarPlan {
  return {
    engine: 'cedar',
    policyCount: policies.length,
    policies: policies.map((policy, index): CedarPolicyPlan => {
      const id = `policy${index}`;
      return typeof policy === 'string' ? { id, name: id, text: policy } : { id, name: id, ...policy };
    }),
    entities: [],
    server: 'test',
    groupType: 'Group',
    groupClaims: ['groups'],
    roleClaim: null,
    multiValuedClaims: [],
    ...more,
  };
}

export function caller(claims: Record<string, unknown> = {}, subject = 'alice'): Identity {
  const known: AuthenticatedCaller = {
    issuer: 'https://idp.example',
    subject,
    claims,
    expiresAt: Number.MAX_SAFE_INTEGER,
    token: null,
    upstreamTokens: NO_UPSTREAM_TOKENS,
  };
  return createIdentity(known);
}
