import type { ServerResponse } from 'node:http';
import type { SharedEvent } from '../shared-sessions/store.ts';
import { detachString } from '../tuning/detach-string.ts';
import { ClientStream, type ClientStreamOptions } from './client-stream.ts';
import { type EndedStream, type EndedStreams, MAX_ENDED_STREAMS, replayEnded, replayLost } from './ended-streams.ts';
import { formatStreamName, LAST, readEventId } from './event-id.ts';
import { parseSoundMessage } from './read-envelope.ts';
import { ReplayBuffer, type ReplayStream } from './replay-buffer.ts';
import type { ReplayStore } from './replay-store.ts';
import type { StreamConnections } from './stream-connection.ts';
import { WIRE_CODE, WireError } from './wire-error.ts';

/** Maximum number of open GET streams in one session, and of disconnected GET streams that wait for their client. */
export const MAX_STREAMS = 4;

/** From this revision on an event may have an id and no data. Revisions are dates, so they compare as text. */
const EMPTY_EVENTS_SINCE = '2025-11-25';

/** The notifications of which the latest is kept for the next stream. The pattern matches a fixed number of methods, so few are kept. */
const LIST_CHANGED = /^notifications\/(?:tools|prompts|resources)\/list_changed$/;

export interface SessionStreamsOptions {
  readonly protocolVersion: string;
  /** How long a broken stream waits for its client, in milliseconds. */
  readonly resumeWindowMs: number;
  /** The ended streams of all sessions. */
  readonly ended: EndedStreams;
  /** The events of open streams of all sessions. */
  readonly replayStore: ReplayStore;
  /** The number of the first stream. Default 1. */
  readonly firstStream?: number;
  /** Called with each event that is kept. */
  readonly onKept?: (event: SharedEvent) => void;
  /** A standing stream has lost its connection. */
  readonly onDisconnect: () => void;
}

/** The event streams of one session: those that answer a POST, and the standing streams, which a GET opens. */
export class SessionStreams {
  readonly #takesEmptyEvents: boolean;
  readonly #windowMs: number;
  readonly #onDisconnect: () => void;
  readonly #buffer: ReplayBuffer;
  /** The open streams that a client can resume, by number. */
  readonly #resumable = new Map<number, ClientStream>();
  /** Streams that have ended, oldest first. */
  readonly #ended: EndedStream[] = [];
  readonly #allEnded: EndedStreams;
  /** Streams that were opened with GET, in the order of their latest connection. */
  readonly #standing: ClientStream[] = [];
  #numbers: number;
  readonly #onKept: ((event: SharedEvent) => void) | undefined;
  #isClosed = false;
  /** By method: `list_changed` notifications that wait because no stream is open. */
  readonly #undelivered = new Map<string, string>();

  constructor(options: SessionStreamsOptions) {
    const { protocolVersion, resumeWindowMs, ended, replayStore, firstStream = 1, onKept, onDisconnect } = options;
    this.#numbers = firstStream - 1;
    this.#onKept = onKept;
    this.#takesEmptyEvents = protocolVersion >= EMPTY_EVENTS_SINCE;
    this.#windowMs = resumeWindowMs;
    this.#allEnded = ended;
    this.#buffer = new ReplayBuffer(() => this.#forgetOldestEnded(), replayStore);
    this.#onDisconnect = onDisconnect;
  }

  /** Whether a standing stream is open. */
  get isListening(): boolean {
    return this.#standing.some(stream => stream.isConnected);
  }

  /** Creates a stream that a client can resume. `request` is empty for the answer to a batch, undefined for a standing stream. */
  create(options: Omit<ClientStreamOptions, 'resumption'>): ClientStream {
    const number = ++this.#numbers;
    const name = formatStreamName(number, options.request, options.onlyReads);
    const replayStream: ReplayStream = [];
    const stream = new ClientStream({
      ...options,
      resumption: {
        buffer: this.#buffer,
        replayStream,
        name,
        takesEmptyEvents: this.#takesEmptyEvents,
        windowMs: this.#windowMs,
        onKept: this.#onKept,
        onEnded: request => this.#keepEnded(number, name, replayStream, request),
        onGone: () => this.#forget(number, stream),
      },
    });
    this.#resumable.set(number, stream);
    return stream;
  }

  /**
   * Answers a GET: continues the stream of the client's last event, or opens a standing stream if the client names no event. If the stream answers a
   * request and its events are no longer kept, the client gets an error for that request. Returns whether a standing stream is open now.
   * @throws WireError with HTTP 409 at {@link MAX_STREAMS}, with HTTP 405 if the client already has the whole stream
   */
  listen(res: ServerResponse, outlets: StreamConnections, lastEventId: string | undefined): boolean {
    const from = lastEventId === undefined ? undefined : readEventId(lastEventId);
    const ended = from === undefined ? undefined : this.#ended.find(({ number }) => number === from.stream);
    if (from?.position === LAST) {
      // Some clients reconnect after a failed call. If they got an empty stream, they would reconnect again and again.
      if (ended !== undefined) this.forgetEnded(ended);
      throw createStreamOver('this stream has ended');
    }
    if (from !== undefined && ended !== undefined) {
      replayEnded(outlets.open(res), ended, from.position);
      return false;
    }
    const previous = from === undefined ? undefined : this.#resumable.get(from.stream);
    // The client waits for the answer to a request. On a standing stream in its place, the client would wait forever.
    if (previous === undefined && from?.request !== undefined) {
      if (from.request === '') throw createStreamOver('this stream is no longer stored');
      replayLost(outlets.open(res), from);
      return false;
    }
    const isStanding = previous === undefined || this.#standing.includes(previous);
    if (isStanding) this.#ensureRoom(previous);
    if (previous !== undefined && from !== undefined) previous.resume(res, from.position);
    if (!isStanding) return false;
    const stream = previous ?? this.create({ outlets, onDisconnect: this.#onDisconnect });
    if (previous === undefined) stream.open(res);
    this.#remove(stream);
    this.#standing.push(stream);
    for (const json of this.#undelivered.values()) stream.send(json);
    this.#undelivered.clear();
    return true;
  }

  /** See `ClientSession.send`. */
  send(json: string): boolean {
    const newestFirst = [...this.#standing].reverse();
    if (newestFirst.some(stream => stream.isConnected && stream.send(json))) return true;
    const method = parseSoundMessage(json)?.method;
    if (method !== undefined && LIST_CHANGED.test(method)) {
      this.#undelivered.set(method, json);
      return true;
    }
    // No standing stream could send the message: the newest one keeps it until its client reconnects.
    return newestFirst[0]?.send(json) ?? false;
  }

  /** Another replica now has a standing stream of this session: ends the disconnected standing streams at this replica. */
  leaveStanding(): void {
    for (const stream of [...this.#standing]) stream.abandon();
  }

  /** Closes the connections of the standing streams; clients may reconnect. */
  disconnect(): void {
    for (const stream of this.#standing) stream.disconnect();
  }

  /** The session has ended: standing streams end, and waiting messages are dropped. */
  close(): void {
    this.#isClosed = true;
    for (const stream of [...this.#standing]) stream.end();
    for (const stream of [...this.#resumable.values()]) stream.abandon();
    for (const ended of [...this.#ended]) this.forgetEnded(ended);
  }

  forgetEnded(stream: EndedStream): void {
    this.#allEnded.delete(stream);
    this.#buffer.forgetStream(stream.replayStream);
    const index = this.#ended.indexOf(stream);
    if (index === 0) this.#ended.shift();
    else if (index > 0) this.#ended.splice(index, 1);
  }

  #keepEnded(number: number, name: string, replayStream: ReplayStream, answered: string | undefined): void {
    this.#resumable.delete(number);
    if (this.#isClosed) {
      this.#buffer.forgetStream(replayStream);
      return;
    }
    const request = answered === undefined ? undefined : detachString(answered);
    this.#buffer.end(replayStream);
    this.#ended.push(this.#allEnded.add(this, { number, name, request, replayStream }));
    if (this.#ended.length > MAX_ENDED_STREAMS) this.#forgetOldestEnded();
  }

  #forgetOldestEnded(): boolean {
    const [oldest] = this.#ended;
    if (oldest !== undefined) this.forgetEnded(oldest);
    return oldest !== undefined;
  }

  #ensureRoom(previous: ClientStream | undefined): void {
    const open = this.#standing.filter(stream => stream.isConnected && stream !== previous);
    if (open.length >= MAX_STREAMS) {
      throw new WireError(WIRE_CODE.refused, `a session has at most ${MAX_STREAMS} open streams`, { httpStatus: 409 });
    }
    const waiting = this.#standing.filter(stream => !stream.isConnected && stream !== previous);
    if (waiting.length >= MAX_STREAMS) waiting[0]?.abandon();
  }

  #forget(number: number, stream: ClientStream): void {
    this.#resumable.delete(number);
    this.#remove(stream);
  }

  #remove(stream: ClientStream): void {
    const index = this.#standing.indexOf(stream);
    if (index >= 0) this.#standing.splice(index, 1);
  }
}

/** The error for a GET without a stream to continue: 405. After a 404, the client would think that the session has ended, and open a new one. */
function createStreamOver(message: string): WireError {
  return new WireError(WIRE_CODE.refused, message, { httpStatus: 405 });
}
