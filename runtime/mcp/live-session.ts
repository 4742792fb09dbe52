import type { ClientSession } from './handler.ts';
import { RunningRequests } from './running-requests.ts';
import { SessionStreams, type SessionStreamsOptions } from './session-streams.ts';

export interface SessionIdentity<S> {
  readonly id: string;
  readonly protocolVersion: string;
  readonly payload: S;
  readonly owner: string;
}

/** One client's session: its streams, its running requests, and the time of its last use. `SessionStore` creates it. */
export class LiveSession<S> implements ClientSession<S> {
  readonly id: string;
  readonly protocolVersion: string;
  readonly payload: S;
  /** `Identity.key` of the session's owner. */
  readonly owner: string;
  /** Whether a client has sent a request in the session. If there is no room for new sessions, sessions without a request are ended first. */
  hasCalled = false;
  /** When the session was last in use, on the store's clock. */
  lastUsedMs: number;
  /** Last time at which the store that replicas share was known to have the session, on the same clock. */
  keptMs: number;
  readonly #end: (session: LiveSession<S>) => void;
  readonly #now: () => number;
  readonly #running = new RunningRequests(() => this.touch());
  /** The event streams of the session: streams that answer a POST, and standing streams. */
  readonly streams: SessionStreams;

  constructor(
    identity: SessionIdentity<S>,
    now: () => number,
    end: (session: LiveSession<S>) => void,
    resumption: Pick<SessionStreamsOptions, 'resumeWindowMs' | 'ended' | 'replayStore' | 'firstStream' | 'onKept'>,
  ) {
    this.id = identity.id;
    this.protocolVersion = identity.protocolVersion;
    this.payload = identity.payload;
    this.owner = identity.owner;
    this.#now = now;
    this.#end = end;
    this.lastUsedMs = now();
    this.keptMs = this.lastUsedMs;
    const { protocolVersion } = identity;
    this.streams = new SessionStreams({ protocolVersion, ...resumption, onDisconnect: () => this.touch() });
  }

  /** Whether a request runs or a GET stream is open: such a session does not expire, no matter how long the call takes. */
  get isBusy(): boolean {
    return this.#running.size > 0 || this.streams.isListening;
  }

  touch(): void {
    this.lastUsedMs = this.#now();
  }

  /** Records a running request, see {@link RunningRequests.begin}. */
  begin(id: string): () => void {
    this.hasCalled = true;
    return this.#running.begin(id);
  }

  send(json: string): boolean {
    return this.streams.send(json);
  }

  close(): void {
    this.#end(this);
  }
}
