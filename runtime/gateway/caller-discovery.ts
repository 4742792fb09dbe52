/**
 * What a backend offers that answers callers only: it is asked in the name of a caller that wants to know. The answer serves
 * all callers, like that of a health check; whether one of them may call what it names is for policies and the backend to say.
 */
import type { Logger } from '../observe/log.ts';
import { BackendError, type BackendSession } from './backend/backend.ts';
import type { BackendMonitor } from './monitor.ts';
import type { Sender } from './sender.ts';

/** Between two questions that callers or the backend give rise to; milliseconds. */
const PAUSE_MS = 250;

export interface CallerDiscoveryOptions {
  readonly monitor: Pick<BackendMonitor, 'asksCallers' | 'learnIn' | 'limits'>;
  readonly log: Logger;
  /** A session on behalf of a caller; the monitor ends it. */
  openSession(sender: Sender): BackendSession;
}

export class CallerDiscovery {
  readonly #options: CallerDiscoveryOptions;
  #learnedAt: number | undefined;
  #triedAt = Number.NEGATIVE_INFINITY;
  /** The backend has said since that something changed. */
  #isStale = false;
  #learning: Promise<BackendError | undefined> | undefined;

  constructor(options: CallerDiscoveryOptions) {
    this.#options = options;
  }

  /** Nobody has learnt yet what there is. */
  get isPending(): boolean {
    return this.#learnedAt === undefined && this.#options.monitor.asksCallers;
  }

  /**
   * Resolves when it is known what the backend offers, or when it has refused this caller, with the reason. What is known but
   * old is learnt again meanwhile.
   */
  async learn(sender: Sender): Promise<BackendError | undefined> {
    if (!this.isPending) {
      this.refresh(sender);
      return undefined;
    }
    // What another caller is refused says nothing about this one.
    while (this.#learning !== undefined) if ((await this.#learning) === undefined) return undefined;
    return this.isPending ? this.#ask(sender) : undefined;
  }

  /** Learns again, in the background, what is known but old. */
  refresh(sender: Sender): void {
    const { monitor } = this.#options;
    if (this.#learnedAt === undefined || this.#learning !== undefined || !monitor.asksCallers) return;
    const now = performance.now();
    const isDue = this.#isStale || now - this.#learnedAt > monitor.limits.intervalMs;
    if (isDue && now - this.#triedAt > PAUSE_MS) void this.#ask(sender);
  }

  /** The backend has told this caller that a list changed. */
  changed(sender: Sender): void {
    this.#isStale = true;
    this.refresh(sender);
  }

  #ask(sender: Sender): Promise<BackendError | undefined> {
    this.#learning ??= this.#learn(sender).finally(() => {
      this.#learning = undefined;
    });
    return this.#learning;
  }

  async #learn(sender: Sender): Promise<BackendError | undefined> {
    const { monitor, log, openSession } = this.#options;
    this.#triedAt = performance.now();
    this.#isStale = false;
    try {
      await monitor.learnIn(openSession(sender));
      this.#learnedAt = performance.now();
      return undefined;
    } catch (error) {
      const { message, reason } = error as BackendError;
      log.debug({ reason }, `${message}; what it offers was not learnt in the name of a caller`);
      return error instanceof BackendError ? error : undefined;
    }
  }
}
