/**
 * How often a backend has turned out to be of another era recently. Once is a new backend; more than once is a deployment that
 * rolls on, where old and new servers answer in turn behind one address: what a look gives then is soon wrong.
 */

/** Without a change for this time, the next one is the first again; milliseconds. */
const CALM_MS = 300_000;

/** The longest waits, as multiples of the first. */
const LONGEST_PAUSE = 4;
const LONGEST_SETTLING = 8;

/** Each further try of what was refused comes after this many times the wait for the one before. */
const LONGER = 4;

/** What those who follow a change are given each, and all of them together at most; milliseconds. */
const EACH_MS = 10;
const ALL_MS = 5_000;

export interface EraChangesOptions {
  /** The first pause between two looks at the backend, in milliseconds. */
  readonly pauseMs: number;
  /** For how long a backend that has changed twice must stay what it is, in milliseconds. */
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

  /** Changes since the last calm. */
  get recent(): number {
    return performance.now() - this.#latestAt < CALM_MS ? this.#count : 0;
  }

  /** How long what a look gave is to be believed; milliseconds. Doubled with each change but the first. */
  get pauseMs(): number {
    return this.#options.pauseMs * Math.min(2 ** Math.max(this.recent - 1, 0), LONGEST_PAUSE);
  }

  /**
   * How long one of `count` sessions that have nothing to send waits before it follows, in milliseconds. They go one after
   * the other, in no order; from the second change on not before the backend has stayed what it is for a while.
   */
  computeWait(count: number): number {
    return this.#settlingMs + spread(count);
  }

  /** The same for what a server has refused that may be on its way out; `tries`: how often it was tried again before. */
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
