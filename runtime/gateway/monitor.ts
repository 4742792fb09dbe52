/**
 * Keeps one backend known: what it offers and how it is. Lists are read at the start, at every health interval and whenever
 * the backend says that they changed. The only writer of a backend's health; lists, `/status` and routing read it here.
 */
import type { OperationalPlan } from '#schemas';
import type { Logger } from '../observe/log.ts';
import { BackendError, type BackendFailure, type BackendSession } from './backend/backend.ts';
import { messageKind } from './backend/message-kind.ts';
import { type Capabilities, KINDS, NO_CAPABILITIES } from './capabilities.ts';
import { readCapabilities } from './read-capabilities.ts';

/** `ready` and `degraded` serve; `unknown` has never answered. */
export type BackendStatus = 'ready' | 'degraded' | 'unavailable' | 'unauthenticated' | 'unknown';

export interface BackendHealth {
  readonly status: BackendStatus;
  /** Why the last probe failed; empty after a success. */
  readonly message: string;
  readonly reason: BackendFailure | null;
  /** ISO 8601, or null before the first probe ended. */
  readonly lastCheck: string | null;
  readonly consecutiveFailures: number;
  /** The MCP revision that the backend answered with, or null. */
  readonly mcpRevision: string | null;
}

/** A probe slower than this marks the backend as degraded; milliseconds. */
const SLOW_PROBE_MS = 5_000;

/** A backend that is away is looked for after this long, then twice as long, up to the health interval; milliseconds. */
const FIRST_RETRY_MS = 500;

/** Notifications that arrive together cause one reading; milliseconds. */
const CHANGE_SETTLE_MS = 20;

const CHANGE_METHODS = new Set(KINDS.map(traits => traits.changedMethod));

export interface MonitorOptions {
  readonly backend: string;
  readonly health: OperationalPlan['health'];
  readonly log: Logger;
  openSession(): BackendSession;
  /** Called after the offer or the status changed. */
  onChange(): void;
}

export class BackendMonitor {
  readonly #backend: string;
  #capabilities: Capabilities = NO_CAPABILITIES;
  #health: BackendHealth = {
    status: 'unknown',
    message: 'not checked yet',
    reason: null,
    lastCheck: null,
    consecutiveFailures: 0,
    mcpRevision: null,
  };
  readonly #options: MonitorOptions;
  readonly #stop = new AbortController();
  #session: BackendSession | undefined;
  #timer: NodeJS.Timeout | undefined;
  #probing: Promise<void> | undefined;
  #again = false;
  #firstProbe: Promise<void> = Promise.resolve();

  constructor(options: MonitorOptions) {
    this.#backend = options.backend;
    this.#options = options;
  }

  get capabilities(): Capabilities {
    return this.#capabilities;
  }

  get health(): BackendHealth {
    return this.#health;
  }

  get available(): boolean {
    return this.#health.status === 'ready' || this.#health.status === 'degraded';
  }

  start(): void {
    this.#firstProbe = this.check();
  }

  /** Resolves when the first probe has ended, well or not. */
  get settled(): Promise<void> {
    return this.#firstProbe;
  }

  /** Probes now. A probe under way is followed by one more, so that nothing said in between is missed. */
  check(): Promise<void> {
    if (this.#probing !== undefined) {
      this.#again = true;
      return this.#probing;
    }
    clearTimeout(this.#timer);
    this.#probing = this.#probeUntilCurrent().finally(() => {
      this.#probing = undefined;
      this.#schedule(this.#nextProbeMs());
    });
    return this.#probing;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#timer);
    await this.#session?.close();
  }

  async #probeUntilCurrent(): Promise<void> {
    do {
      this.#again = false;
      await this.#probe();
    } while (this.#again && !this.#stop.signal.aborted);
  }

  async #probe(): Promise<void> {
    const { health, log } = this.#options;
    const startedAt = performance.now();
    const limit = AbortSignal.timeout(health.timeoutMs);
    try {
      const session = this.#openSession();
      const signal = AbortSignal.any([limit, this.#stop.signal]);
      const capabilities = await abortable(readCapabilities(this.#backend, session, signal), signal);
      const { protocolVersion } = await session.open();
      this.#succeeded(capabilities, protocolVersion, performance.now() - startedAt);
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      await this.#dropSession();
      const failure = limit.aborted
        ? new BackendError(this.#backend, 'timeout', `did not answer the health check within ${health.timeoutMs} ms`)
        : asBackendError(this.#backend, error);
      this.#failed(failure);
      log.warn(
        { backend: this.#backend, reason: failure.reason, failures: this.#health.consecutiveFailures },
        failure.message,
      );
    }
  }

  #openSession(): BackendSession {
    if (this.#session === undefined) {
      const session = this.#options.openSession();
      session.listen(json => this.#heard(json));
      this.#session = session;
    }
    return this.#session;
  }

  /** A session that failed a probe may be half-dead: the next probe starts from `initialize`. */
  async #dropSession(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    await session?.close();
  }

  #succeeded(capabilities: Capabilities, mcpRevision: string, tookMs: number): void {
    const before = this.#health;
    const recovering = before.status === 'unavailable' || before.status === 'unauthenticated';
    const status = tookMs > SLOW_PROBE_MS || recovering ? 'degraded' : 'ready';
    const message =
      status === 'ready'
        ? ''
        : recovering
          ? 'recovered; one more check confirms it'
          : `answered in ${Math.round(tookMs)} ms`;
    this.#capabilities = capabilities;
    this.#update({ status, message, reason: null, consecutiveFailures: 0, mcpRevision });
    if (before.status !== status) this.#options.log.info({ backend: this.#backend, status }, `backend is ${status}`);
  }

  /** Until the threshold the last known state holds: one lost probe must not make tools vanish. */
  #failed(error: BackendError): void {
    const consecutiveFailures = this.#health.consecutiveFailures + 1;
    const { status: before, mcpRevision } = this.#health;
    const status =
      error.reason === 'unauthenticated'
        ? 'unauthenticated'
        : consecutiveFailures >= this.#options.health.unhealthyThreshold
          ? 'unavailable'
          : before;
    this.#update({ status, message: error.message, reason: error.reason, consecutiveFailures, mcpRevision });
  }

  #update(health: Omit<BackendHealth, 'lastCheck'>): void {
    this.#health = { ...health, lastCheck: new Date().toISOString() };
    this.#options.onChange();
  }

  #nextProbeMs(): number {
    const { intervalMs } = this.#options.health;
    const { consecutiveFailures, message } = this.#health;
    const base =
      consecutiveFailures > 0
        ? FIRST_RETRY_MS * 2 ** (consecutiveFailures - 1)
        : message !== ''
          ? FIRST_RETRY_MS * 4
          : intervalMs;
    // Spread the probes of many gateways over the interval instead of in step.
    return Math.min(base, intervalMs) * (0.9 + Math.random() * 0.2);
  }

  #schedule(delayMs: number): void {
    clearTimeout(this.#timer);
    if (this.#stop.signal.aborted) return;
    this.#timer = setTimeout(() => void this.check(), delayMs);
    this.#timer.unref();
  }

  #heard(json: string): void {
    const message = messageKind(Buffer.from(json));
    if (message?.type !== 'notification' || !CHANGE_METHODS.has(message.method)) return;
    if (this.#probing === undefined) this.#schedule(CHANGE_SETTLE_MS);
    else this.#again = true;
  }
}

/** Awaiting something that does not know the signal must still end with it. */
async function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  // The loser of the race must not surface as an unhandled rejection.
  work.catch(() => {});
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function asBackendError(backend: string, error: unknown): BackendError {
  if (error instanceof BackendError) return error;
  return new BackendError(backend, 'protocol_error', error instanceof Error ? error.message : String(error));
}
