/** One request over Streamable HTTP: the POST, and its answer as a JSON body or as an event of a stream. */
import type { IncomingHttpHeaders } from 'node:http';
import { type Exchange, type ExchangeHandler, headerValue, startExchange } from '../../http/exchange.ts';
import { idKey } from '../../mcp/envelope.ts';
import { EventStreamParser, type LongMessage, type StreamEvent } from '../../mcp/event-stream-parser.ts';
import { beginsObject, isErrorResponse } from './answer-body.ts';
import { readHead } from './answer-head.ts';
import { type AnswerSink, BackendError, type BackendRequest } from './backend.ts';
import { type BackendContext, CLIENT_MS, mediaType } from './context.ts';
import {
  aborted,
  clientStalled,
  failureOf,
  isAboutSender,
  protocolError,
  statusFailure,
  timedOut,
  tooLarge,
} from './failure.ts';
import { beginsResponseTo, beginsUsualResult, messageKind } from './message-kind.ts';
import { hasOnlyId, OwnId } from './own-id.ts';
import { NOWHERE, type SilenceWatch, silenceWatch, type Watched } from './silence-watch.ts';
import { StreamResumption } from './stream-resumption.ts';

/** How long a client may read nothing of its answer: a connection to the backend waits with it. Milliseconds. */
const STALLED_CLIENT_MS = 60_000;

/** Ceiling on the body of an answer with an error status: 64 KB. */
const MAX_ERROR_BODY_BYTES = 64 * 1024;

/** The session that a call is sent in. `headers`: names and values in turn. */
export interface CallSession {
  readonly id: string | undefined;
  readonly headers: string[];
  /** Headers of a GET that goes on with a lost stream; without them none does. */
  readonly streamHeaders?: readonly string[];
}

/** Whoever sends calls and hears what concerns the session as a whole. */
export interface CallOwner {
  /** The backend no longer knows `session`. The owner calls `send` again, once, or `fail`. */
  sessionLost(call: PostCall, session: CallSession): void;
  timedOut(call: PostCall): void;
  /** A request of the backend that the sink does not take; `id` is JSON text. */
  refused(id: string, method: string): void;
  /**
   * An answer with an error status; `body` when it is JSON. True takes the call out of its hands: it is settled without a
   * word to the sink, and `deliver` hands on what would have been.
   */
  rejected?(call: PostCall, status: number, body: Buffer | undefined, deliver: () => void): boolean;
  /** The sink has its answer or its failure, or the owner has taken the call. */
  settled(call: PostCall): void;
}

/** `flowing`: inside of an event that carries a large answer. */
type Phase = 'waiting' | 'json' | 'stream' | 'flowing' | 'lost' | 'error' | 'settled';

export class PostCall implements ExchangeHandler, Watched {
  readonly request: BackendRequest;
  readonly sink: AnswerSink;
  /** `Mcp-Session-Id` of the answer. */
  sessionId: string | undefined;
  readonly #context: BackendContext;
  readonly #owner: CallOwner;
  #session: CallSession | undefined;
  #isRepeated = false;
  #phase: Phase = 'waiting';
  #exchange: Exchange | undefined;
  place: number = NOWHERE;
  silentParts = 0;
  /** While the backend is to answer. */
  #watch: SilenceWatch | undefined;
  #limitMs = 0;
  /** While something else is waited for. */
  #timer: NodeJS.Timeout | undefined;
  #bytes = 0;
  #length: number | undefined;
  #ownId: OwnId | undefined;
  #parser: EventStreamParser | undefined;
  #retryMs: number | undefined;
  #resumption: StreamResumption | undefined;
  /** Requests of the backend that the client has not answered. */
  #questions: Set<string> | undefined;
  #errorStatus = 0;
  #errorBody: Buffer[] | undefined;

  constructor(context: BackendContext, request: BackendRequest, sink: AnswerSink, owner: CallOwner) {
    this.#context = context;
    this.request = request;
    this.sink = sink;
    this.#owner = owner;
    request.signal?.addEventListener('abort', this);
  }

  /** Sends the request, or sends it again in another session. Does nothing when the call has been given up meanwhile. */
  send(session: CallSession): void {
    if (this.request.signal?.aborted === true) this.fail(aborted(this.#context.backend));
    if (this.#phase === 'settled') return;
    const { client, target } = this.#context;
    this.#isRepeated = this.#session !== undefined;
    this.#session = session;
    this.#expectAnswer();
    const { text: body, sender: behalf } = this.request;
    const post = { target, method: 'POST', headers: session.headers, body, behalf } as const;
    this.#exchange = startExchange(client.requests, post, this);
  }

  /** The session in which it was sent last. */
  get session(): CallSession | undefined {
    return this.#session;
  }

  /** Takes the call back without a word to the sink. Returns false when it was settled already. */
  withdraw(): boolean {
    return this.#settle();
  }

  /** Ends the call without an answer. */
  fail(error: BackendError): void {
    if (!this.#settle()) return;
    this.#exchange?.abort();
    this.sink.fail(error);
  }

  /** The client's answer to the request `id` (as `messageKind` gives it) is on its way: the silence is the backend's again. */
  answered(id: string): void {
    if (this.#questions?.delete(id) === true && this.#questions.size === 0) this.#expectAnswer();
  }

  head(status: number, headers: IncomingHttpHeaders): void {
    this.#heard();
    if (this.#phase === 'lost') {
      this.#resumed(status, headers);
      return;
    }
    if (status === 404 && this.#session?.id !== undefined && !this.#isRepeated) {
      this.#sendAgain(this.#session);
      return;
    }
    const head = readHead(this.#context, status, headers);
    if (head instanceof BackendError) {
      // The rest of such an answer is likely to be short: the connection is worth keeping.
      this.#exchange?.discard();
      this.#exchange = undefined;
      if (!this.#isTaken(status, undefined, () => this.sink.fail(head))) this.fail(head);
      return;
    }
    this.sessionId = headerValue(headers, 'mcp-session-id');
    this.#phase = head.body;
    if (head.body === 'json') this.#length = head.length;
    else if (head.body === 'error') this.#errorStatus = head.status;
    else this.#readStream();
  }

  data(chunk: Buffer): void {
    if (this.#phase === 'json') this.#jsonChunk(chunk);
    else if (this.#phase === 'error') this.#errorChunk(chunk);
    else if (this.#phase === 'stream' || this.#phase === 'flowing') {
      try {
        this.#parser?.push(chunk);
      } catch (error) {
        this.fail(failureOf(this.#context.backend, error));
      }
    }
  }

  end(): void {
    const { backend } = this.#context;
    if (this.#phase === 'json' && this.#bytes > 0) {
      this.#settle();
      this.sink.end();
    } else if (this.#phase === 'json') this.fail(protocolError(backend, 'answered with an empty body'));
    else if (this.#phase === 'stream') this.#lost(protocolError(backend, 'closed the stream before the answer'));
    else if (this.#phase === 'flowing') this.fail(protocolError(backend, 'closed the stream within the answer'));
    else if (this.#phase === 'error') this.#endOfError();
  }

  failed(error: Error): void {
    const failure = failureOf(this.#context.backend, error);
    // What no credential can be had for now cannot be gone on with.
    if (!isAboutSender(failure) && (this.#phase === 'stream' || this.#phase === 'lost')) this.#lost(failure);
    else this.fail(failure);
  }

  /** The signal's listener. */
  handleEvent(): void {
    this.fail(aborted(this.#context.backend));
  }

  #jsonChunk(chunk: Buffer): void {
    const { backend, client } = this.#context;
    const isFirst = this.#bytes === 0;
    this.#bytes += chunk.length;
    if (this.#bytes > client.maxResponseBytes) {
      this.fail(tooLarge(backend));
    } else if (isFirst && !beginsObject(chunk)) {
      this.fail(protocolError(backend, 'answered with something other than a JSON object'));
    } else if (!this.#isAboutUs(chunk)) {
      this.fail(protocolError(backend, 'answered another request'));
    } else {
      if (isFirst) this.sink.start(this.#length);
      else this.#heard();
      if (!this.sink.data(chunk)) this.#waitForSink();
    }
  }

  #isAboutUs(chunk: Buffer): boolean {
    if (chunk.length === this.#length) return hasOnlyId(chunk, this.request.id);
    this.#ownId ??= new OwnId(this.request.id);
    return this.#ownId.push(chunk);
  }

  /** While the sink is full the silence is ours, not the backend's. */
  #waitForSink(): void {
    if (this.#phase === 'settled') return;
    this.#stopWaiting();
    this.#timer = setTimeout(() => this.fail(clientStalled(this.#context.backend)), STALLED_CLIENT_MS);
    this.#exchange?.pause();
    this.sink.onDrain(() => {
      if (this.#phase === 'settled') return;
      this.#expectAnswer();
      this.#exchange?.resume();
    });
  }

  #event(event: StreamEvent): void {
    // Events without data only hand out an id; other types than `message` are not MCP's.
    if (this.#phase === 'settled' || event.event !== 'message' || event.bytes.length === 0) return;
    const { id } = this.request;
    if (beginsUsualResult(event.bytes, id) && hasOnlyId(event.bytes, id)) {
      this.#answer(event.bytes);
      return;
    }
    const kind = messageKind(event.bytes);
    if (kind?.type === 'response' && kind.id === idKey(id) && hasOnlyId(event.bytes, id)) {
      this.#answer(event.bytes);
      return;
    }
    this.#heard();
    if (kind === undefined) {
      this.fail(protocolError(this.#context.backend, 'sent an event that is not a JSON-RPC message'));
    } else if (kind.type === 'notification') {
      this.sink.message(event.data);
    } else if (kind.type === 'request') {
      if (this.sink.request === undefined) this.#owner.refused(kind.id, kind.method);
      else {
        this.#waitForClient(kind.id);
        this.sink.request(event.data, kind.id, kind.method);
      }
    } else {
      this.#context.log.debug({ backend: this.#context.backend }, 'ignored an answer to another request');
    }
  }

  #readStream(): void {
    this.#parser = new EventStreamParser(event => this.#event(event), {
      maxEventBytes: this.#context.client.maxResponseBytes,
      onRetry: ms => {
        this.#retryMs = ms;
      },
      onLongMessage: beginning => this.#longMessage(beginning),
    });
    this.#phase = 'stream';
  }

  /** A large answer goes on while it comes, like a large JSON body. Other long messages are gathered. */
  #longMessage(beginning: Buffer): LongMessage | undefined {
    if (!beginsResponseTo(beginning, this.request.id)) return undefined;
    this.#phase = 'flowing';
    this.sink.start(undefined);
    return {
      piece: bytes => {
        if (this.#phase === 'settled') return;
        if (!this.#isAboutUs(bytes)) this.fail(protocolError(this.#context.backend, 'answered another request'));
        else if (this.sink.data(bytes)) this.#heard();
        else this.#waitForSink();
      },
      end: () => {
        if (!this.#settle()) return;
        this.#exchange?.discard();
        this.sink.end();
      },
    };
  }

  /** The stream is over and the answer has not come: what is left of it is fetched when the backend numbers its events. */
  #lost(failure: BackendError): void {
    if (this.#phase === 'settled') return;
    const lastEventId = this.#parser?.lastEventId ?? '';
    const canResume = this.#session?.streamHeaders !== undefined && (lastEventId !== '' || this.#phase === 'lost');
    if (canResume) this.#resumption ??= new StreamResumption(this.#context.reconnect);
    const waitMs = this.#resumption?.next(lastEventId, this.#retryMs);
    if (waitMs === undefined) {
      this.fail(failure);
      return;
    }
    this.sink.delayed?.();
    this.#phase = 'lost';
    this.#exchange = undefined;
    this.#stopWaiting();
    this.#timer = setTimeout(() => this.#resume(), waitMs);
  }

  #resume(): void {
    const { client, target } = this.#context;
    this.#parser = undefined;
    if (this.#questions?.size) this.#expectAnswer(CLIENT_MS);
    else this.#expectAnswer();
    const headers = [...(this.#session?.streamHeaders ?? []), 'last-event-id', this.#resumption?.lastEventId ?? ''];
    this.#exchange = startExchange(
      client.requests,
      { target, method: 'GET', headers, behalf: this.request.sender },
      this,
    );
  }

  #resumed(status: number, headers: IncomingHttpHeaders): void {
    if (status === 200 && mediaType(headerValue(headers, 'content-type')) === 'text/event-stream') {
      this.#readStream();
      return;
    }
    this.#exchange?.discard();
    const failure = statusFailure(this.#context, status);
    // Only what is about the moment is worth another attempt.
    if (status >= 500 || status === 429) this.#lost(failure);
    else if (isAboutSender(failure)) this.fail(failure);
    else this.fail(protocolError(this.#context.backend, `lost the answer (its stream is gone: HTTP ${status})`));
  }

  #waitForClient(id: string): void {
    this.#questions ??= new Set();
    this.#questions.add(id);
    this.#expectAnswer(CLIENT_MS);
  }

  #answer(json: Buffer): void {
    this.#settle();
    this.#exchange?.discard();
    this.#handOver(json);
  }

  #handOver(json: Buffer, httpStatus?: number): void {
    this.sink.start(json.length, httpStatus);
    this.sink.data(json);
    this.sink.end();
  }

  #errorChunk(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > MAX_ERROR_BODY_BYTES) this.fail(statusFailure(this.#context, this.#errorStatus));
    else {
      this.#errorBody ??= [];
      this.#errorBody.push(chunk);
    }
  }

  #endOfError(): void {
    const body = Buffer.concat(this.#errorBody ?? []);
    const status = this.#errorStatus;
    const failure = isErrorResponse(body, this.request.id) ? undefined : statusFailure(this.#context, status);
    const deliver = () => (failure === undefined ? this.#handOver(body, status) : this.sink.fail(failure));
    if (this.#isTaken(status, body, deliver)) return;
    this.#settle();
    deliver();
  }

  #isTaken(status: number, body: Buffer | undefined, deliver: () => void): boolean {
    return this.#owner.rejected?.(this, status, body, deliver) === true && this.#settle();
  }

  #sendAgain(session: CallSession): void {
    this.#stopWaiting();
    this.#exchange?.discard();
    this.#exchange = undefined;
    this.#owner.sessionLost(this, session);
  }

  /** The silence is the backend's from now on, and may last for `limitMs`. */
  #expectAnswer(limitMs: number = this.request.timeoutMs ?? this.#context.timeoutMs): void {
    this.#stopWaiting();
    this.#limitMs = limitMs;
    this.#watch = silenceWatch(limitMs);
    this.#watch.begin(this);
  }

  /** The backend has given a sign of life. */
  #heard(): void {
    this.silentParts = 0;
  }

  silentTooLong(): void {
    this.fail(timedOut(this.#context.backend, this.#limitMs));
    this.#owner.timedOut(this);
  }

  #stopWaiting(): void {
    this.#watch?.end(this);
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #settle(): boolean {
    if (this.#phase === 'settled') return false;
    this.#phase = 'settled';
    this.#stopWaiting();
    this.request.signal?.removeEventListener('abort', this);
    this.#owner.settled(this);
    return true;
  }
}
