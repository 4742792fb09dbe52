/** Time between two readings, however many notifications and failed calls request one; milliseconds. */
const PAUSE_MS = 250;

/** The number of consecutive changes that the gateway follows at once, as when a server starts; each further change doubles the pause. */
const FREE_CHANGES = 4;

/** A reading delays all callers of the gateway, so it may take only some hundredths of the pause after it. */
const BYTES_PER_MS = 1024;

const LONGEST_PAUSE_MS = 30_000;

/** After this time without a change, the next change counts as the first again; milliseconds. */
const CALM_MS = 60_000;

/**
 * Computes the pause between two readings of a backend's lists, independent of how often the backend requests one. The pause grows when each
 * reading finds other lists, because clients are notified of each change and request the list, and when the lists are large.
 */
export class RefreshBackoff {
  #changes = 0;
  #changedAt = Number.NEGATIVE_INFINITY;
  #bytes = 0;

  /**
   * Called when a reading has ended.
   * @param bytes size of the answers to the last reading, even if it failed
   */
  hasRead(bytes: number): void {
    this.#bytes = bytes;
  }

  /** Called when a reading found other lists than the previous reading. */
  hasChanged(): void {
    this.#changes = this.#recentChanges + 1;
    this.#changedAt = performance.now();
  }

  /** The pause, in milliseconds from the last reading. */
  get ms(): number {
    const forChanges = PAUSE_MS * 2 ** Math.max(this.#recentChanges - FREE_CHANGES, 0);
    return Math.min(Math.max(forChanges, this.#bytes / BYTES_PER_MS), LONGEST_PAUSE_MS);
  }

  get #recentChanges(): number {
    return performance.now() - this.#changedAt < CALM_MS ? this.#changes : 0;
  }
}
