/** A clock that tests advance. */
import type { Clock } from '../../controller/kube/index.ts';

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly call: () => void;
}

export class TestClock implements Clock {
  #nowMs = 0;
  #order = 0;
  /** Difference between the system time and the elapsed time, in milliseconds: change it to make the system clock jump. */
  dateOffsetMs: number = Date.UTC(2026, 0, 1);
  readonly #timers = new Set<Timer>();

  now(): number {
    return this.#nowMs;
  }

  date(): Date {
    return new Date(this.dateOffsetMs + this.#nowMs);
  }

  after(ms: number, call: () => void): () => void {
    const timer = { at: this.#nowMs + Math.max(0, ms), order: this.#order++, call };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Number of pending timers. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Milliseconds until the next timer; undefined without one. */
  get nextMs(): number | undefined {
    const next = this.#next();
    return next === undefined ? undefined : next.at - this.#nowMs;
  }

  /** Advances the clock: each due timer fires in its turn, with everything that follows from it before the next. */
  async pass(ms: number): Promise<void> {
    const end = this.#nowMs + ms;
    await settle();
    for (let next = this.#next(); next !== undefined && next.at <= end; next = this.#next()) {
      this.#timers.delete(next);
      this.#nowMs = next.at;
      next.call();
      await settle();
    }
    this.#nowMs = end;
  }

  #next(): Timer | undefined {
    return [...this.#timers].sort((a, b) => a.at - b.at || a.order - b.order)[0];
  }
}

/** Resolves when everything that only waits for promises has happened; does not wait for input and output. */
export async function settle(): Promise<void> {
  await new Promise(resolve => setImmediate(resolve));
}
