/**
 * Sessions with a backend that keeps sessions, for clients without a session. A call shares its session with no other call: two clients may use equal
 * ids and progress tokens, and a backend's unsolicited messages must concern one client only.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { type ClientTraits, StoredTraits } from '../../mcp/client-traits.ts';
import type { Envelope } from '../../mcp/envelope.ts';
import type { ResponseSink } from '../../mcp/response-sink.ts';
import type { StatelessCaller } from '../../mcp/stateless/handler.ts';
import { detachString } from '../../tuning/detach-string.ts';
import type { BackendListener, BackendSession } from '../backends/backend.ts';
import { requestResult } from '../backends/collect.ts';
import { respondToServerRequest } from '../backends/messages/control-messages.ts';
import { getSessionKey, type Sender } from '../backends/sender.ts';

/**
 * Maximum number of idle sessions for all kinds of clients together; further ones end. If more calls than this run at once, each further call opens a
 * session of its own and ends it.
 */
const MAX_IDLE = 512;

/** How long an idle session stays open, in milliseconds, and how often the pool checks. */
const IDLE_MS = 60_000;
const SWEEPS = 4;

/** How long the end of a session waits for the backend to accept the cancellation of its call; milliseconds. */
const CANCEL_MS = 1_000;

export interface SessionPoolOptions {
  /** Opens a session for a client. `sender` returns the current sender, whose token may have been renewed. */
  openSession(client: ClientTraits, sender: () => Sender): BackendSession;
  /** Ends a session that `openSession` returned; never rejects. */
  endSession(session: BackendSession): Promise<void>;
}

/** A session for the time of one call. */
export class PooledSession implements BackendListener {
  readonly session: BackendSession;
  /** A key of the client's capabilities: only a client with the same ones can use the session again. */
  readonly key: string;
  /** The `getSessionKey` of the session's callers: no other caller may see a backend's session state. */
  readonly owner: string;
  /** The sender of the latest request. */
  sender: Sender;
  /** The number of the pool's sweep during which the session was last returned. */
  idleSince = 0;
  /** The call that uses the session; it gets the backend's messages that name no call. */
  call: Required<Pick<ResponseSink, 'message' | 'request'>> | undefined;
  #ids = 0;
  #logLevel: string | undefined;

  constructor(key: string, owner: string, sender: Sender, openSession: (sender: () => Sender) => BackendSession) {
    this.key = key;
    this.owner = owner;
    this.sender = sender;
    this.session = openSession(() => this.sender);
    this.session.receive(this);
  }

  /** Passes an unsolicited message of the session to its only call. */
  message(notification: Envelope): void {
    this.call?.message(notification);
  }

  request(json: string, id: string, method: string): void {
    if (this.call === undefined) void this.session.post(respondToServerRequest(id, method));
    else this.call.request(json, id, method);
  }

  /** An id that the session has not used, as JSON text. */
  nextId(): string {
    return String(++this.#ids);
  }

  /** Sets the backend's log level. A backend that refuses keeps its own level. */
  async setLogLevel(level: string): Promise<void> {
    if (level === this.#logLevel) return;
    this.#logLevel = level;
    try {
      const { capabilities } = await this.session.open();
      if (!Object.hasOwn(capabilities, 'logging')) return;
      await requestResult(this.session, 'logging/setLevel', { level }, { id: `lintel-level-${this.nextId()}` });
    } catch {
      // If the backend does not answer, the call itself will report the failure.
    }
  }
}

export class SessionPool {
  readonly #options: SessionPoolOptions;
  /** Sessions without a call, the least recently used first. */
  readonly #idle: PooledSession[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sweeps = 0;
  #isClosed = false;

  constructor(options: SessionPoolOptions) {
    this.#options = options;
  }

  /** Returns a session for one call of a client, on behalf of a caller. */
  take(caller: StatelessCaller, sender: Sender): PooledSession {
    const { capabilitiesText } = caller;
    const lease = this.#findWaiting(capabilitiesText, getSessionKey(sender));
    if (lease !== undefined) {
      lease.sender = sender;
      return lease;
    }
    const traits = new StoredTraits({ capabilities: caller.capabilities }); // The traits are parsed when a session opens, and not for each call.
    const open = (current: () => Sender) => this.#options.openSession(traits, current);
    return new PooledSession(detachString(capabilitiesText), getSessionKey(sender), sender, open);
  }

  /**
   * Ends the session of a call that has failed: messages that the backend still sends about the call must not reach the next caller.
   * @param cancelled resolves when the backend has the cancellation of the call: a backend refuses messages in an ended session
   */
  discard({ session }: PooledSession, cancelled: Promise<void> | undefined): void {
    if (cancelled === undefined) void this.#options.endSession(session);
    else
      void Promise.race([cancelled, pause(CANCEL_MS, undefined, { ref: false })]).then(() =>
        this.#options.endSession(session),
      );
  }

  /**
   * Takes back the session of a call that has its answer, for another call. On a stream that all requests share, messages that the backend still
   * sends about the call could not be distinguished from those about the next call: such a session serves one call only.
   */
  giveBack(lease: PooledSession): void {
    if (lease.session.sharesOneStream || this.#isClosed || this.#idle.length >= MAX_IDLE) {
      void this.#options.endSession(lease.session);
      return;
    }
    lease.idleSince = this.#sweeps;
    this.#idle.push(lease);
    this.#timer ??= setInterval(() => this.#sweep(), IDLE_MS / SWEEPS).unref();
  }

  /** Ends the idle sessions; those in use end with their calls. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
    for (const { session } of this.#idle.splice(0)) void this.#options.endSession(session);
  }

  #findWaiting(key: string, owner: string): PooledSession | undefined {
    const isFit = (lease: PooledSession): boolean => lease.key === key && lease.owner === owner;
    // Most clients announce the same capabilities, so the newest session usually fits.
    const newest = this.#idle.at(-1);
    if (newest !== undefined && isFit(newest)) return this.#idle.pop();
    const index = this.#idle.findLastIndex(isFit);
    return index === -1 ? undefined : this.#idle.splice(index, 1)[0];
  }

  #sweep(): void {
    const tooOld = ++this.#sweeps - SWEEPS;
    while (this.#idle[0] !== undefined && this.#idle[0].idleSince < tooOld) {
      void this.#options.endSession((this.#idle.shift() as PooledSession).session);
    }
    if (this.#idle.length > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
