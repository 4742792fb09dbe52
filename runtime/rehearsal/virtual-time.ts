/** A virtual clock. It stops while a tool or person works on an answer, and otherwise jumps to the next timer. */
export class VirtualTime {
  #now: number;
  #timers: { readonly at: number; readonly then: () => void }[] = [];
  /** Number of pending answers of tools and people, which take real time. */
  #busy = 0;

  /** @param start milliseconds since 1970 */
  constructor(start: number) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  after(milliseconds: number, then: () => void): () => void {
    const timer = { at: this.#now + milliseconds, then };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter(other => other !== timer);
    };
  }

  /** Stops the clock until the promise that `run` returns has settled. */
  async still<T>(run: () => T | Promise<T>): Promise<T> {
    this.#busy += 1;
    try {
      return await run();
    } finally {
      this.#busy -= 1;
    }
  }

  /**
   * Advances the clock until the promise settles.
   *
   * @throws Error when no timer and no answer is pending, because the promise would then never settle
   */
  async until<T>(ended: Promise<T>): Promise<T> {
    let isOver = false;
    const over = () => {
      isOver = true;
    };
    ended.then(over, over);
    for (let idle = 0; !isOver; ) {
      // Lets all promise callbacks of the current virtual time run before the clock jumps.
      await new Promise(resolve => setImmediate(resolve));
      if (isOver || this.#busy > 0) idle = 0;
      else if (this.#jump()) idle = 0;
      else if (++idle === IDLE_TURNS)
        throw new Error('the workflow would never end: it waits, and no event is left that could continue it');
    }
    return ended;
  }

  /** Jumps to the next timer and calls it. Returns false if there is none. */
  #jump(): boolean {
    const [next] = this.#timers.toSorted((a, b) => a.at - b.at);
    if (next === undefined) return false;
    this.#timers = this.#timers.filter(timer => timer !== next);
    this.#now = next.at;
    next.then();
    return true;
  }
}

/** After this many turns of the event loop without work, the run counts as stuck. */
const IDLE_TURNS = 10;
