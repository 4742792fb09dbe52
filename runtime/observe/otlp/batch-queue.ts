/** The items that wait for the collector. Their number and size are limited; an item that finds no room is dropped and blocks no other work. */
import type { Delivery } from './delivery.ts';

/** Maximum number of items in one export. */
export const MAX_BATCH = 512;

export interface BatchLimits<T> {
  /** Maximum number of waiting items. */
  readonly maxWaiting: number;
  /** How long an item waits for others that are sent together with it, in milliseconds. */
  readonly delayMs: number;
  /** Limit on the size of all waiting and sent items, when items differ much in size. */
  readonly maxSize?: number;
  readonly measure?: (item: T) => number;
}

export class BatchQueue<T> {
  readonly #delivery: Delivery<T[]>;
  readonly #limits: BatchLimits<T>;
  readonly #waiting: T[] = [];
  #heldSize = 0;
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;

  constructor(delivery: Delivery<T[]>, limits: BatchLimits<T>) {
    this.#delivery = delivery;
    this.#limits = limits;
  }

  /** Number of items that were dropped since the start, because there was no room. */
  get dropped(): number {
    return this.#dropped;
  }

  get size(): number {
    return this.#waiting.length;
  }

  add(item: T): void {
    const { maxWaiting, maxSize = Number.POSITIVE_INFINITY } = this.#limits;
    const size = this.#computeSize(item);
    if (this.#waiting.length >= maxWaiting || this.#heldSize + size > maxSize) {
      this.#dropped++;
      return;
    }
    this.#waiting.push(item);
    this.#heldSize += size;
    this.#sendWhenDue();
  }

  /** Sends all waiting items. */
  async forceFlush(): Promise<void> {
    while (this.#waiting.length > 0 || this.#sending !== undefined) {
      this.#send();
      await this.#sending;
    }
  }

  async shutdown(): Promise<void> {
    await this.forceFlush();
    await this.#delivery.close();
  }

  #sendWhenDue(): void {
    if (this.#waiting.length >= MAX_BATCH) this.#send();
    else if (this.#waiting.length > 0) this.#timer ??= setTimeout(() => this.#send(), this.#limits.delayMs).unref();
  }

  /** Sends one batch at a time, so that a slow collector does not get more. */
  #send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#sending !== undefined || this.#waiting.length === 0) return;
    const batch = this.#waiting.splice(0, MAX_BATCH);
    this.#sending = this.#delivery.send(batch, batch.length).then(() => {
      this.#sending = undefined;
      for (const item of batch) this.#heldSize -= this.#computeSize(item);
      this.#sendWhenDue();
    });
  }

  #computeSize(item: T): number {
    return this.#limits.measure?.(item) ?? 0;
  }
}
