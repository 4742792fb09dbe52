import { idKey } from './envelope.ts';
import type { ClientSession } from './handler.ts';
import { SessionStreams } from './session-streams.ts';
import { WIRE_CODE, WireError } from './wire-error.ts';

/** Ceiling on the requests that run in one session at a time. */
export const MAX_RUNNING_REQUESTS = 512;

export interface SessionIdentity<S> {
  readonly id: string;
  readonly protocolVersion: string;
  readonly payload: S;
}

/** One client's session: its streams, its running requests, and when it was last used. Made by the session store. */
export class LiveSession<S> implements ClientSession<S> {
  readonly id: string;
  readonly protocolVersion: string;
  readonly payload: S;
  /** When the session was last in use, on the store's clock. */
  lastUsedMs: number;
  readonly #end: (session: LiveSession<S>) => void;
  readonly #now: () => number;
  readonly #running = new Set<string>();
  /** Its event streams: those that answer a POST, and the standing ones. */
  readonly streams: SessionStreams;

  constructor(
    identity: SessionIdentity<S>,
    now: () => number,
    end: (session: LiveSession<S>) => void,
    resumeWindowMs?: number,
  ) {
    this.id = identity.id;
    this.protocolVersion = identity.protocolVersion;
    this.payload = identity.payload;
    this.#now = now;
    this.#end = end;
    this.lastUsedMs = now();
    const { protocolVersion } = identity;
    this.streams = new SessionStreams({ protocolVersion, resumeWindowMs, onDisconnect: () => this.touch() });
  }

  /** A session in use does not expire, however long a call takes or a stream stays silent. */
  get isBusy(): boolean {
    return this.#running.size > 0 || this.streams.isListening;
  }

  touch(): void {
    this.lastUsedMs = this.#now();
  }

  /**
   * Notes a running request; the returned function notes its end.
   * @throws WireError -32600 when a request with this id is running; with HTTP 429 at {@link MAX_RUNNING_REQUESTS}.
   */
  begin(id: string): () => void {
    if (this.#running.size >= MAX_RUNNING_REQUESTS) {
      const text = `a session has at most ${MAX_RUNNING_REQUESTS} running requests`;
      throw new WireError(WIRE_CODE.refused, text, { httpStatus: 429, id });
    }
    const key = idKey(id);
    if (this.#running.has(key)) {
      throw new WireError(WIRE_CODE.invalidRequest, 'a request with this id is still running', { id });
    }
    this.#running.add(key);
    return () => {
      this.#running.delete(key);
      this.touch();
    };
  }

  send(json: string): boolean {
    return this.streams.send(json);
  }

  close(): void {
    this.#end(this);
  }
}
