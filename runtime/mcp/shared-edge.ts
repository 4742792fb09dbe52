/** The part of the endpoint for clients that handles sessions which replicas share. */
import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Identity } from '../auth/identity.ts';
import type { Logger } from '../observe/log.ts';
import {
  formatSessionKey,
  MAX_STALE_MS,
  type ReplicaMessage,
  type SessionFields,
  type SharedEvent,
  type SharedSessions,
  StoreAwayError,
} from '../shared-sessions/store.ts';
import { type EventPosition, formatEventId, formatStreamName, LAST } from './event-id.ts';
import { formatEvent } from './event-stream.ts';
import type { McpHandler, MessageContext } from './handler.ts';
import type { LiveSession } from './live-session.ts';
import { LAST_PLACE } from './replay-buffer.ts';
import type { SessionStore } from './sessions.ts';
import { getShareKey } from './share-key.ts';
import type { StatelessHandler } from './stateless/handler.ts';
import type { StreamConnections } from './stream-connection.ts';
import { createAnswerLost, createReplicaLost, formatErrorResponse, WIRE_CODE, WireError } from './wire-error.ts';

/** The numbers of streams per replica: replica 2 uses 200,000,000 and above, so that the number of a stream shows its replica. */
const STREAMS_OF_REPLICA = 100_000_000;

/** How often this replica extends the lifetime of used sessions in the store, reports ends again, and reads another replica's stream; milliseconds. */
const PROLONG_MS = 60_000;
const RETRY_MS = 1_000;
const FOLLOW_MS = 100;

/** Fields of a session in the store, in addition to the fields of the gateway core. */
const OWNER = 'owner';
const REVISION = 'revision';

const SESSION_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export interface SharedEdgeOptions<S> {
  readonly shared: SharedSessions;
  readonly sessions: SessionStore<S>;
  readonly handler: McpHandler<S>;
  /** Receives other replicas' messages about rounds: requests that continue a call of a stateless client at another replica. */
  readonly stateless: Pick<StatelessHandler, 'onReplicaMessage'>;
  /** Receives the messages about sessions over HTTP+SSE. */
  readonly onHanded: (message: ReplicaMessage) => void;
  readonly ttlMs: number;
  /** How long events of streams are kept, in milliseconds. */
  readonly resumeWindowMs: number;
  readonly now: () => number;
  readonly log: Logger;
}

export class SharedEdge<S> {
  readonly #options: SharedEdgeOptions<S>;
  /** The ids of the sessions at this replica, by the keys of the sessions in the store. */
  readonly #ids: Map<string, string> = new Map();
  /** The sessions that are being loaded from the store. */
  readonly #adopting: Map<string, Promise<SessionFields | undefined>> = new Map();
  /** Sessions that have ended at this replica, and whose end the store has not confirmed yet. */
  readonly #unreported: Set<string> = new Set();
  readonly #timers: readonly NodeJS.Timeout[];

  constructor(options: SharedEdgeOptions<S>) {
    this.#options = options;
    const { shared, ttlMs } = options;
    shared.onMessage(message => this.#receive(message));
    shared.onGap(() => void this.#lookAll());
    this.#timers = [
      setInterval(() => void this.#prolong(), Math.min(PROLONG_MS, ttlMs / 10)).unref(),
      setInterval(() => this.#reportAgain(), RETRY_MS).unref(),
    ];
  }

  static firstStream(replica: number): number {
    return replica * STREAMS_OF_REPLICA + 1;
  }

  /** Whether this replica can serve its copy of a session without asking the store whether the session has ended. */
  get isFresh(): boolean {
    return this.#options.shared.isFresh;
  }

  /**
   * Publishes a session to all replicas.
   * @throws WireError with HTTP 503 when the store is unavailable
   */
  async opened({ id, owner, protocolVersion }: LiveSession<S>, fields: SessionFields): Promise<void> {
    const { shared, ttlMs } = this.#options;
    await markHandled(
      shared.create(id, { ...fields, [OWNER]: formatSessionKey(owner), [REVISION]: protocolVersion }, ttlMs),
    );
    this.#ids.set(formatSessionKey(id), id);
  }

  /**
   * Loads a session from the store that this replica does not have.
   * @throws WireError with HTTP 404 for an unknown session, 403 for a session of another identity, 503 when the store is unavailable
   */
  async adopt(context: MessageContext, id: string): Promise<LiveSession<S>> {
    const { sessions, handler, now } = this.#options;
    const fields = SESSION_ID.test(id) && !this.#unreported.has(id) ? await this.#load(id) : undefined;
    if (fields === undefined) throw createNotFound();
    await this.#checkOwner(context.identity, id, fields);
    const liveSession = sessions.findLive(id);
    if (liveSession !== undefined) {
      liveSession.keptMs = now();
      return liveSession;
    }
    if (this.#unreported.has(id) || handler.restore === undefined) throw createNotFound();
    const holder = getShareKey(context);
    sessions.reserve(holder);
    const payload = handler.restore(context, fields);
    const session = sessions.create(payload, fields[REVISION] ?? '', holder, context.identity.key, id);
    this.#ids.set(formatSessionKey(id), id);
    handler.opened?.(session);
    handler.shared?.(session, fields);
    return session;
  }

  /**
   * Asks the store whether another replica has ended a session; called when the copy of the session at this replica is too old. While the store is
   * unavailable, a session continues as long as the store would have kept it.
   */
  async hasEnded({ id }: LiveSession<S>): Promise<boolean> {
    const { shared, sessions } = this.#options;
    const found = await limitWait(MAX_STALE_MS, shared.existing([id])).catch(() => undefined);
    if (found === undefined || found.has(id)) return false;
    sessions.delete(id);
    return true;
  }

  /** Loads the fields of a session again; without effect while the store is unavailable. */
  async refresh(session: LiveSession<S>): Promise<void> {
    const { shared, handler, ttlMs } = this.#options;
    const fields = await shared.load(session.id, ttlMs).catch(() => undefined);
    if (fields !== undefined) handler.shared?.(session, fields);
  }

  /**
   * This replica has a standing stream of the session: it receives the unsolicited messages of backends, and other replicas stop receiving them,
   * as soon as the store is available.
   */
  async listening({ id, streams }: LiveSession<S>): Promise<void> {
    const { shared } = this.#options;
    do {
      const isSent = await shared
        .send('others', { type: 'listening', session: formatSessionKey(id) })
        .catch(() => false);
      if (isSent) return;
      await pause(RETRY_MS, undefined, { ref: false });
    } while (streams.isListening);
  }

  /**
   * Ends a session in all replicas.
   * @throws WireError with HTTP 503 when the store is unavailable; the end is then reported to it later
   */
  async end(id: string): Promise<void> {
    this.#unreported.add(id);
    await markHandled(this.#options.shared.end(id));
    this.#unreported.delete(id);
  }

  keepEvent(id: string, event: SharedEvent): void {
    this.#options.shared.keepEvent(id, event, this.#options.resumeWindowMs).catch(() => {});
  }

  /** The session is no longer at this replica. */
  closed(id: string): void {
    this.#ids.delete(formatSessionKey(id));
  }

  close(): void {
    for (const timer of this.#timers) clearInterval(timer);
  }

  /** Whether a stream belongs to another replica. */
  isElsewhere({ stream }: EventPosition): boolean {
    return Math.floor(stream / STREAMS_OF_REPLICA) !== this.#options.shared.replica;
  }

  /** The messages of a standing stream at another replica after a position, as JSON text. */
  async missed({ id }: LiveSession<S>, { stream, position }: EventPosition): Promise<readonly string[]> {
    const events = await markHandled(this.#options.shared.events(id, formatStreamName(stream, undefined)));
    return events.filter(event => position !== LAST && event.position > position).map(({ text }) => readData(text));
  }

  /** Answers a client that reconnects to the stream of a request that another replica handles. */
  async follow(
    session: LiveSession<S>,
    from: EventPosition,
    res: ServerResponse,
    outlets: StreamConnections,
  ): Promise<void> {
    const { shared, now, resumeWindowMs } = this.#options;
    const name = formatStreamName(from.stream, from.request, from.onlyReads);
    const replica = Math.floor(from.stream / STREAMS_OF_REPLICA);
    let position = from.position === LAST ? LAST_PLACE : from.position;
    // If the store is unavailable, this fails while the client can still get an error as its response.
    let events = await markHandled(shared.events(session.id, name));
    const outlet = outlets.open(res);
    outlet.flushHead();
    outlet.startHeartbeat();
    const until = now() + resumeWindowMs;
    let isAlive = true;
    for (let round = 0; !res.destroyed; round++) {
      for (const event of events) {
        if (event.position <= position) continue;
        position = event.position;
        if (position === LAST_PLACE) {
          outlet.end(event.text);
          return;
        }
        outlet.write(event.text);
      }
      // The other replica may have written its last events after this replica read the events, and then ended.
      if (!isAlive || now() > until || this.#options.sessions.findLive(session.id) !== session) {
        const error = formatErrorResponse(
          from.request,
          isAlive ? createAnswerLost(from.onlyReads) : createReplicaLost(from.onlyReads),
        );
        outlet.end(formatEvent(error, formatEventId(name, LAST)));
        return;
      }
      await new Promise(resolve => setTimeout(resolve, FOLLOW_MS));
      try {
        if (round % 5 === 0) isAlive = await shared.isAlive(replica);
        events = await shared.events(session.id, name);
      } catch {
        events = [];
      }
    }
  }

  #load(id: string): Promise<SessionFields | undefined> {
    let loading = this.#adopting.get(id);
    if (loading === undefined) {
      const { shared, ttlMs } = this.#options;
      loading = markHandled(shared.load(id, ttlMs)).finally(() => this.#adopting.delete(id));
      this.#adopting.set(id, loading);
    }
    return loading;
  }

  /** If another identity uses the id of a session, the id has leaked, so the session ends at every replica. */
  async #checkOwner({ key }: Identity, id: string, fields: SessionFields): Promise<void> {
    if (fields[OWNER] === formatSessionKey(key)) return;
    this.#options.sessions.delete(id);
    await this.end(id);
    this.#options.log.warn('a session was ended: a request in it came from another identity');
    const text = 'Unauthorized: the session belongs to another identity';
    throw new WireError(WIRE_CODE.refused, text, { httpStatus: 403 });
  }

  #receive(message: ReplicaMessage): void {
    const { sessions, handler, stateless, onHanded } = this.#options;
    if (message.type === 'handed' || message.type === 'handed-taken') {
      onHanded(message);
      return;
    }
    if (message.type === 'backend-done' || message.type === 'backend-used') {
      handler.onUseMessage?.(message, key => this.#findHeld(key));
      return;
    }
    if (message.session === undefined) {
      stateless.onReplicaMessage?.(message);
      return;
    }
    const session = this.#findHeld(message.session);
    if (message.type === 'stream') {
      session?.touch(); // Keeps the session here, because other replicas use its streams at this replica.
      handler.onStreamMessage?.(message);
      return;
    }
    if (session === undefined) return;
    if (message.type === 'ended') sessions.delete(session.id);
    else if (message.type === 'changed') handler.shared?.(session, message.fields ?? {});
    else {
      if (message.type === 'listening') session.streams.leaveStanding();
      handler.onReplicaMessage?.(session, message);
    }
  }

  #findHeld(key: string): LiveSession<S> | undefined {
    const id = this.#ids.get(key);
    return id === undefined ? undefined : this.#options.sessions.findLive(id);
  }

  /**
   * Loads all sessions again, one after the other, because messages between replicas may have been lost: sessions that are no longer in the store have
   * ended, and fields of other sessions may have changed. If loading fails, it starts again after the next interruption.
   */
  async #lookAll(): Promise<void> {
    const { shared, sessions, handler } = this.#options;
    const ids = [...sessions.values()].map(({ id }) => id);
    try {
      const found = await shared.existing(ids);
      for (const id of ids) if (!found.has(id)) sessions.delete(id);
      for (const id of found) {
        const fields = await shared.load(id, 0);
        const session = sessions.findLive(id);
        if (fields !== undefined && session !== undefined) handler.shared?.(session, fields);
      }
    } catch {
      // The store is unavailable again; the sessions are loaded after the next interruption.
    }
  }

  /** Extends the lifetime, in the store, of the sessions that were used since the last run. */
  async #prolong(): Promise<void> {
    const { shared, sessions, ttlMs, now } = this.#options;
    const used = [...sessions.values()].filter(session => session.isBusy || session.lastUsedMs > session.keptMs);
    const at = now();
    const found = await shared
      .keep(
        used.map(({ id }) => id),
        ttlMs,
      )
      .catch(() => undefined);
    if (found === undefined) return;
    for (const session of used) {
      if (found.has(session.id)) session.keptMs = at;
      else sessions.delete(session.id);
    }
  }

  #reportAgain(): void {
    for (const id of this.#unreported) this.end(id).catch(() => {});
  }
}

/** @throws WireError with HTTP 503 for an unavailable store */
async function markHandled<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof StoreAwayError)) throw error;
    const text = 'the session store cannot be reached; try again later';
    throw new WireError(WIRE_CODE.refused, text, { httpStatus: 503 });
  }
}

async function limitWait<T>(limitMs: number, answer: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new StoreAwayError('no answer in time')), limitMs);
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

function createNotFound(): WireError {
  return new WireError(WIRE_CODE.sessionNotFound, 'session not found', { httpStatus: 404 });
}

/** The message in the text of an event. */
function readData(event: string): string {
  return event
    .split('\n')
    .filter(line => line.startsWith('data:'))
    .map(line => line.slice(5).trimStart())
    .join('\n');
}
