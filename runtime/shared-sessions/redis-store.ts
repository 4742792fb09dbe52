import type { Logger } from '../observe/log.ts';
import type { RedisKeys } from '../redis/keys.ts';
import type { Redis } from '../redis/redis.ts';
import { ReplicaBus } from './replica-bus.ts';
import { ADD_EVENT, CHANGE, CLAIM, CREATE, LOAD, SECRET } from './scripts.ts';
import {
  formatSessionKey,
  MAX_SHARED_EVENT_BYTES,
  MAX_SHARED_EVENTS,
  type ReplicaMessage,
  type SessionFields,
  type SharedEvent,
  type SharedSessions,
  StoreAwayError,
} from './store.ts';

/** How many commands for different sessions are sent at the same time, because in a Redis Cluster one command can only name one session. */
const MAX_AT_ONCE = 200;

export interface RedisSessionsOptions {
  readonly redis: Redis;
  /** A separate connection for reads that wait for a message. Its timeout is longer than `BLOCK_MS`. */
  readonly waiting: Redis;
  readonly keys: RedisKeys;
  readonly log: Logger;
}

/** Sessions in Redis. Each has a hash and a stream of events under its own hash tag; each replica has a stream of messages. */
export class RedisSessions implements SharedSessions {
  readonly #redis: Redis;
  readonly #keys: RedisKeys;
  readonly #bus: ReplicaBus;

  constructor({ redis, waiting, keys, log }: RedisSessionsOptions) {
    this.#redis = redis;
    this.#keys = keys;
    this.#bus = new ReplicaBus({ redis, waiting, keys, log });
  }

  get replica(): number {
    return this.#bus.replica;
  }

  get isFresh(): boolean {
    return this.#bus.isFresh;
  }

  async create(id: string, fields: SessionFields, ttlMs: number): Promise<void> {
    await ask(this.#redis.run(CREATE, [this.#record(id)], [ttlMs, ...Object.entries(fields).flat()]));
  }

  async load(id: string, ttlMs: number): Promise<SessionFields | undefined> {
    const pairs = (await ask(this.#redis.run(LOAD, [this.#record(id)], [ttlMs]))) as string[];
    if (pairs.length === 0) return undefined;
    const fields: Record<string, string> = {};
    for (let at = 0; at < pairs.length; at += 2) fields[pairs[at] as string] = pairs[at + 1] as string;
    return fields;
  }

  async change(id: string, fields: Readonly<Record<string, string | null>>): Promise<boolean> {
    // The first argument of the script is the number of fields to remove; their names follow, and then names and values of fields to set.
    const removed = Object.keys(fields).filter(name => fields[name] === null);
    const set = Object.entries(fields).flatMap(([name, value]) => (value === null ? [] : [name, value]));
    const isStored = await ask(this.#redis.run(CHANGE, [this.#record(id)], [removed.length, ...removed, ...set]));
    if (isStored !== 1) return false;
    await this.send('others', { type: 'changed', session: formatSessionKey(id), fields });
    return true;
  }

  async claim(id: string, field: string, value: string, instead: string | undefined): Promise<string | undefined> {
    const claimed = await ask(this.#redis.run(CLAIM, [this.#record(id)], [field, value, instead ?? '']));
    return claimed === null ? undefined : (claimed as string);
  }

  async end(id: string): Promise<boolean> {
    const count = await ask(this.#redis.call('DEL', this.#record(id), this.#formatEventsKey(id)));
    await this.send('others', { type: 'ended', session: formatSessionKey(id) });
    return (count as number) > 0;
  }

  keep(ids: readonly string[], ttlMs: number): Promise<ReadonlySet<string>> {
    return this.#those(ids, id => this.#redis.call('PEXPIRE', this.#record(id), ttlMs));
  }

  existing(ids: readonly string[]): Promise<ReadonlySet<string>> {
    return this.#those(ids, id => this.#redis.call('EXISTS', this.#record(id)));
  }

  async keepEvent(id: string, { stream, position, text }: SharedEvent, ttlMs: number): Promise<void> {
    const limits = [MAX_SHARED_EVENTS, MAX_SHARED_EVENT_BYTES];
    const keys = [this.#formatEventsKey(id), this.#record(id)];
    await ask(this.#redis.run(ADD_EVENT, keys, [...limits, ttlMs, stream, position, text]));
  }

  async events(id: string, stream: string): Promise<readonly SharedEvent[]> {
    const entries = (await ask(this.#redis.call('LRANGE', this.#formatEventsKey(id), 0, -1))) as string[];
    const read: SharedEvent[] = [];
    for (const entry of entries) {
      const [name = '', position = '', ...text] = entry.split('\n');
      if (name === stream) read.push({ stream, position: Number(position), text: text.join('\n') });
    }
    return read;
  }

  send(to: number | 'others', message: Omit<ReplicaMessage, 'from'>): Promise<boolean> {
    return ask(this.#bus.send(to, message));
  }

  async secret(proposed: string): Promise<string> {
    return (await ask(this.#redis.run(SECRET, [this.#keys.formatKey('replicas', '', 'secret')], [proposed]))) as string;
  }

  isAlive(replica: number): Promise<boolean> {
    return ask(this.#bus.isAlive(replica));
  }

  onMessage(listener: (message: ReplicaMessage) => void): void {
    this.#bus.onMessage = listener;
  }

  onGap(listener: () => void): void {
    const { onGap } = this.#bus;
    this.#bus.onGap = () => {
      onGap();
      listener();
    };
  }

  close(): void {
    this.#bus.close();
  }

  async #those(ids: readonly string[], send: (id: string) => Promise<unknown>): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    for (let at = 0; at < ids.length; at += MAX_AT_ONCE) {
      const some = ids.slice(at, at + MAX_AT_ONCE);
      const answers = await ask(Promise.all(some.map(send)));
      for (const [index, answer] of answers.entries()) if (answer === 1) found.add(some[index] as string);
    }
    return found;
  }

  #record(id: string): string {
    return this.#keys.formatKey('session', formatSessionKey(id));
  }

  #formatEventsKey(id: string): string {
    return this.#keys.formatKey('session', formatSessionKey(id), 'events');
  }
}

/** @throws StoreAwayError for every failure of Redis */
async function ask<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw new StoreAwayError(error);
  }
}
