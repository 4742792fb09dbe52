/** A store in Redis that all replicas of a gateway share. */
import { randomBytes } from 'node:crypto';
import type { Redis, RedisArgument } from '../../redis/redis.ts';
import type { RedisScript } from '../../redis/script.ts';
import { PUT, RELEASE, TAKE, TOUCH, USE } from './scripts.ts';
import {
  type Area,
  type EntryKey,
  type PutOptions,
  type Store,
  type StoredValue,
  StoreUnavailableError,
  type Uses,
} from './store.ts';

/** The first two lines of an unused entry: its number of uses and the time of its first use. Its value follows. */
const UNUSED = '0\n0\n';

export interface RedisStoreOptions {
  /** Closed together with the store. */
  readonly redis: Redis;
  readonly gateway: { readonly namespace: string; readonly name: string };
}

/**
 * Entries are texts with an expiry; groups are sorted sets of entry names, by expiry. All keys of a gateway share one hash tag, so that a Redis
 * Cluster stores them on one node and a script can use several keys.
 */
export class RedisStore implements Store {
  readonly kind = 'redis';
  readonly #redis: Redis;
  readonly #prefix: string;

  constructor({ redis, gateway: { namespace, name } }: RedisStoreOptions) {
    this.#redis = redis;
    this.#prefix = `lintel:auth:{${namespace}:${name}}:`;
  }

  get problem(): string | undefined {
    const { isReady, problem } = this.#redis.health;
    return isReady ? undefined : (problem?.message ?? 'Redis: not connected yet');
  }

  async get(area: Area, name: string): Promise<StoredValue | undefined> {
    return readValue(await this.#ask(() => this.#redis.call('GET', this.#formatKey(area, name))));
  }

  async put(area: Area, name: string, value: StoredValue, { ttlSeconds, group }: PutOptions): Promise<void> {
    // 0 means forever in the script.
    const ttlMs = ttlSeconds === null ? 0 : Math.max(1, ttlSeconds * 1000);
    const now = Date.now();
    const keys = [this.#formatKey(area, name), ...(group === undefined ? [] : [this.#formatGroupKey(group)])];
    const until = ttlMs === 0 ? 'inf' : now + ttlMs;
    await this.#run(PUT, keys, [UNUSED + JSON.stringify(value), ttlMs, now, until, formatMember([area, name])]);
  }

  async take(area: Area, name: string): Promise<StoredValue | undefined> {
    return readValue(await this.#run(TAKE, [this.#formatKey(area, name)], []));
  }

  async use(area: Area, name: string, at: number, since?: number): Promise<Uses | undefined> {
    const found = await this.#run(USE, [this.#formatKey(area, name)], [at, since ?? '']);
    if (found === null) return undefined;
    const [times, firstAt] = found as [string, string];
    return { times: Number(times), firstAt: Number(firstAt) };
  }

  async touch(keys: readonly EntryKey[], ttlSeconds: number, group?: string): Promise<void> {
    const ttlMs = ttlSeconds * 1000;
    const redisKeys = keys.map(([area, name]) => this.#formatKey(area, name));
    await this.#run(
      TOUCH,
      [...redisKeys, ...(group === undefined ? [] : [this.#formatGroupKey(group)])],
      [ttlMs, Date.now() + ttlMs, ...keys.map(formatMember)],
    );
  }

  async delete(area: Area, name: string): Promise<void> {
    await this.#ask(() => this.#redis.call('DEL', this.#formatKey(area, name)));
  }

  async listGroup(group: string, area: Area): Promise<readonly StoredValue[]> {
    const names = (await this.#listMembers(group)).filter(([value]) => value === area);
    if (names.length === 0) return [];
    const texts = await this.#ask(() =>
      this.#redis.call('MGET', ...names.map(([, name]) => this.#formatKey(area, name))),
    );
    return (texts as unknown[]).map(readValue).filter(value => value !== undefined);
  }

  /** An entry that is added between the two commands stays until it expires. This does no harm: without the other entries it cannot be used. */
  async deleteGroup(group: string): Promise<void> {
    const keys = (await this.#listMembers(group)).map(([area, name]) => this.#formatKey(area, name));
    await this.#ask(() => this.#redis.call('DEL', ...keys, this.#formatGroupKey(group)));
  }

  async lock(name: string, ttlMs: number): Promise<(() => Promise<void>) | undefined> {
    const key = `${this.#prefix}lock:${name}`;
    const holder = randomBytes(12).toString('base64url');
    const answer = await this.#ask(() => this.#redis.call('SET', key, holder, 'NX', 'PX', ttlMs));
    if (answer === null) return undefined;
    return async () => void (await this.#run(RELEASE, [key], [holder]));
  }

  close(): void {
    this.#redis.close();
  }

  #formatKey(area: Area, name: string): string {
    return `${this.#prefix}${area}:${name}`;
  }

  #formatGroupKey(group: string): string {
    return `${this.#prefix}group:${group}`;
  }

  async #listMembers(group: string): Promise<readonly EntryKey[]> {
    const members = await this.#ask(() => this.#redis.call('ZRANGE', this.#formatGroupKey(group), 0, -1));
    return (members as string[]).map(parseMember);
  }

  #run(script: RedisScript, keys: readonly string[], args: readonly RedisArgument[]): Promise<unknown> {
    return this.#ask(() => this.#redis.run(script, keys, args));
  }

  /** @throws StoreUnavailableError for every Redis failure */
  async #ask(send: () => Promise<unknown>): Promise<unknown> {
    try {
      return await send();
    } catch (error) {
      throw new StoreUnavailableError((error as Error).message, { cause: error });
    }
  }
}

function readValue(text: unknown): StoredValue | undefined {
  if (typeof text !== 'string') return undefined;
  const [times = '', firstAt = ''] = text.split('\n', 2);
  const value: StoredValue = JSON.parse(text.slice(times.length + firstAt.length + 2));
  return times === '0' ? value : { ...value, consumed: Number(firstAt) };
}

function formatMember([area, name]: EntryKey): string {
  return `${area}:${name}`;
}

/** Names of areas contain no colon. */
function parseMember(member: string): EntryKey {
  const colon = member.indexOf(':');
  return [member.slice(0, colon) as Area, member.slice(colon + 1)];
}
