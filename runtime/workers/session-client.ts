/** The session store as a worker sees it: the sessions are in the memory of the primary process. */
import {
  MAX_STALE_MS,
  type ReplicaMessage,
  type SessionFields,
  type SharedEvent,
  type SharedSessions,
  StoreAwayError,
} from '../shared-sessions/store.ts';
import type { Channel } from './channel.ts';
import type { PrimaryHandlers, SessionMethod } from './messages.ts';

/** Time limit for an answer of the primary; milliseconds. */
const ANSWER_MS = 1_000;

/** How often the worker checks that it has received all messages of the primary; milliseconds. */
const TICK_MS = MAX_STALE_MS / 4;

export class SessionClient implements SharedSessions {
  readonly replica: number;
  readonly #primary: Channel<PrimaryHandlers>;
  readonly #timer: NodeJS.Timeout;
  #onMessage: (message: ReplicaMessage) => void = () => {};
  /** Last time at which all messages that the primary had sent before had certainly arrived; milliseconds of `performance.now`. */
  #currentAt = Number.NEGATIVE_INFINITY;
  #isAsking = false;

  constructor(replica: number, primary: Channel<PrimaryHandlers>) {
    this.replica = replica;
    this.#primary = primary;
    this.#timer = setInterval(() => void this.#tick(), TICK_MS).unref();
    void this.#tick();
  }

  get isFresh(): boolean {
    return performance.now() - this.#currentAt <= MAX_STALE_MS;
  }

  async create(id: string, fields: SessionFields, ttlMs: number): Promise<void> {
    await this.#ask('create', id, fields, ttlMs);
  }

  load(id: string, ttlMs: number): Promise<SessionFields | undefined> {
    return this.#ask('load', id, ttlMs);
  }

  change(id: string, fields: Readonly<Record<string, string | null>>): Promise<boolean> {
    return this.#ask('change', id, fields);
  }

  claim(id: string, field: string, value: string, instead: string | undefined): Promise<string | undefined> {
    return this.#ask('claim', id, field, value, instead);
  }

  end(id: string): Promise<boolean> {
    return this.#ask('end', id);
  }

  async keep(ids: readonly string[], ttlMs: number): Promise<ReadonlySet<string>> {
    return new Set(await this.#ask<string[]>('keep', ids, ttlMs));
  }

  async existing(ids: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set(await this.#ask<string[]>('existing', ids));
  }

  async keepEvent(id: string, event: SharedEvent, ttlMs: number): Promise<void> {
    await this.#ask('keepEvent', id, event, ttlMs);
  }

  events(id: string, stream: string): Promise<readonly SharedEvent[]> {
    return this.#ask('events', id, stream);
  }

  secret(proposed: string): Promise<string> {
    return this.#ask('secret', proposed);
  }

  send(to: number | 'others', message: Omit<ReplicaMessage, 'from'>): Promise<boolean> {
    return this.#ask('send', to, message);
  }

  isAlive(replica: number): Promise<boolean> {
    return this.#ask('isAlive', replica);
  }

  onMessage(listener: (message: ReplicaMessage) => void): void {
    this.#onMessage = listener;
  }

  /** Does nothing: no message is lost, because messages of the primary arrive in order, or this process ends. */
  onGap(): void {}

  receive(message: ReplicaMessage): void {
    this.#onMessage(message);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #tick(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    const askedAt = performance.now();
    try {
      await this.#primary.ask('tick', null);
      this.#currentAt = askedAt;
    } catch {
      // The primary has exited, so this process exits as well.
    } finally {
      this.#isAsking = false;
    }
  }

  async #ask<T>(method: SessionMethod, ...args: unknown[]): Promise<T> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error('no answer in time')), ANSWER_MS);
    try {
      return (await Promise.race([this.#primary.ask('session', { method, args }), late])) as T;
    } catch (error) {
      throw new StoreAwayError(error);
    } finally {
      clearTimeout(timer);
    }
  }
}
