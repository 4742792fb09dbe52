/**
 * Time limits for requests that occur thousands of times a second and rarely exceed the limit. All requests with the same limit share one timer;
 * a timer per call would cost more than forwarding the call.
 */

/** How often the timer checks within a limit, at most. An exceeded limit is noticed late by up to one of these intervals, and never early. */
const PARTS = 32;

/** A request that fails when it is silent for too long. */
export interface TimedRequest {
  /** The index of the request in the timer's list. Only the timer writes it. */
  position: number;
  /** Time of the last activity. Only the timer writes it. */
  activeAt: number;
  /** Called when the limit has passed. The timer has removed the request. */
  onTimeout(): void;
}

export class IdleTimer {
  readonly #partMs: number;
  /** The number of intervals between checks within the limit. */
  readonly #parts: number;
  readonly #watched: TimedRequest[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** How often the timer has checked. This count is its clock, because reading a real clock costs more per call than all the rest. */
  #looks = 0;

  /** @param limitMs how long a request may be silent, in milliseconds */
  constructor(limitMs: number) {
    this.#partMs = Math.ceil(limitMs / PARTS);
    this.#parts = Math.ceil(limitMs / this.#partMs);
  }

  begin(watched: TimedRequest): void {
    watched.activeAt = this.#looks;
    watched.position = this.#watched.push(watched) - 1;
    this.#timer ??= setInterval(() => this.#check(), this.#partMs).unref();
  }

  /** Called when the request has shown activity. */
  markActivity(watched: TimedRequest): void {
    watched.activeAt = this.#looks;
  }

  /** Stops watching a request; does nothing for one that is not watched. */
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

  #check(): void {
    if (this.#watched.length === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    const looks = ++this.#looks;
    // If a request was active just before a check, its silence is shorter than the number of checks says.
    const tooLate = this.#watched.filter(({ activeAt }) => looks - activeAt > this.#parts);
    for (const watched of tooLate) {
      if (watched.position === NOWHERE) continue; // The request ended when `onTimeout` of another request was called.
      this.end(watched);
      watched.onTimeout();
    }
  }
}

/** The index of an unwatched request. */
export const NOWHERE = -1;

const watches = new Map<number, IdleTimer>();

/** Returns the watch for a limit in milliseconds. All requests with that limit share it. */
export function startIdleTimer(limitMs: number): IdleTimer {
  let watch = watches.get(limitMs);
  if (watch === undefined) {
    watch = new IdleTimer(limitMs);
    watches.set(limitMs, watch);
  }
  return watch;
}
