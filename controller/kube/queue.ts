/**
 * A work queue by key, with client-go's rules: repeated additions are handled once, no key is processed concurrently, and a key that is added
 * during processing is processed again afterwards.
 */
import { computeBackoffMs, LinkedAbort, spread } from '#shared/util';
import { type Clock, systemClock } from './clock.ts';

/** Delays before retries, in milliseconds; the same values as in Flux. */
const FIRST_RETRY_MS = 750;
const LONGEST_RETRY_MS: number = 15 * 60_000;

/** Minimum delay for a key that asks to be processed again immediately, so that other keys get their turn; milliseconds. */
const SHORTEST_AGAIN_MS = 100;

/** Callbacks for metrics. */
export interface QueueHooks {
  added?(): void;
  retried?(): void;
  /** Called when the processing of a key starts, with the seconds that the key waited. */
  started?(waitedSeconds: number): void;
  done?(tookSeconds: number, outcome: 'success' | 'requeue_after' | 'error'): void;
}

/**
 * Releases the worker during a wait that needs no local work, such as for a server's response, so that another key can use it. Resolves after
 * the wait, once a worker is free again. Must not be nested.
 */
export type YieldWorker = <T>(wait: () => Promise<T>) => Promise<T>;

export interface WorkQueueOptions {
  /**
   * Processes a key, and returns the milliseconds until it should be processed again, if ever. A failure requeues it with increasing delays. The
   * signal is aborted when the process must end, and when {@link WorkQueue.interrupt} ends the run.
   */
  readonly work: (key: string, signal: AbortSignal, yieldWorker: YieldWorker) => Promise<number | undefined>;
  readonly onError: (key: string, error: unknown, retryMs: number) => void;
  /** Maximum delay after this failure, in milliseconds, for any number of failures; undefined for the queue's own limit. */
  readonly retryWithinMs?: (error: unknown) => number | undefined;
  /** Maximum number of keys that are processed at the same time, not counting those that released their workers. */
  readonly concurrency: number;
  readonly hooks?: QueueHooks;
  readonly clock?: Clock;
  readonly random?: () => number;
}

/** The reason of an interrupted run that waited in vain; only the queue sees it. */
class InterruptedError extends Error {
  constructor() {
    super('the work starts again, because its object has changed');
  }
}

export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #stop = new AbortController();
  /** Keys waiting for a worker, each with the time when it started to wait; in the order of adding. */
  readonly #waiting = new Map<string, number>();
  /** Keys being processed, each with the time when that started. */
  readonly #running = new Map<string, number>();
  /** Keys that released their workers and wait, each with the controller that ends its run. */
  readonly #waits = new Map<string, LinkedAbort>();
  /** Number of running keys that released their workers. */
  #yielded = 0;
  /** Keys whose wait is over, and that need a worker again. */
  readonly #returning: (() => void)[] = [];
  /** Keys added while being processed, with the time of adding. */
  readonly #changed = new Map<string, number>();
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

  /** Starts the workers; keys that were added earlier are processed as well. */
  start(): void {
    this.#isStarted = true;
    this.#next();
  }

  /** Processes a key as soon as possible. */
  add(key: string): void {
    if (this.#isShut) return;
    this.#options.hooks?.added?.();
    const now = this.#clock.now();
    if (this.#running.has(key)) {
      if (!this.#changed.has(key)) this.#changed.set(key, now);
      return;
    }
    if (!this.#waiting.has(key)) this.#waiting.set(key, now);
    this.#next();
  }

  /** Processes a key after this many milliseconds, or sooner if it is scheduled sooner. */
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

  /** Cancels scheduled work for the key and resets its failures; running work continues. */
  forget(key: string): void {
    this.#timers.get(key)?.cancel();
    this.#timers.delete(key);
    this.#failures.delete(key);
    this.#waiting.delete(key);
    this.#changed.delete(key);
  }

  /** Ends the run of a key that has released its worker, because it waits in vain. The key is processed again at once. */
  interrupt(key: string): void {
    this.#waits.get(key)?.abort(new InterruptedError());
  }

  /** Number of keys waiting for a worker. */
  get depth(): number {
    return this.#waiting.size + this.#changed.size;
  }

  /** Number of keys with a worker. */
  get active(): number {
    return this.#running.size - this.#yielded;
  }

  /** How long the running work has taken so far, in seconds: the sum over all keys, and the maximum. */
  get unfinished(): { readonly totalSeconds: number; readonly longestSeconds: number } {
    const now = this.#clock.now();
    const seconds = [...this.#running.values()].map(since => (now - since) / 1_000);
    return { totalSeconds: seconds.reduce((sum, value) => sum + value, 0), longestSeconds: Math.max(0, ...seconds) };
  }

  /** Accepts no further keys, and waits for running work: first for a grace period, then after aborting its signal. */
  async shutDown(graceMs: number): Promise<void> {
    this.#isShut = true;
    for (const { cancel } of this.#timers.values()) cancel();
    this.#timers.clear();
    this.#waiting.clear();
    this.#changed.clear();
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

  async #yieldWorker<T>(key: string, run: LinkedAbort, wait: () => Promise<T>): Promise<T> {
    this.#yielded += 1;
    this.#next();
    this.#waits.set(key, run);
    try {
      return await wait();
    } finally {
      this.#waits.delete(key);
      await new Promise<void>(resolve => {
        this.#returning.push(resolve);
        this.#next();
      });
    }
  }

  async #run(key: string, since: number): Promise<void> {
    const { work, hooks } = this.#options;
    // The next run of the key is scheduled when the current one ends.
    this.#timers.get(key)?.cancel();
    this.#timers.delete(key);
    const start = this.#clock.now();
    this.#running.set(key, start);
    using run = new LinkedAbort([this.#stop.signal]);
    hooks?.started?.((start - since) / 1_000);
    let outcome: 'success' | 'requeue_after' | 'error' = 'success';
    try {
      const requeueAfterMs = await work(key, run.signal, wait => this.#yieldWorker(key, run, wait));
      this.#failures.delete(key);
      if (requeueAfterMs !== undefined) {
        outcome = 'requeue_after';
        this.addAfter(key, Math.max(requeueAfterMs, SHORTEST_AGAIN_MS));
      }
    } catch (error) {
      if (run.signal.reason instanceof InterruptedError) {
        outcome = 'requeue_after';
        this.add(key);
      } else {
        outcome = 'error';
        this.#retry(key, error);
      }
    }
    this.#running.delete(key);
    hooks?.done?.((this.#clock.now() - start) / 1_000, outcome);
    const again = this.#changed.get(key);
    this.#changed.delete(key);
    if (again !== undefined) this.#waiting.set(key, again);
    if (this.#running.size === 0) this.#drained?.();
    this.#next();
  }

  #retry(key: string, error: unknown): void {
    const { onError, retryWithinMs, hooks } = this.#options;
    const failures = (this.#failures.get(key) ?? 0) + 1;
    const delayMs = spread(
      computeBackoffMs(failures, { firstMs: FIRST_RETRY_MS, longestMs: LONGEST_RETRY_MS }),
      this.#random(),
    );
    const retryMs = Math.min(delayMs, Math.max(retryWithinMs?.(error) ?? delayMs, FIRST_RETRY_MS));
    this.#failures.set(key, failures);
    onError(key, error, retryMs);
    hooks?.retried?.();
    this.addAfter(key, retryMs);
  }
}
