/** The server's time, which tests may stop and move. It does not drive timers. */
export class Clock {
  #stopped: number | undefined;
  #ahead = 0;

  /** Milliseconds since 1970. */
  get now(): number {
    return this.#stopped ?? Date.now() + this.#ahead;
  }

  /** Stops the clock at a time, given in milliseconds since 1970 or as a date. */
  set(time: number | string): void {
    this.#stopped = typeof time === 'string' ? Date.parse(time) : time;
  }

  /** Makes the clock jump by an interval; negative numbers go back. */
  advance(milliseconds: number): void {
    if (this.#stopped === undefined) this.#ahead += milliseconds;
    else this.#stopped += milliseconds;
  }

  /** The time in the format of `metadata`, in whole seconds. */
  rfc3339(secondsFromNow = 0): string {
    return new Date(this.now + secondsFromNow * 1_000).toISOString().replace(/\.\d+Z$/, 'Z');
  }
}
