import type { ServerResponse } from 'node:http';
import { idKey } from './envelope.ts';
import type { ClientSession } from './handler.ts';
import { StandingStream } from './standing-stream.ts';
import { WIRE_CODE, WireError } from './wire-error.ts';

/** Ceiling on standing streams in one session. */
const MAX_STREAMS = 4;

const LIST_CHANGED = /^notifications\/[a-z]+\/list_changed$/;

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
  /** Oldest first. */
  readonly #streams: StandingStream[] = [];
  /** `list_changed` notifications that no stream could take, by method. */
  readonly #kept = new Map<string, string>();

  constructor(
    identity: { readonly id: string; readonly protocolVersion: string; readonly payload: S },
    now: () => number,
    end: (session: LiveSession<S>) => void,
  ) {
    this.id = identity.id;
    this.protocolVersion = identity.protocolVersion;
    this.payload = identity.payload;
    this.#now = now;
    this.#end = end;
    this.lastUsedMs = now();
  }

  /** A session in use does not expire, however long a call takes or a stream stays silent. */
  get isBusy(): boolean {
    return this.#running.size > 0 || this.#streams.length > 0;
  }

  touch(): void {
    this.lastUsedMs = this.#now();
  }

  /**
   * Notes a running request; the returned function notes its end.
   * @throws WireError -32600 when a request with this id is running.
   */
  begin(id: string): () => void {
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

  /**
   * Opens a standing stream on a response and delivers what waited for one.
   * @throws WireError with HTTP 409 at {@link MAX_STREAMS}.
   */
  openStream(res: ServerResponse, heartbeatMs: number): void {
    if (this.#streams.length >= MAX_STREAMS) {
      throw new WireError(WIRE_CODE.refused, `a session has at most ${MAX_STREAMS} open streams`, { httpStatus: 409 });
    }
    const stream = new StandingStream(res, heartbeatMs, closed => {
      const index = this.#streams.indexOf(closed);
      if (index >= 0) this.#streams.splice(index, 1);
      this.touch();
    });
    this.#streams.push(stream);
    for (const json of this.#kept.values()) stream.send(json);
    this.#kept.clear();
  }

  send(json: string): boolean {
    for (let index = this.#streams.length - 1; index >= 0; index--) {
      if (this.#streams[index]?.send(json)) return true;
    }
    const { method } = JSON.parse(json) as { method?: unknown };
    if (typeof method !== 'string' || !LIST_CHANGED.test(method)) return false;
    this.#kept.set(method, json);
    return true;
  }

  close(): void {
    this.#end(this);
  }

  endStreams(): void {
    for (const stream of this.#streams) stream.end();
  }
}
