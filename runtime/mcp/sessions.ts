import { randomUUID } from 'node:crypto';
import { ANONYMOUS } from '../auth/identity.ts';
import { EndedStreams } from './ended-streams.ts';
import { LiveSession } from './live-session.ts';
import { WIRE_CODE, WireError } from './wire-error.ts';

/** How long a broken stream waits for its client, and the call behind it goes on: 5 minutes. */
const RESUME_WINDOW_MS = 5 * 60_000;

export interface SessionStoreOptions<S> {
  /** How long a session lives after its last use, in milliseconds. Default 30 minutes. */
  readonly ttlMs?: number;
  /** Ceiling on sessions. Default 10,000. */
  readonly maxSessions?: number;
  /** Pause between sweeps for expired sessions, in milliseconds. Default: a tenth of the lifetime, at most a minute. */
  readonly sweepMs?: number;
  /** How long a broken event stream waits for its client, in milliseconds. Default 5 minutes. */
  readonly resumeWindowMs?: number;
  /** A clock in milliseconds that never goes back. Default `performance.now`. */
  readonly now?: () => number;
  /** Called once for each session that ends, for whatever reason. */
  readonly onClose?: (session: LiveSession<S>) => void;
}

/** The sessions of one process, in memory. */
export class SessionStore<S> {
  readonly #sessions = new Map<string, LiveSession<S>>();
  readonly #ttlMs: number;
  readonly #maxSessions: number;
  readonly #now: () => number;
  readonly #resumption: { readonly resumeWindowMs: number; readonly ended: EndedStreams };
  readonly #onClose: (session: LiveSession<S>) => void;
  readonly #timer: NodeJS.Timeout;

  constructor(options: SessionStoreOptions<S> = {}) {
    this.#ttlMs = options.ttlMs ?? 30 * 60_000;
    this.#maxSessions = options.maxSessions ?? 10_000;
    const { resumeWindowMs = RESUME_WINDOW_MS } = options;
    this.#resumption = { resumeWindowMs, ended: new EndedStreams(resumeWindowMs) };
    this.#now = options.now ?? (() => performance.now());
    this.#onClose = options.onClose ?? (() => {});
    this.#timer = setInterval(() => this.sweep(), options.sweepMs ?? Math.min(this.#ttlMs / 10, 60_000)).unref();
  }

  get size(): number {
    return this.#sessions.size;
  }

  /**
   * Checks that `wanted` more sessions fit, sweeping first when they do not.
   * @throws WireError with HTTP 503 at the ceiling.
   */
  ensureRoom(wanted: number): void {
    if (this.size + wanted > this.#maxSessions) this.sweep();
    if (this.size + wanted > this.#maxSessions) {
      throw new WireError(WIRE_CODE.refused, 'too many sessions', { httpStatus: 503 });
    }
  }

  create(payload: S, protocolVersion: string, owner: string = ANONYMOUS.key): LiveSession<S> {
    const end = (ended: LiveSession<S>): void => void this.delete(ended.id);
    const identity = { id: randomUUID(), protocolVersion, payload, owner };
    const session = new LiveSession(identity, this.#now, end, this.#resumption);
    this.#sessions.set(session.id, session);
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
