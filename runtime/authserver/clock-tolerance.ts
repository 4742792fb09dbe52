/** How far the clock of an upstream or of a trusted issuer may be apart from ours; seconds. */
export const CLOCK_TOLERANCE_SECONDS = 30;
