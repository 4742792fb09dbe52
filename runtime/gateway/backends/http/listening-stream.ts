/** The event stream on which a Streamable HTTP backend sends messages that belong to no request. It reconnects by itself. */
import type { IncomingHttpHeaders } from 'node:http';
import { type Exchange, type ExchangeHandler, getHeader, startExchange } from '../../../http/exchange.ts';
import type { Envelope } from '../../../mcp/envelope.ts';
import { EventStreamParser, type StreamEvent } from '../../../mcp/event-stream-parser.ts';
import { Backoff } from '../backoff.ts';
import { type BackendContext, getMediaType } from '../context.ts';
import { splitBatches } from '../messages/batch.ts';
import { findMessageKind } from '../messages/message-kind.ts';
import { readServerMessage } from '../messages/server-message.ts';
import { canBeHeader } from './stream-resumption.ts';

/** A stream that lasted this long counts as successful, even without a message; milliseconds. */
const GOOD_STREAM_MS = 10_000;

/** The session of the stream; a new session is a new object. `streamHeaders`: names and values alternate. */
export interface StreamSession {
  readonly streamHeaders: readonly string[];
  /** Whether the session's revision has batches: an event may then contain an array of messages. */
  readonly mayBatch: boolean;
}

export interface ListeningStreamOptions {
  /** Opens a session if none is open. */
  open(): Promise<StreamSession>;
  onMessage(notification: Envelope): void;
  /** Called when the backend is available again after a stream was lost: notifications may be missing. */
  onMissed(): void;
  /** Called when the backend no longer has the stream (HTTP 404, 400 or 405). */
  onNotFound(): void;
  /** Called with a request of the backend; `json` is undefined for an invalid message; `id` is JSON text. */
  serverRequest(json: string | undefined, id: string, method: string): void;
}

export class ListeningStream implements ExchangeHandler {
  readonly #context: BackendContext;
  readonly #options: ListeningStreamOptions;
  readonly #backoff: Backoff;
  #session: StreamSession | undefined;
  #exchange: Exchange | undefined;
  #parser: EventStreamParser | undefined;
  #lastEventId = '';
  #isOpen = false;
  /** Whether the stream has been open in this session. */
  #wasOpen = false;
  #hasGap = false;
  #startedAt = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Set while requests wait for the backend to answer the GET. */
  #awaited: (PromiseWithResolvers<void> & { readonly timer: NodeJS.Timeout }) | undefined;
  #closed = false;

  constructor(context: BackendContext, options: ListeningStreamOptions) {
    this.#context = context;
    this.#options = options;
    this.#backoff = new Backoff(context.reconnect);
  }

  /** Opens the stream, after a session if none is open. */
  start(): void {
    if (this.#closed) return;
    this.#options.open().then(
      session => this.follow(session),
      () => this.#retry(),
    );
  }

  /** Changes to a new session: closes a stream of the former one. */
  follow(session: StreamSession): void {
    if (this.#closed || (this.#session === session && this.#exchange !== undefined)) return;
    clearTimeout(this.#timer);
    this.#exchange?.abort();
    this.#leave();
    if (this.#session !== undefined && this.#session !== session) {
      this.#lastEventId = '';
      // The gateway misses the notifications between two sessions, even if the former session had a stream.
      this.#hasGap = true;
    }
    if (this.#session !== session) this.#wasOpen = false;
    this.#session = session;
    this.#startedAt = performance.now();
    const onEvent = (event: StreamEvent) => this.#handleEvent(event);
    this.#parser = new EventStreamParser(session.mayBatch ? splitBatches(onEvent) : onEvent, {
      maxEventBytes: this.#context.client.maxResponseBytes,
      onRetry: ms => this.#backoff.setFirst(ms),
    });
    const headers = [...session.streamHeaders];
    if (this.#lastEventId !== '') headers.push('last-event-id', this.#lastEventId);
    const { client, target } = this.#context;
    this.#awaitAnswer();
    this.#exchange = startExchange(client.streams, { target, method: 'GET', headers }, this);
  }

  #awaitAnswer(): void {
    this.#stopWaiting();
    const { streamAnswers } = this.#context;
    const { waitMs } = streamAnswers;
    if (waitMs === 0) return;
    const giveUp = () => {
      streamAnswers.notOpened();
      this.#stopWaiting();
    };
    this.#awaited = { ...Promise.withResolvers<void>(), timer: setTimeout(giveUp, waitMs).unref() };
  }

  #stopWaiting(): void {
    clearTimeout(this.#awaited?.timer);
    this.#awaited?.resolve();
    this.#awaited = undefined;
  }

  /** Resolves when the backend has answered the GET or its time limit has passed; undefined when there is no answer to wait for. */
  get answered(): Promise<void> | undefined {
    return this.#awaited?.promise;
  }

  close(): void {
    this.#closed = true;
    this.#stopWaiting();
    clearTimeout(this.#timer);
    this.#exchange?.abort();
  }

  head(status: number, headers: IncomingHttpHeaders): void {
    this.#isOpen = status === 200 && getMediaType(getHeader(headers, 'content-type')) === 'text/event-stream';
    this.#stopWaiting();
    if (this.#isOpen) this.#context.streamAnswers.opened(performance.now() - this.#startedAt);
    else if (status === 405) this.#context.streamAnswers.notOpened();
    // A backend that fails (5xx) is not back yet.
    if (this.#hasGap && (this.#isOpen || (status >= 400 && status < 500))) {
      this.#hasGap = false;
      this.#options.onMissed();
    }
    if (this.#isOpen) {
      this.#wasOpen = true;
      return;
    }
    this.#exchange?.discard();
    if ((status === 404 || status === 400 || status === 405) && this.#wasOpen) {
      this.#wasOpen = false;
      this.#options.onNotFound();
    }
    // A backend without such a stream answers 405. The exchange stays set, so that only a new session sends the GET again.
    if (status !== 405) this.#retry();
  }

  data(chunk: Buffer): void {
    const exchange = this.#exchange;
    try {
      this.#parser?.push(chunk);
    } catch {
      exchange?.abort();
      if (exchange === this.#exchange) this.#retry();
    }
    this.#keepLastEventId();
  }

  end(): void {
    this.#retry();
  }

  failed(): void {
    this.#retry();
  }

  #handleEvent(event: StreamEvent): void {
    this.#backoff.reset();
    if (event.event !== 'message' || event.bytes.length === 0) return;
    const kind = findMessageKind(event.bytes);
    if (kind === undefined || kind.type === 'response') return;
    const message = readServerMessage(this.#context, event.data, kind.type);
    if (kind.type === 'request') this.#options.serverRequest(message?.text, kind.id, kind.method);
    else if (message !== undefined) this.#options.onMessage(message);
  }

  #keepLastEventId(): void {
    const id = this.#parser?.lastEventId ?? '';
    if (canBeHeader(id)) this.#lastEventId = id;
  }

  #leave(): void {
    if (this.#isOpen) this.#hasGap = true;
    this.#isOpen = false;
  }

  #retry(): void {
    this.#exchange = undefined;
    this.#stopWaiting();
    this.#leave();
    if (this.#closed) return;
    if (performance.now() - this.#startedAt > GOOD_STREAM_MS) this.#backoff.reset();
    clearTimeout(this.#timer);
    const waitMs = this.#backoff.next();
    this.#timer = setTimeout(() => this.start(), waitMs);
    this.#timer.unref();
    this.#context.log.debug(
      { backend: this.#context.backend, waitMs: Math.round(waitMs) },
      'listening stream will reopen',
    );
  }
}
