import { type RedisError, redisErrorOf } from '../../redis/redis-error.ts';
import type { Limit, LimitOperation, LimitScope } from './limit.ts';

/** What became of calls, since the start of the process. */
export class LimitCounts {
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

  /** Calls that were let through because Redis did not answer. */
  get failedOpen(): number {
    return this.#failedOpen;
  }

  /** Why the latest of them was. */
  get failure(): RedisError | undefined {
    return this.#failure;
  }

  /** Redis has not answered since. */
  get isFailingOpen(): boolean {
    return this.#isFailingOpen;
  }

  get redisErrors(): ReadonlyMap<RedisError['reason'], number> {
    return this.#redisErrors;
  }

  /** @param key of a limit */
  rejectedBy(key: string): number {
    return this.#rejectedBy.get(key)?.count ?? 0;
  }

  /** Rejections by what the limit is of. */
  *rejections(): Iterable<{ readonly scope: LimitScope; readonly operation: LimitOperation; readonly count: number }> {
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
    const error = redisErrorOf(cause);
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
