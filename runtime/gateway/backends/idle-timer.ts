/**
 * Time limits for what is done thousands of times a second and hardly ever takes too long. One timer looks after everything
 * that has the same limit; one for each call would cost more than sending it on does.
 */

/** How often the timer looks within a limit, at most. What is too late is noticed up to one of these parts later, and never earlier. */
const PARTS = 32;

/** Something that is given up when it is silent for too long. */
export interface TimedRequest {
  /** Its place among the others: the watch's. */
  position: number;
  /** Time of its last activity, kept by the watch. */
  activeAt: number;
  /** The limit has passed. It is no longer watched. */
  silentTooLong(): void;
}

export class IdleTimer {
  readonly #partMs: number;
  /** How many of them make the limit. */
  readonly #parts: number;
  readonly #watched: TimedRequest[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** How often the timer has looked. It is the clock here: reading a real one costs a call more than all the rest. */
  #looks = 0;

  /** @param limitMs how long something may be silent, in milliseconds */
  constructor(limitMs: number) {
    this.#partMs = Math.ceil(limitMs / PARTS);
    this.#parts = Math.ceil(limitMs / this.#partMs);
  }

  begin(watched: TimedRequest): void {
    watched.activeAt = this.#looks;
    watched.position = this.#watched.push(watched) - 1;
    this.#timer ??= setInterval(() => this.#look(), this.#partMs).unref();
  }

  /** It gives a sign of life. */
  markActivity(watched: TimedRequest): void {
    watched.activeAt = this.#looks;
  }

  /** Does nothing for what is not watched. */
  end(watched: TimedRequest): void {
    const { position } = watched;
    if (position === NOWHERE) return;
    const last = this.#watched.pop() as TimedRequest;
    if (last !== watched) {
      this.#watched[position] = last;
      last.position = position;
    }
    watched.position = NOWHERE;
  }

  #look(): void {
    if (this.#watched.length === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    const looks = ++this.#looks;
    // After activity just before a check, the silence is shorter than counted.
    const tooLate = this.#watched.filter(({ activeAt }) => looks - activeAt > this.#parts);
    for (const watched of tooLate) {
      if (watched.position === NOWHERE) continue; // It ended with another of them.
      this.end(watched);
      watched.silentTooLong();
    }
  }
}

/** The place of what is not watched. */
export const NOWHERE = -1;

const watches = new Map<number, IdleTimer>();

/** The watch for a limit in milliseconds. All who have that limit share it. */
export function idleTimer(limitMs: number): IdleTimer {
  let watch = watches.get(limitMs);
  if (watch === undefined) {
    watch = new IdleTimer(limitMs);
    watches.set(limitMs, watch);
  }
  return watch;
}
