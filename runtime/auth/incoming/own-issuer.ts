/** The authorization server in this process, as authentication knows it. */
import type { AuthenticatedCaller } from '../identity.ts';
import type { FetchedKeys } from './key-source.ts';

export interface OwnIssuer {
  readonly issuer: string;
  /** Its current keys, without a connection. */
  keys(): Promise<FetchedKeys>;
  /** What upstreams gave when the holder of a token signed in, renewed since. */
  upstreamTokens(claims: Readonly<Record<string, unknown>>): AuthenticatedCaller['upstreamTokens'];
  /**
   * Makes those good for a request; undefined where they are.
   *
   * @throws TokenRejectedError by rejecting: `invalid` for a caller that has to sign in again
   */
  ready(claims: Readonly<Record<string, unknown>>): Promise<void> | undefined;
}
