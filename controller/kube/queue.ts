/**
 * A work queue by key, with the rules of client-go's: what is added several times is done once, one key is never worked on by two at the
 * same time, and what is added meanwhile is done again afterwards.
 */
import { backoffMs, spread } from '#util';
import { type Clock, systemClock } from './clock.ts';

/** Waits after failures, in milliseconds: those of Flux. */
const FIRST_RETRY_MS = 750;
const LONGEST_RETRY_MS: number = 15 * 60_000;

/** Work that wants to come again at once, each time, must leave others their turn; milliseconds. */
const SHORTEST_AGAIN_MS = 100;

/** What metrics want to know. */
export interface QueueHooks {
  added?(): void;
  retried?(): void;
  /** A key has waited so long, in seconds. */
  started?(waitedSeconds: number): void;
  done?(tookSeconds: number, outcome: 'success' | 'requeue_after' | 'error'): void;
}

/**
 * Gives the place of a worker to another key for as long as this one waits for something that takes no work here, such as the answer of a
 * server. Resolves as the wait does, once there is a place again. Not within itself.
 */
export type YieldPlace = <T>(wait: () => Promise<T>) => Promise<T>;

export interface WorkQueueOptions {
  /**
   * Does the work for a key, and gives the milliseconds after which to do it again, if ever. A failure brings it back after a while, later
   * each time. The signal says that the process cannot wait any longer.
   */
  readonly work: (key: string, signal: AbortSignal, yieldPlace: YieldPlace) => Promise<number | undefined>;
  readonly onError: (key: string, error: unknown, retryMs: number) => void;
  /** Keys that are worked on at the same time, those that have yielded their places apart. */
  readonly concurrency: number;
  readonly hooks?: QueueHooks;
  readonly clock?: Clock;
  readonly random?: () => number;
}

export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #stop = new AbortController();
  /** Waiting for a worker, with the time since when; in the order of adding. */
  readonly #waiting = new Map<string, number>();
  /** Worked on, with the time since when. */
  readonly #running = new Map<string, number>();
  /** How many of them have yielded their places. */
  #yielded = 0;
  /** Items whose wait is over, and that need a place again. */
  readonly #returning: (() => void)[] = [];
  /** Added while they were worked on, with the time since when. */
  readonly #again = new Map<string, number>();
  readonly #timers = new Map<string, { readonly at: number; readonly cancel: () => void }>();
  readonly #failures = new Map<string, number>();
  #isStarted = false;
  #isShut = false;
  #drained: (() => void) | undefined;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
  }

  /** From now on there are workers; what was added before is done as well. */
  start(): void {
    this.#isStarted = true;
    this.#next();
  }

  /** Has a key worked on as soon as possible. */
  add(key: string): void {
    if (this.#isShut) return;
    this.#options.hooks?.added?.();
    const now = this.#clock.now();
    if (this.#running.has(key)) {
      if (!this.#again.has(key)) this.#again.set(key, now);
      return;
    }
    if (!this.#waiting.has(key)) this.#waiting.set(key, now);
    this.#next();
  }

  /** Has a key worked on after so many milliseconds, or sooner if that was asked for already. */
  addAfter(key: string, ms: number): void {
    if (this.#isShut) return;
    if (!(ms > 0)) {
      this.add(key);
      return;
    }
    const at = this.#clock.now() + ms;
    const previous = this.#timers.get(key);
    if (previous !== undefined && previous.at <= at) return;
    previous?.cancel();
    const cancel = this.#clock.after(ms, () => {
      this.#timers.delete(key);
      this.add(key);
    });
    this.#timers.set(key, { at, cancel });
  }

  /** Nothing is due for the key any more, and its failures are forgotten; work under way goes on. */
  forget(key: string): void {
    this.#timers.get(key)?.cancel();
    this.#timers.delete(key);
    this.#failures.delete(key);
    this.#waiting.delete(key);
    this.#again.delete(key);
  }

  /** Keys that wait for a worker. */
  get depth(): number {
    return this.#waiting.size + this.#again.size;
  }

  /** Keys that have a worker. */
  get active(): number {
    return this.#running.size - this.#yielded;
  }

  /** Seconds that the work under way has taken so far: all together, and the longest. */
  get unfinished(): { readonly totalSeconds: number; readonly longestSeconds: number } {
    const now = this.#clock.now();
    const seconds = [...this.#running.values()].map(since => (now - since) / 1_000);
    return { totalSeconds: seconds.reduce((sum, one) => sum + one, 0), longestSeconds: Math.max(0, ...seconds) };
  }

  /** Takes nothing more, and waits for the work under way: so long in peace, then with its signal aborted. */
  async shutDown(graceMs: number): Promise<void> {
    this.#isShut = true;
    for (const { cancel } of this.#timers.values()) cancel();
    this.#timers.clear();
    this.#waiting.clear();
    this.#again.clear();
    if (this.#running.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#drained = resolve;
    const cancel = this.#clock.after(graceMs, () => this.#stop.abort(new Error('the controller stops')));
    await promise;
    cancel();
  }

  #next(): void {
    if (!this.#isStarted) return;
    while (this.#hasPlace) {
      const returned = this.#returning.shift();
      if (returned === undefined) break;
      this.#yielded -= 1;
      returned();
    }
    for (const [key, since] of this.#waiting) {
      if (!this.#hasPlace) return;
      this.#waiting.delete(key);
      void this.#run(key, since);
    }
  }

  get #hasPlace(): boolean {
    return this.active < this.#options.concurrency;
  }

  async #yieldPlace<T>(wait: () => Promise<T>): Promise<T> {
    this.#yielded += 1;
    this.#next();
    try {
      return await wait();
    } finally {
      await new Promise<void>(resolve => {
        this.#returning.push(resolve);
        this.#next();
      });
    }
  }

  async #run(key: string, since: number): Promise<void> {
    const { work, onError, hooks } = this.#options;
    // The run will say again when it wants to come again.
    this.#timers.get(key)?.cancel();
    this.#timers.delete(key);
    const start = this.#clock.now();
    this.#running.set(key, start);
    hooks?.started?.((start - since) / 1_000);
    let outcome: 'success' | 'requeue_after' | 'error' = 'success';
    try {
      const againMs = await work(key, this.#stop.signal, wait => this.#yieldPlace(wait));
      this.#failures.delete(key);
      if (againMs !== undefined) {
        outcome = 'requeue_after';
        this.addAfter(key, Math.max(againMs, SHORTEST_AGAIN_MS));
      }
    } catch (error) {
      outcome = 'error';
      const failures = (this.#failures.get(key) ?? 0) + 1;
      const retryMs = spread(
        backoffMs(failures, { firstMs: FIRST_RETRY_MS, longestMs: LONGEST_RETRY_MS }),
        this.#random(),
      );
      this.#failures.set(key, failures);
      onError(key, error, retryMs);
      hooks?.retried?.();
      this.addAfter(key, retryMs);
    }
    this.#running.delete(key);
    hooks?.done?.((this.#clock.now() - start) / 1_000, outcome);
    const again = this.#again.get(key);
    this.#again.delete(key);
    if (again !== undefined) this.#waiting.set(key, again);
    if (this.#running.size === 0) this.#drained?.();
    this.#next();
  }
}
