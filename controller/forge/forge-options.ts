import type { RepositoryLocation } from './repository-location.ts';

export interface ForgeOptions {
  readonly location: RepositoryLocation;
  /** Root of the API; default: derived from the repository's URL. */
  readonly apiUrl?: string | undefined;
  readonly token: string;
  /** Certificate authorities as PEM, replacing the defaults. */
  readonly authorities?: string | undefined;
  /** Timeout of one call; default 15 seconds. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}
