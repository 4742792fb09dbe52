import { createFullBucket, type Rate, refill, type TokenBucket } from '#shared/util';
import { type Clock, sleep } from './clock.ts';

/**
 * A first-come-first-served token bucket: `burst` calls at once, then `qps` per second. It protects the API server, in addition to the server's
 * own priority and fairness.
 */
export class RateLimit {
  readonly #clock: Clock;
  readonly #qps: number;
  readonly #rate: Rate;
  /** May be negative: waiting calls have already taken their tokens. */
  readonly #bucket: TokenBucket;

  /** @throws RangeError */
  constructor(qps: number, burst: number, clock: Clock) {
    if (!(qps > 0) || !(burst >= 1)) throw new RangeError(`a rate of ${qps} per second with bursts of ${burst}`);
    this.#clock = clock;
    this.#qps = qps;
    this.#rate = { maxTokens: burst, refillPeriodMs: (burst / qps) * 1_000 };
    this.#bucket = createFullBucket(this.#rate, clock.now());
  }

  /** Resolves when the call may be made. @throws the reason of the signal */
  async take(signal?: AbortSignal): Promise<void> {
    const bucket = this.#bucket;
    refill(bucket, this.#rate, this.#clock.now());
    bucket.tokens -= 1;
    if (bucket.tokens >= 0) return;
    const waitMs = Math.ceil((-bucket.tokens / this.#qps) * 1_000);
    try {
      await sleep(this.#clock, waitMs, signal);
    } catch (error) {
      bucket.tokens += 1;
      throw error;
    }
  }
}
