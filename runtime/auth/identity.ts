/** Who calls, as authentication found. */
export interface Identity {
  /** Undefined for an unauthenticated caller. */
  readonly caller: AuthenticatedCaller | undefined;
  /** One text for each caller and no other: what sessions belong to, and what caches are kept apart by. Not a secret. */
  readonly key: string;
}

export interface AuthenticatedCaller {
  readonly issuer: string;
  readonly subject: string;
  /** All claims of the token, or all members of the introspection answer. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** When the token ends; milliseconds since 1970. */
  readonly expiresAt: number;
  /**
   * The token that the caller came with, for token endpoints that it is handed in to. It never goes to a backend, a log or
   * an error. Null for a caller that is known without one.
   */
  readonly token: string | null;
  /** Tokens of upstream providers, by provider; empty where no authorization server of our own obtained any. */
  readonly upstreamTokens: UpstreamTokensOfCaller;
}

/** What there is now, by the name of the provider: tokens are renewed while their caller is known. */
export interface UpstreamTokensOfCaller {
  get(provider: string): UpstreamToken | undefined;
  /** A token was refused where it was sent: it is not sent again, and the caller has to sign in again. */
  refused(provider: string, accessToken: string): void;
}

export const NO_UPSTREAM_TOKENS: UpstreamTokensOfCaller = { get: () => undefined, refused: () => {} };

export interface UpstreamToken {
  readonly accessToken: string;
  readonly idToken: string | null;
  readonly expiresAt: number | null;
}

/** All callers, where they are not authenticated. */
export const ANONYMOUS: Identity = { caller: undefined, key: 'anonymous' };

/** The owner of a session: issuer and subject, so that a renewed token goes on with it. */
export function createIdentity(caller: AuthenticatedCaller): Identity {
  return { caller, key: JSON.stringify([caller.issuer, caller.subject]) };
}
