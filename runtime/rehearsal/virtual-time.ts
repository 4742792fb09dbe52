/** Time that stands still while something is answered, and otherwise jumps to whatever is due next. */
export class VirtualTime {
  #now: number;
  #timers: { readonly at: number; readonly then: () => void }[] = [];
  /** Answers that are being worked out elsewhere, which takes real time. */
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

  /** While it runs, time stands still. */
  async still<T>(run: () => T | Promise<T>): Promise<T> {
    this.#busy += 1;
    try {
      return await run();
    } finally {
      this.#busy -= 1;
    }
  }

  /**
   * Lets time pass until something has ended.
   *
   * @throws Error when nothing is due and nothing is being answered: it would never end
   */
  async until<T>(ended: Promise<T>): Promise<T> {
    let isOver = false;
    const over = () => {
      isOver = true;
    };
    ended.then(over, over);
    for (let idle = 0; !isOver; ) {
      // What is due at this moment runs first.
      await new Promise(resolve => setImmediate(resolve));
      if (isOver || this.#busy > 0) idle = 0;
      else if (this.#jump()) idle = 0;
      else if (++idle === IDLE_TURNS) throw new Error('it would never end: nothing is due any more');
    }
    return ended;
  }

  /** False when nothing is due. */
  #jump(): boolean {
    const [next] = this.#timers.toSorted((a, b) => a.at - b.at);
    if (next === undefined) return false;
    this.#timers = this.#timers.filter(timer => timer !== next);
    this.#now = next.at;
    next.then();
    return true;
  }
}

/** Turns of the event loop without anything to do, after which nothing can happen any more. */
const IDLE_TURNS = 10;
