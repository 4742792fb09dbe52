/** Identifies the authentication settings under which a caller was admitted: waiting requests check whether they are still current. */
export interface AuthGeneration {
  readonly areReplaced: boolean;
}

/** Settings that never change while the process runs. */
export const LASTING_RULES: AuthGeneration = { areReplaced: false };
