import { Histogram } from '../../observe/metrics/histogram.ts';
import { type RedisError, toRedisError } from '../../redis/redis-error.ts';
import type { Limit, LimitOperation, LimitScope } from './limit.ts';

/** Bounds of the durations of checks, in seconds. A check takes one round trip. */
const CHECK_BOUNDS: readonly number[] = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1];

/** The outcomes of calls since the start of the process. */
export class LimitCounts {
  /** How long Redis took for its decisions. */
  readonly checkSeconds: Histogram = new Histogram(CHECK_BOUNDS);
  readonly #rejectedBy = new Map<string, { readonly limit: Limit; count: number }>();
  readonly #redisErrors = new Map<RedisError['reason'], number>();
  #allowed = 0;
  #failedOpen = 0;
  #failure: RedisError | undefined;
  #isFailingOpen = false;

  get allowed(): number {
    return this.#allowed;
  }

  get rejected(): number {
    let rejected = 0;
    for (const { count } of this.#rejectedBy.values()) rejected += count;
    return rejected;
  }

  /** Calls that the gateway allowed because Redis did not answer. */
  get failedOpen(): number {
    return this.#failedOpen;
  }

  /** The reason of the latest failure. */
  get failure(): RedisError | undefined {
    return this.#failure;
  }

  /** Whether Redis has not answered since the latest failure. */
  get isFailingOpen(): boolean {
    return this.#isFailingOpen;
  }

  get redisErrors(): ReadonlyMap<RedisError['reason'], number> {
    return this.#redisErrors;
  }

  /**
   * The number of calls that a limit rejected.
   * @param key of a limit
   */
  countRejectionsOf(key: string): number {
    return this.#rejectedBy.get(key)?.count ?? 0;
  }

  /** Rejections by the scope of the limit. */
  *listRejections(): Iterable<{
    readonly scope: LimitScope;
    readonly operation: LimitOperation;
    readonly count: number;
  }> {
    for (const scope of ['shared', 'per_user'] as const) {
      for (const operation of ['server', 'tool'] as const) {
        let count = 0;
        for (const { limit, count: more } of this.#rejectedBy.values()) {
          if (limit.scope === scope && limit.operation === operation) count += more;
        }
        yield { scope, operation, count };
      }
    }
  }

  allow(): void {
    this.#allowed++;
  }

  reject(limit: Limit): void {
    const known = this.#rejectedBy.get(limit.key);
    if (known === undefined) this.#rejectedBy.set(limit.key, { limit, count: 1 });
    else known.count++;
  }

  failOpen(cause: unknown): RedisError {
    const error = toRedisError(cause);
    this.#redisErrors.set(error.reason, (this.#redisErrors.get(error.reason) ?? 0) + 1);
    this.#failedOpen++;
    this.#failure = error;
    this.#isFailingOpen = true;
    return error;
  }

  answeredAgain(): void {
    this.#isFailingOpen = false;
  }
}
