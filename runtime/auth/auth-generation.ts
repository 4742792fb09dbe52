/** Identifies the authentication settings under which a caller was admitted: waiting requests check whether they are still current. */
export interface AuthGeneration {
  readonly isSuperseded: boolean;
}

/** Settings that never change while the process runs. */
export const NEVER_SUPERSEDED: AuthGeneration = { isSuperseded: false };
