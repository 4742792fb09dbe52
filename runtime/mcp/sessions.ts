import { randomUUID } from 'node:crypto';
import { ANONYMOUS } from '../auth/identity.ts';
import type { SharedEvent } from '../shared-sessions/store.ts';
import { ConnectionLimit } from './connection-limit.ts';
import { EndedStreams } from './ended-streams.ts';
import { LiveSession } from './live-session.ts';
import { ReplayStore } from './replay-store.ts';
import { WIRE_CODE, WireError } from './wire-error.ts';

/** How long a stream whose connection broke waits for its client; its call continues meanwhile. 5 minutes. */
export const RESUME_WINDOW_MS: number = 5 * 60_000;

/** How long a session lives after its last use: 30 minutes. */
export const SESSION_TTL_MS: number = 30 * 60_000;

export interface SessionStoreOptions<S> {
  /** How long a session lives after its last use, in milliseconds. Default 30 minutes. */
  readonly ttlMs?: number;
  /** Maximum number of sessions; one holder (a caller or an address) gets at most half of them. Default 10,000. */
  readonly maxSessions?: number;
  /** Pause between sweeps for expired sessions, in milliseconds. Default: a tenth of the lifetime, at most a minute. */
  readonly sweepMs?: number;
  /** How long a broken event stream waits for its client, in milliseconds. Default 5 minutes. */
  readonly resumeWindowMs?: number;
  /** The store that counts the events that are kept for reconnecting clients. Default: {@link ReplayStore} with its limit. */
  readonly replayStore?: ReplayStore;
  /** A monotonic clock in milliseconds. Default `performance.now`. */
  readonly now?: () => number;
  /**
   * Whether other replicas serve the same sessions. Then this replica only has copies of the sessions in the shared store, and drops a copy that is
   * not used. A session lives as long as the shared store keeps it, which `LiveSession.keptMs` records. Default: false.
   */
  readonly isShared?: boolean;
  /** The number of the first stream of a session. Default 1. */
  readonly firstStream?: number;
  /** Called for each session that is ended by `LiveSession.close`, before `onClose`. */
  readonly onEnd?: (session: LiveSession<S>) => void;
  /** Called with each event that is kept for reconnecting clients. */
  readonly onKept?: (session: string, event: SharedEvent) => void;
  /** Called once for each session that is removed for any reason; `isLeft` is true if other replicas continue the session. */
  readonly onClose?: (session: LiveSession<S>, isLeft: boolean) => void;
}

/** The sessions of one process, in memory. */
export class SessionStore<S> {
  readonly #sessions = new Map<string, LiveSession<S>>();
  readonly #ttlMs: number;
  readonly #places: ConnectionLimit;
  /** By session id: the caller or address whose share the session counts towards. */
  readonly #holders = new Map<string, string>();
  readonly #now: () => number;
  readonly #resumption: {
    readonly resumeWindowMs: number;
    readonly ended: EndedStreams;
    readonly replayStore: ReplayStore;
  };
  readonly #onClose: (session: LiveSession<S>, isLeft: boolean) => void;
  readonly #onEnd: (session: LiveSession<S>) => void;
  readonly #onKept: SessionStoreOptions<S>['onKept'];
  readonly #isShared: boolean;
  readonly #firstStream: number;
  readonly #timer: NodeJS.Timeout;

  constructor(options: SessionStoreOptions<S> = {}) {
    this.#ttlMs = options.ttlMs ?? SESSION_TTL_MS;
    this.#places = new ConnectionLimit(options.maxSessions ?? 10_000);
    const { resumeWindowMs = RESUME_WINDOW_MS } = options;
    this.#resumption = {
      resumeWindowMs,
      ended: new EndedStreams(resumeWindowMs),
      replayStore: options.replayStore ?? new ReplayStore(),
    };
    this.#now = options.now ?? (() => performance.now());
    this.#onClose = options.onClose ?? (() => {});
    this.#onEnd = options.onEnd ?? (() => {});
    this.#onKept = options.onKept;
    this.#isShared = options.isShared ?? false;
    this.#firstStream = options.firstStream ?? 1;
    this.#timer = setInterval(() => this.sweep(), options.sweepMs ?? Math.min(this.#ttlMs / 10, 60_000)).unref();
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** The bytes of the events that are kept for reconnecting clients. */
  get keptBytes(): number {
    return this.#resumption.replayStore.bytes + this.#resumption.ended.bytes;
  }

  /**
   * Reserves a place for a new session. If there is no room, it ends expired sessions, or else the session that has been idle longest without any
   * request; if the holder has its whole share, a session of this holder.
   * @param holder the caller, or the address if callers are anonymous, whose share the session counts towards
   * @throws WireError with HTTP 503 when there is no room
   */
  reserve(holder: string): void {
    if (this.#places.take(holder)) return;
    this.sweep();
    if (this.#places.take(holder)) return;
    this.#evict(this.#places.hasShare(holder) ? holder : undefined);
    if (this.#places.take(holder)) return;
    throw new WireError(WIRE_CODE.refused, 'too many sessions', { httpStatus: 503 });
  }

  /** Returns the place of a session that was not opened after all. */
  release(holder: string): void {
    this.#places.leave(holder);
  }

  /** Opens a session in its holder's reserved place. */
  create(
    payload: S,
    protocolVersion: string,
    holder: string,
    owner: string = ANONYMOUS.key,
    id: string = randomUUID(),
  ): LiveSession<S> {
    const end = (ended: LiveSession<S>): void => {
      if (this.delete(ended.id)) this.#onEnd(ended);
    };
    const onKept = this.#onKept;
    const session = new LiveSession({ id, protocolVersion, payload, owner }, this.#now, end, {
      ...this.#resumption,
      firstStream: this.#firstStream,
      ...(onKept === undefined ? {} : { onKept: event => onKept(id, event) }),
    });
    this.#sessions.set(session.id, session);
    this.#holders.set(session.id, holder);
    return session;
  }

  /** The session, unless it is unknown or has expired. Does not extend its lifetime: see {@link touch}. */
  get(id: string): LiveSession<S> | undefined {
    return this.#findAlive(id, this.#now());
  }

  /** Does the same as {@link get}, and restarts the session's lifetime. */
  touch(id: string): LiveSession<S> | undefined {
    const now = this.#now();
    const session = this.#findAlive(id, now);
    if (session !== undefined) session.lastUsedMs = now;
    return session;
  }

  /** All sessions of this replica. */
  values(): IterableIterator<LiveSession<S>> {
    return this.#sessions.values();
  }

  /** A session of this replica, even an expired one. */
  findLive(id: string): LiveSession<S> | undefined {
    return this.#sessions.get(id);
  }

  /** Ends a session, or leaves it to other replicas. Returns false when there is none. */
  delete(id: string, isLeft = false): boolean {
    const session = this.#sessions.get(id);
    if (session === undefined) return false;
    this.#sessions.delete(id);
    this.#places.leave(this.#holders.get(id) ?? '');
    this.#holders.delete(id);
    session.streams.close();
    this.#onClose(session, isLeft);
    return true;
  }

  /** Ends the sessions that have expired. */
  sweep(): void {
    const now = this.#now();
    for (const session of this.#sessions.values()) {
      if (!session.isBusy && this.#isExpired(session, now)) this.delete(session.id, this.#isShared);
    }
  }

  /** Ends the standing streams and keeps the sessions. */
  endStreams(): void {
    for (const session of this.#sessions.values()) session.streams.disconnect();
  }

  /** Ends all sessions and stops sweeping. */
  closeAll(): void {
    clearInterval(this.#timer);
    for (const id of [...this.#sessions.keys()]) this.delete(id, this.#isShared);
  }

  /** Ends the session that has been idle longest without any request: among the sessions of one holder, or among all. */
  #evict(holder: string | undefined): void {
    let idle: LiveSession<S> | undefined;
    for (const session of this.#sessions.values()) {
      if (session.hasCalled || session.isBusy) continue;
      if (holder !== undefined && this.#holders.get(session.id) !== holder) continue;
      if (idle === undefined || session.lastUsedMs < idle.lastUsedMs) idle = session;
    }
    if (idle !== undefined) this.delete(idle.id, this.#isShared);
  }

  #findAlive(id: string, now: number): LiveSession<S> | undefined {
    const session = this.#sessions.get(id);
    if (session === undefined || !this.#isExpired(session, now)) return session;
    // A session with running requests stays until they have ended. If sessions are shared, only this replica's copy is dropped.
    if (!session.isBusy) this.delete(id, this.#isShared);
    return undefined;
  }

  #isExpired(session: LiveSession<S>, now: number): boolean {
    if (this.#isShared) return now - session.keptMs >= this.#ttlMs;
    return !session.isBusy && now - session.lastUsedMs >= this.#ttlMs;
  }
}
