import type { AuthenticatedCaller } from '../identity.ts';

/** A token that a provider accepts. */
export interface AcceptedToken {
  readonly caller: AuthenticatedCaller;
  /** Time until which the token is accepted without another check; milliseconds since 1970. */
  readonly until: number;
  /** The key that verified the token: when the provider withdraws it, the token is checked again. */
  readonly basis: TokenBasis;
  /** The approximate memory of this object: the number of characters of the token and its claims. */
  readonly weight: number;
}

export interface TokenBasis {
  /** The provider no longer publishes the key. */
  readonly isWithdrawn: boolean;
}

/** For tokens that were not verified with a key. */
export const NO_KEY: TokenBasis = { isWithdrawn: false };

/** Tolerance for a provider's clock that is ahead, for a token that was just issued; seconds. */
export const CLOCK_TOLERANCE_SECONDS = 5;
