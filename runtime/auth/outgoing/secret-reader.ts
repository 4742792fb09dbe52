import type { SecretSource } from '#schemas';

/** Where secret values come from. */
export interface SecretReader {
  /** The value as it is now: a rotated one is seen. */
  read(source: SecretSource): string;
}
