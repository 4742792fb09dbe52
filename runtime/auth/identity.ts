/** The authenticated caller. */
export interface Identity {
  /** Undefined for an unauthenticated caller. */
  readonly caller: AuthenticatedCaller | undefined;
  /** A unique key of the caller: sessions and cache entries belong to it. Not a secret. */
  readonly key: string;
}

export interface AuthenticatedCaller {
  readonly issuer: string;
  readonly subject: string;
  /** All claims of the token, or all members of the introspection response. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** When the token expires; milliseconds since 1970. */
  readonly expiresAt: number;
  /**
   * The caller's token, for token exchange. It is never sent to a backend or written to a log or an error. Null for a caller without a token.
   */
  readonly token: string | null;
  /** Tokens that the authorization server in this process obtained from upstream providers, by provider; empty if it obtained none. */
  readonly upstreamTokens: UpstreamTokensOfCaller;
}

/** The current tokens by provider name. The authorization server may replace a token by a renewed one at any time. */
export interface UpstreamTokensOfCaller {
  get(provider: string): UpstreamToken | undefined;
  /** Reports that a backend or token endpoint refused the token: the gateway does not send it again, and the caller has to sign in again. */
  refused(provider: string, accessToken: string): void;
}

export const NO_UPSTREAM_TOKENS: UpstreamTokensOfCaller = { get: () => undefined, refused: () => {} };

export interface UpstreamToken {
  readonly accessToken: string;
  readonly idToken: string | null;
  readonly expiresAt: number | null;
}

/** The caller of unauthenticated requests. */
export const ANONYMOUS: Identity = { caller: undefined, key: 'anonymous' };

/** The owner key of sessions: issuer and subject, so that a session continues with a renewed token. */
export function createIdentity(caller: AuthenticatedCaller): Identity {
  return { caller, key: JSON.stringify([caller.issuer, caller.subject]) };
}
