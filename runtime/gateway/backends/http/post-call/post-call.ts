/** One request over Streamable HTTP: the POST, and its answer as a JSON body or as an event of a stream. */
import type { IncomingHttpHeaders } from 'node:http';
import { wasBroken } from '../../../../http/connection-failure.ts';
import { type Exchange, type ExchangeHandler, headerValue, startExchange } from '../../../../http/exchange.ts';
import type { TurnState, TurnTaker } from '../../../../http/turns.ts';
import { type Envelope, idKey } from '../../../../mcp/envelope.ts';
import { EventStreamParser, type LongMessage, StreamEvent } from '../../../../mcp/event-stream-parser.ts';
import { traceHeaders } from '../../../../mcp/trace-context.ts';
import { type AnswerSink, BackendError, type BackendRequest } from '../../backend.ts';
import { retryWithinBounds } from '../../backoff.ts';
import { type BackendContext, CLIENT_MS, mediaType } from '../../context.ts';
import {
  aborted,
  busy,
  clientStalled,
  failureOf,
  isAboutSender,
  protocolError,
  statusFailure,
  timedOut,
  tooLarge,
  tooManyWait,
  tooMuchText,
} from '../../failure.ts';
import { beginsObject, errorWithId, isErrorResponse, MAX_ERROR_BODY_BYTES } from '../../messages/answer-body.ts';
import { beginsBatch, messagesOfBatch, takenApart } from '../../messages/batch.ts';
import { GatheredBody } from '../../messages/gathered-body.ts';
import { beginsResponseTo, messageKind } from '../../messages/message-kind.ts';
import { type AnswerFlaw, flawOfAnswer, isUsualAnswer, OwnAnswer } from '../../messages/own-answer.ts';
import { readBetween } from '../../messages/said-between.ts';
import { NOWHERE, type SilenceWatch, silenceWatch, type Watched } from '../../silence-watch.ts';
import { type StreamLoss, StreamResumption } from '../stream-resumption.ts';
import { readHead } from './answer-head.ts';

/** How long a client may read nothing of its answer: a connection to the backend waits with it. Milliseconds. */
const STALLED_CLIENT_MS = 60_000;

/** The session that a call is sent in. `headers`: names and values in turn. */
export interface CallSession {
  readonly id: string | undefined;
  readonly headers: string[];
  /** Headers of a GET that goes on with a lost stream; without them none does. */
  readonly streamHeaders?: readonly string[];
  /** Of a revision with batches: what comes may be an array of messages. */
  readonly mayBatch?: boolean;
}

/** The sender of calls, which is notified of what concerns the session as a whole. */
export interface CallOwner {
  /** The backend no longer knows `session`. The owner calls `send` again, once, or `fail`. */
  sessionLost(call: PostCall, session: CallSession): void;
  timedOut(call: PostCall): void;
  /** A request of the backend that the sink does not take; `id` is JSON text. */
  refused(id: string, method: string): void;
  /** The backend says something that is not the answer. It may be about what came with another call. */
  said?(notification: Envelope): void;
  /**
   * An answer with an error status; `body` when it is JSON. True takes the call out of its hands: it is settled without a
   * word to the sink, and `deliver` hands on what would have been.
   */
  rejected?(call: PostCall, status: number, body: Buffer | undefined, deliver: () => void): boolean;
  /** Who takes the answer that begins so, in place of the call's sink; `isWhole`: all of it is there. Not asked for error statuses. */
  sinkFor?(call: PostCall, beginning: Buffer, isWhole: boolean): AnswerSink;
  /** The sink has its answer or its failure, or the owner has taken the call. */
  settled(call: PostCall): void;
}

/** `json`: before any of a body is handed on; `document`: behind that. `flowing`: inside of an event that carries a large answer. */
type Phase = 'waiting' | 'json' | 'document' | 'batch' | 'stream' | 'flowing' | 'lost' | 'error' | 'settled';

export class PostCall implements ExchangeHandler, Watched, TurnTaker {
  readonly request: BackendRequest;
  sink: AnswerSink;
  /** `Mcp-Session-Id` of the answer. */
  sessionId: string | undefined;
  private readonly _context: BackendContext;
  private readonly _owner: CallOwner;
  /** For its text, besides those of all calls of the backend. */
  readonly hasRoom: boolean;
  private _session: CallSession | undefined;
  private _isRepeated = false;
  private _phase: Phase = 'waiting';
  /** While it has a connection, also while the rest of an answer is only read to its end. */
  private _exchange: Exchange | undefined;
  turn: TurnState = 'none';
  place: number = NOWHERE;
  heardAt = 0;
  /** While the backend is to answer. */
  private _watch: SilenceWatch | undefined;
  private _limitMs = 0;
  /** While something else is waited for. */
  private _timer: NodeJS.Timeout | undefined;
  private _bytes = 0;
  private _length: number | undefined;
  private _ownAnswer: OwnAnswer | undefined;
  private _parser: EventStreamParser | undefined;
  private _retryMs: number | undefined;
  private _resumption: StreamResumption | undefined;
  /** Requests of the backend that the client has not answered. */
  private _questions: Set<string> | undefined;
  private _errorStatus = 0;
  /** What is not an answer as it comes: a batch, the body of an error status, or what may be an error without an id. */
  private _gathered: GatheredBody | undefined;

  constructor(context: BackendContext, request: BackendRequest, sink: AnswerSink, owner: CallOwner) {
    this._context = context;
    this.request = request;
    this.sink = sink;
    this._owner = owner;
    this.hasRoom = context.client.texts.take(request.text.length);
    request.signal?.addEventListener('abort', this);
  }

  /** Sends the request, or sends it again in another session. Does nothing when the call has been given up meanwhile. */
  send(session: CallSession): void {
    if (this.request.signal?.aborted === true) this.fail(aborted(this._context.backend));
    if (!this.hasRoom) this.fail(tooMuchText(this._context.backend));
    if (this._phase === 'settled') return;
    this._isRepeated = this._session !== undefined;
    this._session = session;
    // Of the answer that said that the session is gone.
    this._exchange?.abort();
    if (this._context.client.turns.take(this)) this.go();
    else this._expectAnswer();
  }

  /** There is a connection for it: only now the backend is to answer. */
  go(): void {
    const { client, target } = this._context;
    this._expectAnswer();
    if (this._isLong && !client.turns.park(this)) {
      this.fail(tooManyWait(this._context.backend));
      return;
    }
    const { text: body, sender: behalf, trace } = this.request;
    const { headers: inSession } = this._session as CallSession; // Set before it waits for its turn.
    const headers = trace === undefined ? inSession : [...inSession, ...traceHeaders(trace)];
    const post = { target, method: 'POST', headers, body, behalf } as const;
    this._exchange = startExchange(client.calls, post, this);
  }

  /** The session in which it was sent last. */
  get session(): CallSession | undefined {
    return this._session;
  }

  /** Takes the call back without a word to the sink. Returns false when it was settled already. */
  withdraw(): boolean {
    return this._settle();
  }

  /** Whether the backend has asked its client this and waits for the answer; `id` as `messageKind` gives it. */
  hasAsked(id: string): boolean {
    return this._questions?.has(id) === true;
  }

  /** Ends the call without an answer. */
  fail(error: BackendError): void {
    if (!this._settle()) return;
    this._exchange?.abort();
    this.sink.fail(error);
  }

  /**
   * The client's answer to the request `id` (as `messageKind` gives it) is on its way, or no longer wanted: the silence is the
   * backend's again.
   */
  answered(id: string): void {
    if (this._questions?.delete(id) !== true || this._questions.size > 0) return;
    // While a lost stream is to be resumed, or the client reads nothing, it belongs to no side: the limit begins with what comes next.
    if (this.place === NOWHERE) return;
    this._unpark();
    this._expectAnswer();
  }

  /** The session is gone that the client's answers belong to. */
  noneAsked(): void {
    for (const id of this._questions ?? []) this.answered(id);
  }

  head(status: number, headers: IncomingHttpHeaders): void {
    this._heard();
    if (this._phase === 'lost') {
      this._resumed(status, headers);
      return;
    }
    if (status === 404 && this._session?.id !== undefined && !this._isRepeated) {
      this._sendAgain(this._session);
      return;
    }
    const head = readHead(this._context, status, headers);
    if (head instanceof BackendError) {
      // The rest of such an answer is likely to be short: the connection is worth keeping.
      this._exchange?.discard();
      if (!this._isTaken(status, undefined, () => this.sink.fail(head)) && this._settle()) this.sink.fail(head);
      return;
    }
    this.sessionId = headerValue(headers, 'mcp-session-id');
    this._phase = head.body;
    if (head.body === 'json') this._length = head.length;
    else if (head.body === 'error') {
      this._errorStatus = head.status;
      this._gathered = new GatheredBody(MAX_ERROR_BODY_BYTES);
    } else this._readStream();
  }

  data(chunk: Buffer): void {
    if (this._phase === 'json') this._jsonChunk(chunk);
    else if (this._phase === 'document') this._documentChunk(chunk);
    else if (this._phase === 'batch' || this._phase === 'error') this._gather(chunk);
    else if (this._phase === 'stream' || this._phase === 'flowing') {
      try {
        this._parser?.push(chunk);
      } catch (error) {
        this.fail(failureOf(this._context.backend, error));
      }
    }
  }

  end(): void {
    const { backend } = this._context;
    if (this._phase === 'document') {
      const flaw = this._ownAnswer?.flawAtEnd;
      if (flaw !== undefined) this.fail(protocolError(backend, flaw));
      else if (this._settle()) this.sink.end();
    } else if (this._phase === 'json' && this._ownAnswer !== undefined)
      this._notAnAnswer(this._ownAnswer.flaw, this._gathered?.bytes);
    else if (this._phase === 'json') this.fail(protocolError(backend, 'answered with an empty body'));
    else if (this._phase === 'stream')
      this._lost(protocolError(backend, 'closed the stream before the answer'), 'closed');
    else if (this._phase === 'flowing') this.fail(protocolError(backend, 'closed the stream within the answer'));
    else if (this._phase === 'batch') this._endOfBatch();
    else if (this._phase === 'error') this._endOfError();
  }

  failed(error: Error): void {
    const failure = failureOf(this._context.backend, error);
    // What no credential can be had for now cannot be gone on with.
    if (isAboutSender(failure)) this.fail(failure);
    else if (this._phase === 'stream') this._lost(failure, 'broken');
    // Where no connection can be opened (refused, no such name, no trust) there is no backend to wait for.
    else if (this._phase === 'lost' && wasBroken(error)) this._lost(failure, 'unanswered');
    else this.fail(failure);
  }

  /** What is gone on with keeps its turn. */
  over(exchange: Exchange): void {
    if (this._exchange !== exchange) return;
    this._exchange = undefined;
    if (this._phase === 'settled' || this._phase === 'waiting') this._context.client.turns.end(this);
  }

  /** The signal's listener. */
  handleEvent(): void {
    this.fail(aborted(this._context.backend));
  }

  private _jsonChunk(chunk: Buffer): void {
    const { backend, client } = this._context;
    const isFirst = this._bytes === 0;
    this._bytes += chunk.length;
    if (this._bytes > client.maxResponseBytes) {
      this.fail(tooLarge(backend));
    } else if (isFirst && this._session?.mayBatch === true && beginsBatch(chunk)) {
      this._phase = 'batch';
      this._gathered = new GatheredBody(client.maxResponseBytes);
      this._gather(chunk);
    } else if (isFirst && !beginsObject(chunk)) {
      this.fail(protocolError(backend, 'answered with something other than a JSON object'));
    } else {
      const flaw = this._flawOf(chunk);
      if (this._ownAnswer?.mayLackId === true && this._holdBack(chunk)) return;
      if (flaw !== undefined) {
        this._notAnAnswer(flaw, isFirst ? chunk : undefined);
        return;
      }
      this._phase = 'document';
      const held = this._gathered?.bytes;
      const beginning = held === undefined ? chunk : Buffer.concat([held, chunk]);
      // An answer of unknown length is mostly one chunk as well.
      this._begins(beginning, this._ownAnswer?.flawAtEnd === undefined);
      this.sink.start(this._length);
      if (!this.sink.data(beginning)) this._waitForSink();
    }
  }

  private _documentChunk(chunk: Buffer): void {
    this._bytes += chunk.length;
    if (this._bytes > this._context.client.maxResponseBytes) {
      this.fail(tooLarge(this._context.backend));
      return;
    }
    const flaw = this._flawOf(chunk);
    if (flaw !== undefined) {
      this._notAnAnswer(flaw);
      return;
    }
    this._heard();
    if (!this.sink.data(chunk)) this._waitForSink();
  }

  /** What may be an error without an id has to be seen whole: it is given the id of the request. False for what is longer. */
  private _holdBack(chunk: Buffer): boolean {
    if (this._bytes > MAX_ERROR_BODY_BYTES) return false;
    this._gathered ??= new GatheredBody(MAX_ERROR_BODY_BYTES);
    this._gather(chunk);
    return true;
  }

  private _gather(chunk: Buffer): void {
    this._heard();
    if (this._gathered?.push(chunk) !== false) return;
    const isError = this._phase === 'error';
    this.fail(isError ? statusFailure(this._context, this._errorStatus) : tooLarge(this._context.backend));
  }

  private _endOfBatch(): void {
    const { backend } = this._context;
    const messages = this._gathered && messagesOfBatch(this._gathered.bytes);
    for (const message of messages ?? []) this._event(new StreamEvent('message', message, undefined));
    const flaw = messages === undefined ? 'something other than a JSON object' : 'a batch without the answer';
    this.fail(protocolError(backend, `answered with ${flaw}`));
  }

  private _flawOf(chunk: Buffer): AnswerFlaw | undefined {
    if (chunk.length === this._length) return flawOfAnswer(chunk, this.request.id);
    this._ownAnswer ??= new OwnAnswer(this.request.id);
    return this._ownAnswer.push(chunk) ? undefined : this._ownAnswer.flaw;
  }

  /** `whole`: what may be all of the answer. A backend that could not read the id of a request answers without it. */
  private _notAnAnswer(flaw: AnswerFlaw, whole?: Buffer): void {
    const error = whole === undefined ? undefined : errorWithId(whole, this.request.id);
    if (error === undefined) this.fail(protocolError(this._context.backend, flaw));
    else this._answer(error);
  }

  /** While the sink is full the silence is ours, not the backend's. */
  private _waitForSink(): void {
    if (this._phase === 'settled') return;
    this._stopWaiting();
    this._timer = setTimeout(() => this.fail(clientStalled(this._context.backend)), STALLED_CLIENT_MS);
    this._exchange?.pause();
    this.sink.onDrain(() => {
      if (this._phase === 'settled') return;
      if (!this._questions?.size) this._unpark();
      this._expectAnswer();
      this._exchange?.resume();
    });
  }

  private _event(event: StreamEvent): void {
    // Events without data only hand out an id; other types than `message` are not MCP's.
    if (this._phase === 'settled' || event.event !== 'message' || event.bytes.length === 0) return;
    const { id } = this.request;
    if (isUsualAnswer(event.bytes, id)) {
      this._answer(event.bytes);
      return;
    }
    const kind = messageKind(event.bytes);
    if (kind?.type === 'response' && kind.id === idKey(id)) {
      const flaw = flawOfAnswer(event.bytes, id);
      if (flaw === undefined) this._answer(event.bytes);
      else this._notAnAnswer(flaw);
      return;
    }
    const error = kind === undefined || kind.type === 'response' ? errorWithId(event.bytes, id) : undefined;
    if (error !== undefined) {
      this._answer(error);
      return;
    }
    this._heard();
    if (kind === undefined) {
      this.fail(protocolError(this._context.backend, 'sent an event that is not a JSON-RPC message'));
    } else if (kind.type !== 'response') {
      const message = readBetween(this._context, event.data, kind.type);
      if (kind.type === 'notification') {
        if (message !== undefined) this._notification(message);
      } else if (message === undefined || this.sink.request === undefined || !this._waitForClient(kind.id)) {
        this._owner.refused(kind.id, kind.method);
      } else this.sink.request(message.text, kind.id, kind.method);
    } else {
      this._context.log.debug({ backend: this._context.backend }, 'ignored an answer to another request');
    }
  }

  private _notification(message: Envelope): void {
    this._owner.said?.(message);
    this.sink.message(message);
  }

  private _readStream(): void {
    const onEvent = (event: StreamEvent) => this._event(event);
    this._parser = new EventStreamParser(this._session?.mayBatch === true ? takenApart(onEvent) : onEvent, {
      maxEventBytes: this._context.client.maxResponseBytes,
      onRetry: ms => {
        this._retryMs = retryWithinBounds(ms);
        this.sink.retry?.(this._retryMs);
      },
      onLongMessage: beginning => this._longMessage(beginning),
    });
    this._phase = 'stream';
  }

  /** A large answer goes on while it comes, like a large JSON body. Other long messages are gathered. */
  private _longMessage(beginning: Buffer): LongMessage | undefined {
    if (!beginsResponseTo(beginning, this.request.id)) return undefined;
    this._phase = 'flowing';
    this._begins(beginning, false);
    this.sink.start(undefined);
    return {
      piece: bytes => {
        if (this._phase === 'settled') return;
        const flaw = this._flawOf(bytes);
        if (flaw !== undefined) this._notAnAnswer(flaw);
        else if (this.sink.data(bytes)) this._heard();
        else this._waitForSink();
      },
      end: () => {
        const flaw = this._phase === 'settled' ? undefined : this._ownAnswer?.flawAtEnd;
        if (flaw !== undefined) this._notAnAnswer(flaw);
        if (!this._settle()) return;
        this._exchange?.discard();
        this.sink.end();
      },
    };
  }

  /** The stream is over and the answer has not come: what is left of it is fetched when the backend numbers its events. */
  private _lost(failure: BackendError, loss: StreamLoss): void {
    if (this._phase === 'settled') return;
    const lastEventId = this._parser?.lastEventId ?? '';
    const canResume = this._session?.streamHeaders !== undefined && (lastEventId !== '' || this._phase === 'lost');
    if (canResume) this._resumption ??= new StreamResumption(this._context.reconnect);
    const waitMs = this._resumption?.next(loss, lastEventId, this._retryMs);
    if (waitMs === undefined) {
      this.fail(failure);
      return;
    }
    this.sink.delayed?.();
    this._phase = 'lost';
    this._context.client.turns.park(this);
    this._stopWaiting();
    this._timer = setTimeout(() => this._resume(), waitMs);
  }

  private _resume(): void {
    const { client, target } = this._context;
    this._exchange?.abort();
    this._parser = undefined;
    if (this._questions?.size) this._expectAnswer(CLIENT_MS);
    else {
      this._unpark();
      this._expectAnswer();
    }
    const headers = [...(this._session?.streamHeaders ?? []), 'last-event-id', this._resumption?.lastEventId ?? ''];
    this._exchange = startExchange(client.calls, { target, method: 'GET', headers, behalf: this.request.sender }, this);
  }

  private _resumed(status: number, headers: IncomingHttpHeaders): void {
    if (status === 200 && mediaType(headerValue(headers, 'content-type')) === 'text/event-stream') {
      this._readStream();
      return;
    }
    this._exchange?.discard();
    const failure = statusFailure(this._context, status);
    // Only what is about the moment is worth another attempt.
    if (status >= 500 || status === 429) this._lost(failure, 'closed');
    else if (isAboutSender(failure)) this.fail(failure);
    else this.fail(protocolError(this._context.backend, `lost the answer (its stream is gone: HTTP ${status})`));
  }

  /** False when too many calls wait for their clients: each has a connection. */
  private _waitForClient(id: string): boolean {
    if (!this._context.client.turns.park(this)) return false;
    this._questions ??= new Set();
    this._questions.add(id);
    this._expectAnswer(CLIENT_MS);
    return true;
  }

  /** What may take longer than other calls waits for something else than the backend's work, such as the end of a task. */
  private get _isLong(): boolean {
    const { timeoutMs } = this.request;
    return timeoutMs !== undefined && timeoutMs > this._context.timeoutMs;
  }

  private _unpark(): void {
    if (!this._isLong) this._context.client.turns.unpark(this);
  }

  private _answer(json: Buffer): void {
    this._settle();
    this._exchange?.discard();
    this._handOver(json);
  }

  private _begins(beginning: Buffer, isWhole: boolean): void {
    if (this._owner.sinkFor !== undefined) this.sink = this._owner.sinkFor(this, beginning, isWhole);
  }

  private _handOver(json: Buffer, httpStatus?: number): void {
    if (httpStatus === undefined) this._begins(json, true);
    this.sink.start(json.length, httpStatus);
    this.sink.data(json);
    this.sink.end();
  }

  private _endOfError(): void {
    const body = this._gathered?.bytes ?? Buffer.alloc(0);
    const status = this._errorStatus;
    const { id } = this.request;
    const isAnswer = isErrorResponse(body, id) && flawOfAnswer(body, id) === undefined;
    // With 404 a backend with sessions speaks of the session, not of the request.
    const isAboutSession = status === 404 && this._session?.id !== undefined;
    const answer = isAnswer ? body : isAboutSession ? undefined : errorWithId(body, id);
    const deliver = () =>
      answer === undefined ? this.sink.fail(statusFailure(this._context, status)) : this._handOver(answer, status);
    if (this._isTaken(status, body, deliver)) return;
    this._settle();
    deliver();
  }

  private _isTaken(status: number, body: Buffer | undefined, deliver: () => void): boolean {
    return this._owner.rejected?.(this, status, body, deliver) === true && this._settle();
  }

  private _sendAgain(session: CallSession): void {
    this._stopWaiting();
    // What opens another session needs the turn that is given back at the end of this.
    this._exchange?.discard();
    this._owner.sessionLost(this, session);
  }

  /** The silence is the backend's from now on, and may last for `limitMs`. */
  private _expectAnswer(limitMs: number = this.request.timeoutMs ?? this._context.timeoutMs): void {
    this._stopWaiting();
    this._limitMs = limitMs;
    this._watch = silenceWatch(limitMs);
    this._watch.begin(this);
  }

  /** The backend has given a sign of life. */
  private _heard(): void {
    this._watch?.heard(this);
  }

  silentTooLong(): void {
    const { backend } = this._context;
    if (this.turn === 'waiting') {
      this.fail(busy(backend, this._limitMs));
      return;
    }
    this.fail(timedOut(backend, this._limitMs));
    this._owner.timedOut(this);
  }

  private _stopWaiting(): void {
    this._watch?.end(this);
    if (this._timer === undefined) return;
    clearTimeout(this._timer);
    this._timer = undefined;
  }

  private _settle(): boolean {
    if (this._phase === 'settled') return false;
    this._phase = 'settled';
    this._stopWaiting();
    const { texts, turns } = this._context.client;
    // A connection that it still has gives it back.
    if (this._exchange === undefined) turns.end(this);
    if (this.hasRoom) texts.release(this.request.text.length);
    this.request.signal?.removeEventListener('abort', this);
    this._owner.settled(this);
    return true;
  }
}
