export interface BatchOptions {
  /** So many items do not wait for more. */
  readonly size: number;
  /** So long an item may wait for others, in milliseconds. */
  readonly waitMs: number;
}

/**
 * Items that are worked on several at a time. Work that is done for one item alone, between other work, finds its code out of the
 * processor's caches each time, and takes several times as long.
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
