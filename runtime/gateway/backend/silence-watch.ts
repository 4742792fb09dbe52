/**
 * Time limits for what is done thousands of times a second and hardly ever takes too long. One timer looks after everything
 * that has the same limit; one for each call would cost more than sending it on does.
 */

/** How often the timer looks within a limit. What is too late is noticed up to one of these parts later, and never earlier. */
const PARTS = 32;

/** Something that is given up when it is silent for too long. */
export interface Watched {
  /** Its place among the others: the watch's. */
  place: number;
  /** When something was heard of it last, by `performance.now`. */
  heardAt: number;
  /** The limit has passed. It is watched no more. */
  silentTooLong(): void;
}

export class SilenceWatch {
  readonly #limitMs: number;
  readonly #partMs: number;
  readonly #watched: Watched[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** @param limitMs how long something may be silent, in milliseconds */
  constructor(limitMs: number) {
    this.#limitMs = limitMs;
    this.#partMs = Math.ceil(limitMs / PARTS);
  }

  begin(watched: Watched): void {
    watched.heardAt = performance.now();
    watched.place = this.#watched.push(watched) - 1;
    this.#timer ??= setInterval(() => this.#look(), this.#partMs).unref();
  }

  /** Does nothing for what is not watched. */
  end(watched: Watched): void {
    const { place } = watched;
    if (place === NOWHERE) return;
    const last = this.#watched.pop() as Watched;
    if (last !== watched) {
      this.#watched[place] = last;
      last.place = place;
    }
    watched.place = NOWHERE;
  }

  #look(): void {
    if (this.#watched.length === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    const now = performance.now();
    const tooLate = this.#watched.filter(({ heardAt }) => now - heardAt >= this.#limitMs);
    for (const watched of tooLate) {
      if (watched.place === NOWHERE) continue; // It ended with another of them.
      this.end(watched);
      watched.silentTooLong();
    }
  }
}

/** The place of what is not watched. */
export const NOWHERE = -1;

const watches = new Map<number, SilenceWatch>();

/** The watch for a limit in milliseconds. All who have that limit share it. */
export function silenceWatch(limitMs: number): SilenceWatch {
  let watch = watches.get(limitMs);
  if (watch === undefined) {
    watch = new SilenceWatch(limitMs);
    watches.set(limitMs, watch);
  }
  return watch;
}
