import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '../observe/log.ts';
import type { RedisKeys } from '../redis/keys.ts';
import type { Redis } from '../redis/redis.ts';
import { chooseRandomReplica, MAX_STALE_MS, type ReplicaMessage } from './store.ts';

/** How long a read in Redis waits for a message; a replica's copies of sessions may be this much out of date; milliseconds. */
export const BLOCK_MS = 300;

/** How long a replica that has stopped still counts as alive; milliseconds. */
const ALIVE_MS = 5_000;

/** Pause after a failure; milliseconds. */
const PAUSE_MS = 100;

/** Maximum number of messages in a stream, for one replica or for all. A replica that is further behind loads its sessions again. */
const MAX_WAITING = 10_000;

/** Maximum number of messages in one read of a stream. */
const READ_AT_ONCE = 1_000;

type StreamEntry = readonly [id: string, fields: readonly string[]];

export interface ReplicaBusOptions {
  readonly redis: Redis;
  readonly waiting: Redis;
  readonly keys: RedisKeys;
  readonly log: Logger;
}

/**
 * Passes messages between replicas through streams in Redis: one stream for all replicas, and one for each replica, which expires when the replica
 * stops. A replica reads both streams with a single command, so that it knows when it has read every message.
 */
export class ReplicaBus {
  readonly replica: number = chooseRandomReplica();
  onMessage: (message: ReplicaMessage) => void = () => {};
  onGap: () => void = () => {};
  readonly #redis: Redis;
  readonly #waiting: Redis;
  readonly #keys: RedisKeys;
  readonly #log: Logger;
  readonly #all: string;
  readonly #own: string;
  #isClosed = false;
  /** All messages that were sent before this time have been read; milliseconds of `performance.now`. */
  #readAt = Number.NEGATIVE_INFINITY;
  #aliveAt = Number.NEGATIVE_INFINITY;
  #places: { all: string; own: string } = { all: '0', own: '0' };

  constructor({ redis, waiting, keys, log }: ReplicaBusOptions) {
    this.#redis = redis;
    this.#waiting = waiting;
    this.#keys = keys;
    this.#log = log;
    this.#all = keys.formatKey('replicas', '');
    this.#own = this.#formatInboxKey(this.replica);
    void this.#read();
  }

  get isFresh(): boolean {
    return performance.now() - this.#readAt <= MAX_STALE_MS;
  }

  /** @throws RedisError */
  async send(to: number | 'others', message: Omit<ReplicaMessage, 'from'>): Promise<boolean> {
    const text = JSON.stringify({ ...message, from: this.replica });
    if (to === 'others') {
      await this.#redis.call('XADD', this.#all, 'MAXLEN', '~', MAX_WAITING, '*', 'm', text);
      return true;
    }
    // The stream of a dead replica has expired; `NOMKSTREAM` prevents that this command creates it again.
    const id = await this.#redis.call(
      'XADD',
      this.#formatInboxKey(to),
      'NOMKSTREAM',
      'MAXLEN',
      '~',
      MAX_WAITING,
      '*',
      'm',
      text,
    );
    return id !== null;
  }

  /** @throws RedisError */
  async isAlive(replica: number): Promise<boolean> {
    return (await this.#redis.call('EXISTS', this.#formatInboxKey(replica))) === 1;
  }

  close(): void {
    this.#isClosed = true;
    // Deletes the stream, so that other replicas need not wait until it expires.
    if (this.#redis.isReady) this.#redis.call('DEL', this.#own).catch(() => {});
  }

  async #read(): Promise<void> {
    let isNew = true;
    while (!this.#isClosed) {
      try {
        if (isNew) {
          await this.#join();
          // Messages may have been lost during the interruption, so the replica loads its sessions again.
          this.onGap();
        }
        isNew = false;
        await this.#next();
      } catch (error) {
        if (this.#isClosed) return;
        if (!isNew) this.#log.debug({ reason: (error as Error).message }, 'messages of other replicas cannot be read');
        isNew = true;
        await pause(PAUSE_MS, undefined, { ref: false });
      }
    }
  }

  /** Creates the stream of this replica, and sets the position from which the stream for all replicas is read to its end. */
  async #join(): Promise<void> {
    const [latest] = (await this.#waiting.call('XREVRANGE', this.#all, '+', '-', 'COUNT', 1)) as StreamEntry[];
    const [own] = (await this.#waiting.call('XREVRANGE', this.#own, '+', '-', 'COUNT', 1)) as StreamEntry[];
    if (own === undefined) await this.#waiting.call('XADD', this.#own, '*', 'm', '');
    this.#places = { all: latest?.[0] ?? '0', own: own === undefined ? '0' : this.#places.own };
    this.#aliveAt = Number.NEGATIVE_INFINITY;
  }

  async #next(): Promise<void> {
    const { all, own } = this.#places;
    const askedAt = performance.now();
    if (askedAt - this.#aliveAt > ALIVE_MS / 5) {
      if ((await this.#waiting.call('PEXPIRE', this.#own, ALIVE_MS)) !== 1) throw new Error('the stream is gone');
      this.#aliveAt = askedAt;
    }
    const streams = ['STREAMS', this.#all, this.#own, all, own];
    const read = await this.#waiting.call('XREAD', 'COUNT', READ_AT_ONCE, 'BLOCK', BLOCK_MS, ...streams);
    let count = 0;
    let hasMissed = false;
    for (const [stream, entries] of (read ?? []) as [string, StreamEntry[]][]) {
      count += entries.length;
      for (const [id, fields] of entries) {
        if (stream === this.#all) this.#places.all = id;
        else this.#places.own = id;
        this.#receive(fields[1] ?? '');
      }
      // Other replicas may have sent so many messages that Redis trimmed some before this one read them.
      const location = stream === this.#all ? all : own;
      if (entries.length === READ_AT_ONCE && !(await this.#holds(stream, location))) hasMissed = true;
    }
    if (hasMissed) this.onGap();
    if (count < READ_AT_ONCE) this.#readAt = askedAt;
    if (this.#places.own !== own) await this.#waiting.call('XTRIM', this.#own, 'MINID', this.#places.own);
  }

  /** Whether the message at this position of a stream still exists. If it does, all later messages exist as well. */
  async #holds(stream: string, location: string): Promise<boolean> {
    const found = (await this.#waiting.call('XRANGE', stream, location, location)) as StreamEntry[];
    return found.length > 0;
  }

  #receive(text: string): void {
    if (text === '') return;
    const message = JSON.parse(text) as ReplicaMessage;
    if (message.from === this.replica) return;
    try {
      this.onMessage(message);
    } catch (error) {
      this.#log.error({ err: error, type: message.type }, 'a message of another replica could not be acted on');
    }
  }

  #formatInboxKey(replica: number): string {
    return this.#keys.formatKey('replicas', '', String(replica));
  }
}
