/** Tolerance for the clock of an upstream or trusted issuer; seconds. */
export const CLOCK_TOLERANCE_SECONDS = 30;
