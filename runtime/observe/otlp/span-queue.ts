/** Spans on their way to the collector: bounded in number, and dropped rather than waited for. */
import type { ReadableSpan, SpanProcessor } from '@opentelemetry/sdk-trace';
import type { Delivery } from './delivery.ts';

/** Ceiling on spans that wait. With the batch that is under way, and at most 64 attributes of 256 characters, they take 40 MB at worst. */
export const MAX_WAITING_SPANS = 2_048;

/** Spans of one export. */
export const MAX_BATCH = 512;

/** Longest wait of a span for others, in milliseconds. */
const DELAY_MS = 5_000;

export class SpanQueue implements SpanProcessor {
  readonly #delivery: Delivery<ReadableSpan[]>;
  readonly #waiting: ReadableSpan[] = [];
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;

  constructor(delivery: Delivery<ReadableSpan[]>) {
    this.#delivery = delivery;
  }

  /** Spans that found no room, since the start. */
  get dropped(): number {
    return this.#dropped;
  }

  get size(): number {
    return this.#waiting.length;
  }

  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    if (this.#waiting.length >= MAX_WAITING_SPANS) {
      this.#dropped++;
      return;
    }
    this.#waiting.push(span);
    if (this.#waiting.length >= MAX_BATCH) this.#send();
    else this.#timer ??= setTimeout(() => this.#send(), DELAY_MS).unref();
  }

  /** Sends all that waits. */
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

  /** One batch at a time: a collector that is slow gets no more for it. */
  #send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#sending !== undefined || this.#waiting.length === 0) return;
    const batch = this.#waiting.splice(0, MAX_BATCH);
    this.#sending = this.#delivery.send(batch, batch.length).then(() => {
      this.#sending = undefined;
      if (this.#waiting.length >= MAX_BATCH) this.#send();
      else if (this.#waiting.length > 0) this.#timer ??= setTimeout(() => this.#send(), DELAY_MS).unref();
    });
  }
}
