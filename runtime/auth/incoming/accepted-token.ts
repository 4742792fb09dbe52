import type { AuthenticatedCaller } from '../identity.ts';

/** A token that a provider accepts. */
export interface AcceptedToken {
  readonly caller: AuthenticatedCaller;
  /** Until when that holds without asking again; milliseconds since 1970. */
  readonly until: number;
  /** What it rests on: once withdrawn, the token is looked at again. */
  readonly basis: TokenBasis;
  /** How much memory it takes, roughly: characters of the token and of its claims. */
  readonly weight: number;
}

export interface TokenBasis {
  /** The provider does not publish the key any more. */
  readonly isWithdrawn: boolean;
}

/** For tokens that rest on no key. */
export const NO_KEY: TokenBasis = { isWithdrawn: false };

/** How far the clock of a provider may be ahead of ours, for a token that was just issued; seconds. */
export const CLOCK_TOLERANCE_SECONDS = 5;
