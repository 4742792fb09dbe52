/** How callers are authenticated. */
import type { ResourceMetadataPlan, TokenProviderPlan } from './token-provider.ts';

/**
 * `anonymous`: all callers are the same one. `local`: all callers are the user that runs the process; served only on loopback addresses. `oidc`:
 * callers need a valid bearer token.
 */
export type IncomingAuthPlan = { readonly type: 'anonymous' } | { readonly type: 'local' } | TokenAuthPlan;

export interface TokenAuthPlan {
  readonly type: 'oidc';
  /** The `realm` of challenges. */
  readonly realm: string;
  /** The providers, at least one. The gateway tries them in this order; the first that accepts a token wins. */
  readonly providers: readonly TokenProviderPlan[];
  /** Scopes, all of which a token must have. */
  readonly requiredScopes: readonly string[];
  /** The document about the gateway (RFC 9728). Null when the public URL is unknown: then the gateway serves none, and challenges link to none. */
  readonly resourceMetadata: ResourceMetadataPlan | null;
}
