/** Identifies the authentication settings under which a caller was admitted. A waiting request checks whether these settings still apply. */
export interface AuthGeneration {
  readonly isSuperseded: boolean;
}

/** Settings that never change while the process runs. */
export const NEVER_SUPERSEDED: AuthGeneration = { isSuperseded: false };
