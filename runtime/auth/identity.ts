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
  /** Tokens of upstream providers, by provider; empty when the runtime's own authorization server obtained none. */
  readonly upstreamTokens: UpstreamTokensOfCaller;
}

/** The current tokens by provider name: tokens are renewed while their caller is known. */
export interface UpstreamTokensOfCaller {
  get(provider: string): UpstreamToken | undefined;
  /** Reports that the recipient refused the token: it is not sent again, and the caller has to sign in again. */
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
