/** The queue of spans that wait for the collector. */
import type { ReadableSpan, SpanProcessor } from '@opentelemetry/sdk-trace';
import { BatchQueue } from './batch-queue.ts';
import type { Delivery } from './delivery.ts';

/** Maximum number of waiting spans. With the batch that is being sent, and at most 64 attributes of 256 characters each, they need at most 40 MB. */
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
