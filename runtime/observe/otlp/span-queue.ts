/** Spans on their way to the collector. */
import type { ReadableSpan, SpanProcessor } from '@opentelemetry/sdk-trace';
import { BatchQueue } from './batch-queue.ts';
import type { Delivery } from './delivery.ts';

/** Limit on spans that wait. With the batch that is under way, and at most 64 attributes of 256 characters, they take 40 MB at worst. */
export const MAX_WAITING_SPANS = 2_048;

const DELAY_MS = 5_000;

export class SpanQueue extends BatchQueue<ReadableSpan> implements SpanProcessor {
  constructor(delivery: Delivery<ReadableSpan[]>) {
    super(delivery, { maxWaiting: MAX_WAITING_SPANS, delayMs: DELAY_MS });
  }

  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    this.add(span);
  }
}
