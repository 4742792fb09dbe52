/**
 * The rules by which a caller was admitted, for as long as they are those of the gateway: one object, which waiting requests check again.
 */
export interface AuthGeneration {
  readonly areReplaced: boolean;
}

/** Rules that stay as long as the process does. */
export const LASTING_RULES: AuthGeneration = { areReplaced: false };
