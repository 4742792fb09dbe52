/** Token buckets that replicas share. */
import { hash } from 'node:crypto';
import type { GatewayBundle, RateLimitStorePlan } from '#schemas';
import type { Logger } from '../../observe/log.ts';
import { RedisKeys } from '../../redis/keys.ts';
import { Redis } from '../../redis/redis.ts';
import type { RedisScript } from '../../redis/script.ts';
import type { TokenBuckets } from './buckets.ts';
import type { Limit } from './limit.ts';
import { TAKE } from './take-script.ts';

/** The longest wait for the first connection to Redis; milliseconds. */
const START_MS = 5_000;

export class RedisBuckets implements TokenBuckets {
  readonly redis: Redis;
  readonly #keys: RedisKeys;
  /** All buckets of a gateway have one hash tag, so that one script can use several. */
  readonly #tag: string;
  readonly #script: RedisScript;
  /** Prefixes of Redis keys, by limit. */
  #prefixes: ReadonlyMap<Limit, string> = new Map();

  /**
   * Connects, and waits until Redis answers.
   *
   * @throws SecretError, RedisError
   */
  static async open(
    { redis: plan, keyPrefix }: RateLimitStorePlan,
    gateway: Pick<GatewayBundle, 'namespace' | 'name'>,
    log: Logger,
  ): Promise<RedisBuckets> {
    const redis = new Redis(plan, { log, use: 'rate limits' });
    try {
      await redis.ready(START_MS);
    } catch (error) {
      redis.close();
      throw error;
    }
    return new RedisBuckets(redis, new RedisKeys(keyPrefix, gateway), `${gateway.namespace}:${gateway.name}`);
  }

  /** @param script the script that takes tokens; tests use one with a clock of their own */
  constructor(redis: Redis, keys: RedisKeys, tag: string, script: RedisScript = TAKE) {
    this.redis = redis;
    this.#keys = keys;
    this.#tag = tag;
    this.#script = script;
  }

  async take(limits: readonly Limit[], user = ''): Promise<number> {
    const digest = user === '' ? '' : hash('sha256', user, 'base64url');
    const keys: string[] = [];
    const args: number[] = [];
    for (const limit of limits) {
      const prefix = this.#prefixes.get(limit) as string;
      // A digest of the caller: Redis must not store the names that an identity provider gives to people, which can also be long.
      keys.push(limit.scope === 'per_user' ? `${prefix}:${digest}` : prefix);
      args.push(limit.maxTokens, limit.refillPeriodMs * 1_000);
    }
    return Number(await this.redis.run(this.#script, keys, args));
  }

  use(limits: readonly Limit[]): void {
    this.#prefixes = new Map(limits.map(limit => [limit, this.#keys.formatKey('limits', this.#tag, limit.key)]));
  }

  close(): void {
    this.redis.close();
  }
}
