/**
 * Counts recent era changes of a backend. One change means a new backend; several mean a rolling deployment, in which old and new servers
 * alternate behind one address, so that a probe's result is soon outdated.
 */

/** After this time without a change, the next one counts as the first; milliseconds. */
const CALM_MS = 300_000;

/** Maximum waits, as multiples of the first. */
const LONGEST_PAUSE = 4;
const LONGEST_SETTLING = 8;

/** The factor between the waits of successive retries. */
const LONGER = 4;

/** How long the gateway spreads the sessions that follow a change, for each session, and at most for all of them; milliseconds. */
const EACH_MS = 10;
const ALL_MS = 5_000;

export interface EraChangesOptions {
  /** Initial pause between two probes of the backend, in milliseconds. */
  readonly pauseMs: number;
  /** How long a backend that changed twice must stay the same, in milliseconds. */
  readonly settlingMs: number;
}

export class EraChanges {
  readonly #options: EraChangesOptions;
  #count = 0;
  #latestAt = Number.NEGATIVE_INFINITY;

  constructor(options: EraChangesOptions) {
    this.#options = options;
  }

  noted(): void {
    this.#count = this.recent + 1;
    this.#latestAt = performance.now();
  }

  /** The number of changes since the last calm period. */
  get recent(): number {
    return performance.now() - this.#latestAt < CALM_MS ? this.#count : 0;
  }

  /** How long the result of a probe is trusted, in milliseconds. The time is doubled with each change after the first. */
  get pauseMs(): number {
    return this.#options.pauseMs * Math.min(2 ** Math.max(this.recent - 1, 0), LONGEST_PAUSE);
  }

  /**
   * How long one of `count` idle sessions waits before it follows a change, in milliseconds. Sessions follow one by one in random order; from
   * the second change on, only after the backend has been stable for a while.
   */
  computeWait(count: number): number {
    return this.#settlingMs + spread(count);
  }

  /** Does the same as `computeWait` for a refusal by a server that may be shutting down; `tries`: number of earlier retries. */
  waitToRetry(tries: number, count: number): number {
    return this.#options.settlingMs * LONGER ** tries + spread(count);
  }

  get #settlingMs(): number {
    const { recent } = this;
    return recent < 2 ? 0 : this.#options.settlingMs * Math.min(2 ** (recent - 2), LONGEST_SETTLING);
  }
}

function spread(count: number): number {
  return Math.random() * Math.min(count * EACH_MS, ALL_MS);
}
