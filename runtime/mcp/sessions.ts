import { randomUUID } from 'node:crypto';
import { ANONYMOUS } from '../auth/identity.ts';
import { EndedStreams } from './ended-streams.ts';
import { KeptEvents } from './kept-events.ts';
import { LiveSession } from './live-session.ts';
import { Places } from './places.ts';
import { WIRE_CODE, WireError } from './wire-error.ts';

/** How long a broken stream waits for its client, and the call behind it goes on: 5 minutes. */
const RESUME_WINDOW_MS = 5 * 60_000;

export interface SessionStoreOptions<S> {
  /** How long a session lives after its last use, in milliseconds. Default 30 minutes. */
  readonly ttlMs?: number;
  /** Ceiling on sessions; half of it for one holder. Default 10,000. */
  readonly maxSessions?: number;
  /** Pause between sweeps for expired sessions, in milliseconds. Default: a tenth of the lifetime, at most a minute. */
  readonly sweepMs?: number;
  /** How long a broken event stream waits for its client, in milliseconds. Default 5 minutes. */
  readonly resumeWindowMs?: number;
  /** Where the events are counted that are kept for clients that come back. Default: {@link KeptEvents} with its ceiling. */
  readonly kept?: KeptEvents;
  /** A clock in milliseconds that never goes back. Default `performance.now`. */
  readonly now?: () => number;
  /** Called once for each session that ends, for whatever reason. */
  readonly onClose?: (session: LiveSession<S>) => void;
}

/** The sessions of one process, in memory. */
export class SessionStore<S> {
  readonly #sessions = new Map<string, LiveSession<S>>();
  readonly #ttlMs: number;
  readonly #places: Places;
  /** Who has the place of a session, by its id. */
  readonly #holders = new Map<string, string>();
  readonly #now: () => number;
  readonly #resumption: { readonly resumeWindowMs: number; readonly ended: EndedStreams; readonly kept: KeptEvents };
  readonly #onClose: (session: LiveSession<S>) => void;
  readonly #timer: NodeJS.Timeout;

  constructor(options: SessionStoreOptions<S> = {}) {
    this.#ttlMs = options.ttlMs ?? 30 * 60_000;
    this.#places = new Places(options.maxSessions ?? 10_000);
    const { resumeWindowMs = RESUME_WINDOW_MS } = options;
    this.#resumption = {
      resumeWindowMs,
      ended: new EndedStreams(resumeWindowMs),
      kept: options.kept ?? new KeptEvents(),
    };
    this.#now = options.now ?? (() => performance.now());
    this.#onClose = options.onClose ?? (() => {});
    this.#timer = setInterval(() => this.sweep(), options.sweepMs ?? Math.min(this.#ttlMs / 10, 60_000)).unref();
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** What is kept for clients that come back to their streams, in bytes. */
  get keptBytes(): number {
    return this.#resumption.kept.bytes + this.#resumption.ended.bytes;
  }

  /**
   * Takes a place for a session that is about to be opened. At a ceiling, sessions that have expired make room, else the longest idle
   * of those in which nothing was ever requested: at the ceiling of a holder one of its own.
   *
   * @param holder who the place counts for: a caller, or an address where callers have no names
   * @throws WireError with HTTP 503 where there is no room
   */
  reserve(holder: string): void {
    if (this.#places.take(holder)) return;
    this.sweep();
    if (this.#places.take(holder)) return;
    this.#evict(this.#places.hasShare(holder) ? holder : undefined);
    if (this.#places.take(holder)) return;
    throw new WireError(WIRE_CODE.refused, 'too many sessions', { httpStatus: 503 });
  }

  /** Gives back the place of a session that was not opened after all. */
  release(holder: string): void {
    this.#places.leave(holder);
  }

  /** Opens a session in the place that its holder has reserved. */
  create(payload: S, protocolVersion: string, holder: string, owner: string = ANONYMOUS.key): LiveSession<S> {
    const end = (ended: LiveSession<S>): void => void this.delete(ended.id);
    const identity = { id: randomUUID(), protocolVersion, payload, owner };
    const session = new LiveSession(identity, this.#now, end, this.#resumption);
    this.#sessions.set(session.id, session);
    this.#holders.set(session.id, holder);
    return session;
  }

  /** The session, unless it is unknown or has expired. Does not prolong it: see {@link touch}. */
  get(id: string): LiveSession<S> | undefined {
    return this.#alive(id, this.#now());
  }

  /** As {@link get}, and the session's lifetime starts anew. */
  touch(id: string): LiveSession<S> | undefined {
    const now = this.#now();
    const session = this.#alive(id, now);
    if (session !== undefined) session.lastUsedMs = now;
    return session;
  }

  /** Ends a session. Returns false when there is none. */
  delete(id: string): boolean {
    const session = this.#sessions.get(id);
    if (session === undefined) return false;
    this.#sessions.delete(id);
    this.#places.leave(this.#holders.get(id) ?? '');
    this.#holders.delete(id);
    session.streams.close();
    this.#onClose(session);
    return true;
  }

  /** Ends the sessions that have expired. */
  sweep(): void {
    const now = this.#now();
    for (const session of this.#sessions.values()) {
      if (this.#isExpired(session, now)) this.delete(session.id);
    }
  }

  /** Ends the standing streams and keeps the sessions. */
  endStreams(): void {
    for (const session of this.#sessions.values()) session.streams.disconnect();
  }

  /** Ends all sessions and stops sweeping. */
  closeAll(): void {
    clearInterval(this.#timer);
    for (const id of [...this.#sessions.keys()]) this.delete(id);
  }

  /** Ends the longest idle session in which nothing was ever requested: of a holder, or of all. */
  #evict(holder: string | undefined): void {
    let idle: LiveSession<S> | undefined;
    for (const session of this.#sessions.values()) {
      if (session.hasCalled || session.isBusy) continue;
      if (holder !== undefined && this.#holders.get(session.id) !== holder) continue;
      if (idle === undefined || session.lastUsedMs < idle.lastUsedMs) idle = session;
    }
    if (idle !== undefined) this.delete(idle.id);
  }

  #alive(id: string, now: number): LiveSession<S> | undefined {
    const session = this.#sessions.get(id);
    if (session === undefined || !this.#isExpired(session, now)) return session;
    this.delete(id);
    return undefined;
  }

  #isExpired(session: LiveSession<S>, now: number): boolean {
    return !session.isBusy && now - session.lastUsedMs >= this.#ttlMs;
  }
}
