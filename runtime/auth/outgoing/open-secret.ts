import type { SecretSource } from '#schemas';

/** A secret that is followed. */
export interface Secret {
  /** Of now: a rotated one is seen. */
  readonly value: string;
}

/** Opens a secret of a plan; `what` says which, for messages: `client secret`. Throws when it is missing. */
export type OpenSecret = (source: SecretSource, what: string) => Secret;
