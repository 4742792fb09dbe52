import type { Metric } from '../metrics/metric.ts';

/** How often metrics are sent, unless `OTEL_METRIC_EXPORT_INTERVAL` sets another interval; milliseconds. */
const INTERVAL_MS = 60_000;

/** Sends metrics at intervals, one export at a time. A failed export is not repeated, because the next one has the newer values. */
export class MetricPush {
  readonly #read: () => readonly Metric[];
  readonly #send: (metrics: readonly Metric[]) => Promise<void>;
  readonly #timer: NodeJS.Timeout;
  #sending: Promise<void> | undefined;
  #skipped = 0;

  /** @param intervalMs the value of the environment variable */
  constructor(
    read: () => readonly Metric[],
    send: (metrics: readonly Metric[]) => Promise<void>,
    intervalMs: string | undefined,
  ) {
    this.#read = read;
    this.#send = send;
    const interval = Number(intervalMs);
    this.#timer = setInterval(() => void this.push(), interval >= 1 ? interval : INTERVAL_MS).unref();
  }

  /** Number of exports that were skipped because the previous export was still running. */
  get skipped(): number {
    return this.#skipped;
  }

  async push(): Promise<void> {
    if (this.#sending !== undefined) {
      this.#skipped++;
      return;
    }
    this.#sending = this.#send(this.#read());
    await this.#sending;
    this.#sending = undefined;
  }

  /** Sends the metrics a last time. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#sending;
    await this.push();
  }
}
