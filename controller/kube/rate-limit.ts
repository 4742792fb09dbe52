import { type Clock, sleep } from './clock.ts';

/**
 * A token bucket in the order of asking: `burst` calls at once, then `qps` in a second. It protects the API server from us; its own
 * priority and fairness does the same from the other side.
 */
export class RateLimit {
  readonly #clock: Clock;
  readonly #qps: number;
  readonly #burst: number;
  /** May be negative: calls that wait have taken theirs already. */
  #tokens: number;
  #asOf: number;

  /** @throws RangeError */
  constructor(qps: number, burst: number, clock: Clock) {
    if (!(qps > 0) || !(burst >= 1)) throw new RangeError(`a rate of ${qps} per second with bursts of ${burst}`);
    this.#clock = clock;
    this.#qps = qps;
    this.#burst = burst;
    this.#tokens = burst;
    this.#asOf = clock.now();
  }

  /** Resolves when the call may be made. @throws the reason of the signal */
  async take(signal?: AbortSignal): Promise<void> {
    const now = this.#clock.now();
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#asOf) / 1_000) * this.#qps);
    this.#asOf = now;
    this.#tokens -= 1;
    if (this.#tokens >= 0) return;
    const waitMs = Math.ceil((-this.#tokens / this.#qps) * 1_000);
    try {
      await sleep(this.#clock, waitMs, signal);
    } catch (error) {
      this.#tokens += 1;
      throw error;
    }
  }
}
