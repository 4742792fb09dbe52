/** Sends items to a collector, and counts the outcomes. */
import type { Logger } from '../log.ts';

export interface Exporter<T> {
  export(items: T, done: (result: { readonly code: number; readonly error?: Error }) => void): void;
  shutdown(): Promise<void>;
}

export type Signal = 'traces' | 'metrics' | 'logs';

/** The code with which the SDK reports a successful export. */
const SUCCESS = 0;

/** Maximum length of the collector's error message in the log, in characters. */
const MAX_MESSAGE = 200;

export interface DeliveryOptions<T> {
  readonly signal: Signal;
  readonly log: Logger;
  /** The exporter for the current headers and certificate authorities; the same object while these are unchanged. */
  exporter(): Promise<Exporter<T>>;
}

export class Delivery<T> {
  readonly #options: DeliveryOptions<T>;
  #exporter: Exporter<T> | undefined;
  #sent = 0;
  #failed = 0;
  #isFailing = false;

  constructor(options: DeliveryOptions<T>) {
    this.#options = options;
  }

  /** Items that the collector accepted since the start. */
  get sent(): number {
    return this.#sent;
  }

  /** Items that the collector did not accept; they are lost. */
  get failed(): number {
    return this.#failed;
  }

  /** Sends items. Never rejects: a failure is counted and logged. */
  async send(items: T, count: number): Promise<void> {
    try {
      await this.#export(items);
      this.#sent += count;
      if (this.#isFailing)
        this.#options.log.info({ signal: this.#options.signal }, 'the collector accepts telemetry again');
      this.#isFailing = false;
    } catch (error) {
      this.#failed += count;
      // Logs one line for each outage, not for each export.
      if (!this.#isFailing) {
        const cause = (error as Error).message.slice(0, MAX_MESSAGE);
        this.#options.log.warn(
          { signal: this.#options.signal },
          `the collector does not accept ${this.#options.signal}, which are dropped: ${cause}`,
        );
      }
      this.#isFailing = true;
    }
  }

  async close(): Promise<void> {
    await this.#exporter?.shutdown().catch(() => {});
  }

  async #export(items: T): Promise<void> {
    const exporter = await this.#options.exporter();
    if (this.#exporter !== undefined && this.#exporter !== exporter) void this.#exporter.shutdown().catch(() => {});
    this.#exporter = exporter;
    await new Promise<void>((resolve, reject) => {
      exporter.export(items, ({ code, error }) => {
        if (code === SUCCESS) resolve();
        else reject(error ?? new Error('no reason was given'));
      });
    });
  }
}
