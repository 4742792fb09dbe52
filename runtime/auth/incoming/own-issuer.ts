/** What authentication needs from the authorization server in this process. */
import type { AuthenticatedCaller } from '../identity.ts';
import type { FetchedKeys } from './key-source.ts';

export interface OwnIssuer {
  readonly issuer: string;
  /** Its current keys, without a connection. */
  keys(): Promise<FetchedKeys>;
  /** The tokens that upstreams issued when the caller signed in, in their last renewed form. */
  upstreamTokens(claims: Readonly<Record<string, unknown>>): AuthenticatedCaller['upstreamTokens'];
  /**
   * Renews these tokens for a request if needed; undefined when they are valid.
   * @throws TokenRejectedError by rejecting: `invalid` for a caller that has to sign in again
   */
  ready(claims: Readonly<Record<string, unknown>>): Promise<void> | undefined;
}
