/** Between two readings, however many notifications and failed calls ask for one; milliseconds. */
const PAUSE_MS = 250;

/** Changes in a row that are followed at once, as of a server that starts; with each further one the pause is doubled. */
const FREE_CHANGES = 4;

/** Reading takes time from all callers that share the gateway: some hundredths of a pause of this kind. */
const BYTES_PER_MS = 1024;

const LONGEST_PAUSE_MS = 30_000;

/** Without a change for this time, the next one is the first again; milliseconds. */
const CALM_MS = 60_000;

/**
 * How long a backend whose lists were read has to wait until they are read again, whatever it says. The pause grows for lists
 * that are others on each reading, since clients are notified of each and ask for the list, and for large ones.
 */
export class RefreshBackoff {
  #changes = 0;
  #changedAt = Number.NEGATIVE_INFINITY;
  #bytes = 0;

  /** @param bytes of the answers to the last reading, also of one that failed */
  hasRead(bytes: number): void {
    this.#bytes = bytes;
  }

  /** A reading gave something else than the one before. */
  hasChanged(): void {
    this.#changes = this.#recentChanges + 1;
    this.#changedAt = performance.now();
  }

  /** From the last reading on. */
  get ms(): number {
    const forChanges = PAUSE_MS * 2 ** Math.max(this.#recentChanges - FREE_CHANGES, 0);
    return Math.min(Math.max(forChanges, this.#bytes / BYTES_PER_MS), LONGEST_PAUSE_MS);
  }

  get #recentChanges(): number {
    return performance.now() - this.#changedAt < CALM_MS ? this.#changes : 0;
  }
}
