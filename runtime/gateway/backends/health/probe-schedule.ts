import { computeBackoffMs } from '#shared/util';
import type { BackendHealth } from './backend-health.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import { RefreshBackoff } from './refresh-backoff.ts';

/** The gateway probes an unavailable backend again after this time, then after twice the time, up to the health interval; milliseconds. */
const FIRST_RETRY_MS = 500;

/** Notifications that arrive together cause one probe; milliseconds. */
const CHANGE_SETTLE_MS = 20;

export interface ProbeScheduleOptions {
  readonly probe: () => void;
  readonly health: () => BackendHealth;
  readonly intervalMs: () => number;
  readonly circuit: CircuitBreaker | undefined;
}

/** Computes when the next probe begins: at the interval, sooner when there is a reason, and later when the lists are large or change often. */
export class ProbeSchedule {
  readonly pause: RefreshBackoff = new RefreshBackoff();
  readonly #options: ProbeScheduleOptions;
  #timer: NodeJS.Timeout | undefined;
  #isProbing = false;
  #probedAt = Number.NEGATIVE_INFINITY;
  /** The time when the scheduled probe begins. */
  #dueAt = Number.POSITIVE_INFINITY;
  /** Whether there is a reason for a probe before the next one is due, and no probe has begun since that reason. */
  #isRequested = false;
  #isStopped = false;

  constructor(options: ProbeScheduleOptions) {
    this.#options = options;
  }

  /** Called when a probe begins. */
  begun(): void {
    clearTimeout(this.#timer);
    this.#isRequested = false;
    this.#isProbing = true;
  }

  ended(): void {
    this.#isProbing = false;
    this.#probedAt = performance.now();
    const nextMs = this.#computeNextProbeMs();
    this.#schedule(this.#isRequested ? Math.min(this.pause.ms, nextMs) : nextMs);
  }

  /** Schedules a probe before the next one is due, but not before the pause after the last one has passed. */
  soon(): void {
    if (this.#isRequested) return;
    this.#isRequested = true;
    if (this.#isProbing) return;
    const now = performance.now();
    const waitMs = Math.max(CHANGE_SETTLE_MS, this.#probedAt + this.pause.ms - now);
    this.#schedule(Math.min(waitMs, this.#dueAt - now));
  }

  /** Schedules the next probe for the time that the interval and the circuit permit. */
  whenDue(): void {
    this.#isRequested = false;
    this.#schedule(this.#computeNextProbeMs());
  }

  /** Called when the interval has changed. */
  reconfigured(): void {
    if (this.#isProbing) return;
    const nextMs = this.#computeNextProbeMs();
    this.#schedule(this.#isRequested ? Math.min(this.#dueAt - performance.now(), nextMs) : nextMs);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #computeNextProbeMs(): number {
    const intervalMs = this.#options.intervalMs();
    const waitMs = this.#options.circuit?.waitMs ?? 0;
    // A probe after that time finds the circuit half-open.
    if (waitMs > 0) return waitMs;
    const { consecutiveFailures, message, reason } = this.#options.health();
    const isRecovering = message !== '' && reason === null;
    const wellMs = isRecovering ? FIRST_RETRY_MS * 4 : intervalMs;
    const baseMs =
      consecutiveFailures > 0
        ? computeBackoffMs(consecutiveFailures, { firstMs: FIRST_RETRY_MS, longestMs: intervalMs })
        : wellMs;
    // Spreads the probes of many gateways over the interval.
    return Math.min(baseMs, intervalMs) * (0.9 + Math.random() * 0.2);
  }

  #schedule(delayMs: number): void {
    clearTimeout(this.#timer);
    if (this.#isStopped) return;
    // The gateway sends no probe while the circuit is open.
    const waitMs = Math.max(delayMs, this.#options.circuit?.waitMs ?? 0);
    this.#dueAt = performance.now() + waitMs;
    this.#timer = setTimeout(this.#options.probe, waitMs);
    this.#timer.unref();
  }
}
