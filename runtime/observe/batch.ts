export interface BatchOptions {
  /** A batch of this size does not wait for more items. */
  readonly size: number;
  /** How long an item may wait for others, in milliseconds. */
  readonly waitMs: number;
}

/**
 * Processes items several at a time. If each item were processed alone, between other work, the code would not be in the processor's caches, which
 * makes it several times slower.
 */
export class Batch<T> {
  readonly #work: (item: T) => void;
  readonly #options: BatchOptions;
  #waiting: T[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** @param work called for each item, in the order of their arrival; must not throw */
  constructor(work: (item: T) => void, options: BatchOptions) {
    this.#work = work;
    this.#options = options;
  }

  add(item: T): void {
    this.#waiting.push(item);
    if (this.#waiting.length >= this.#options.size) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), this.#options.waitMs).unref();
  }

  /** Processes all waiting items. An owner that ends calls it, because the timer does not keep the process alive. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const items = this.#waiting;
    this.#waiting = [];
    for (const item of items) this.#work(item);
  }
}
