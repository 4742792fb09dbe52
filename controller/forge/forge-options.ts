import type { RepositoryLocation } from './repository-location.ts';

export interface ForgeOptions {
  readonly location: RepositoryLocation;
  /** Root of the API; derived from the location when not given. */
  readonly apiUrl?: string | undefined;
  readonly token: string;
  /** Authorities to trust in place of the usual ones, as PEM. */
  readonly authorities?: string | undefined;
  /** Time for one call; default 15 seconds. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}
