/** Who gets in. */
import type { ResourceMetadataPlan, TokenProviderPlan } from './token-provider.ts';

/**
 * `anonymous`: all are the same caller. `local`: all are the user that runs the process; served on loopback
 * addresses only. `oidc`: a valid bearer token is demanded.
 */
export type IncomingAuthPlan = { readonly type: 'anonymous' } | { readonly type: 'local' } | TokenAuthPlan;

export interface TokenAuthPlan {
  readonly type: 'oidc';
  /** In challenges. */
  readonly realm: string;
  /** Tried in this order; the first that accepts a token wins. At least one. */
  readonly providers: readonly TokenProviderPlan[];
  /** A token must have all of them. */
  readonly requiredScopes: readonly string[];
  /** Null when the public URL is not known: then there is no document, and challenges link to none. */
  readonly resourceMetadata: ResourceMetadataPlan | null;
}
