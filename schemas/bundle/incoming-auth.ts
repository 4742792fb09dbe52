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
  /** Tried in this order; the first that accepts a token wins. At least one. */
  readonly providers: readonly TokenProviderPlan[];
  /** A token must have all of them. */
  readonly requiredScopes: readonly string[];
  /** Null when the public URL is unknown: then the document is not served, and challenges do not link to it. */
  readonly resourceMetadata: ResourceMetadataPlan | null;
}
