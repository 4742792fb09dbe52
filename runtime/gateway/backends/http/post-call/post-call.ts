/** One request over Streamable HTTP: the POST, and its answer as a JSON body or as an event of a stream. */

import type { IncomingHttpHeaders } from 'node:http';
import type { LimitedRequest, TurnState } from '../../../../http/concurrency-limiter.ts';
import { type Exchange, type ExchangeHandler, startExchange } from '../../../../http/exchange.ts';
import type { BackendError } from '../../../../mcp/backend-error.ts';
import type { ResponseSink } from '../../../../mcp/response-sink.ts';
import { traceHeaders } from '../../../../mcp/trace-context.ts';
import type { BackendRequest } from '../../backend.ts';
import { type BackendContext, CLIENT_MS } from '../../context.ts';
import {
  createAborted,
  createBusyError,
  createClientStalled,
  createProtocolError,
  createTimeout,
  createTooManyWaiting,
  createTooMuchText,
  isCallerError,
  toBackendError,
} from '../../failure.ts';
import { replaceErrorId } from '../../messages/response-body.ts';
import type { ResponseViolation } from '../../messages/response-validator.ts';
import { AWAITING_HEAD } from './awaiting-head.ts';
import type { CallOwner, CallSession } from './call-owner.ts';
import { type CallState, SETTLED } from './call-state.ts';
import { ResponseTimeout } from './response-timeout.ts';

/** How long a client may read nothing of its answer while it occupies a connection to the backend. Milliseconds. */
const STALLED_CLIENT_MS = 60_000;

/**
 * Sends the request at its turn, and passes events to the call's current state. `call-state.ts` shows the states; the methods that they use are
 * at the end of this class.
 */
export class PostCall implements ExchangeHandler, LimitedRequest {
  readonly request: BackendRequest;
  sink: ResponseSink;
  /** The header `Mcp-Session-Id` of the answer, if it has one. */
  sessionId: string | undefined;
  readonly context: BackendContext;
  readonly owner: CallOwner;
  /** Whether the request's text fits into the limit that all calls of the backend share. */
  readonly hasRoom: boolean;
  turn: TurnState = 'none';
  private _session: CallSession | undefined;
  private _isRepeated = false;
  private _state: CallState = AWAITING_HEAD;
  /** Set while the call has a connection, even while it only reads the rest of an answer. */
  private _exchange: Exchange | undefined;
  private readonly _timeout: ResponseTimeout;
  /** Ids of the backend's requests to the client that the client has not answered. */
  private _serverRequests: Set<string> | undefined;

  constructor(context: BackendContext, request: BackendRequest, sink: ResponseSink, owner: CallOwner) {
    this.context = context;
    this.request = request;
    this.sink = sink;
    this.owner = owner;
    this.hasRoom = context.client.texts.take(request.text.length);
    this._timeout = new ResponseTimeout(this);
    request.signal?.addEventListener('abort', this);
  }

  /** Sends the request, or sends it again in another session. Does nothing when the call has been given up. */
  send(session: CallSession): void {
    if (this.request.signal?.aborted === true) this.fail(createAborted(this.context.backend));
    if (!this.hasRoom) this.fail(createTooMuchText(this.context.backend));
    if (this.isSettled) return;
    this._isRepeated = this._session !== undefined;
    this._session = session;
    // The answer that reported the lost session is not read any further.
    this._exchange?.abort();
    if (this.context.client.turns.take(this)) this.onTurn();
    else this._expectAnswer();
  }

  /** Called when the request has a connection: the backend's time limit begins now. */
  onTurn(): void {
    const { client, target } = this.context;
    this._expectAnswer();
    if (this._isLong && !client.turns.park(this)) {
      this.fail(createTooManyWaiting(this.context.backend));
      return;
    }
    const { text: body, sender, trace } = this.request;
    const { headers: inSession } = this._session as CallSession; // `send` sets the session before the request waits for its turn.
    const headers = trace === undefined ? inSession : [...inSession, ...traceHeaders(trace)];
    const post = { target, method: 'POST', headers, body, sender } as const;
    this._exchange = startExchange(client.calls, post, this);
  }

  /** The session of the latest attempt. */
  get session(): CallSession | undefined {
    return this._session;
  }

  /** Withdraws the call without calling the sink. Returns false when the call had ended already. */
  withdraw(): boolean {
    return this._settle();
  }

  /** Ends the call without an answer. */
  fail(error: BackendError): void {
    if (!this._settle()) return;
    this._exchange?.abort();
    this.sink.fail(error);
  }

  /** Whether the backend has sent its client this request and waits for the answer; `id` as `findMessageKind` returns it. */
  hasAsked(id: string): boolean {
    return this._serverRequests?.has(id) === true;
  }

  /**
   * Called when the gateway sends the client's answer to the request `id` (as `findMessageKind` returns it), or when the backend no longer wants the
   * answer: the backend's time limit runs again.
   */
  answered(id: string): void {
    if (this._serverRequests?.delete(id) !== true || this._serverRequests.size > 0) return;
    // While the gateway resumes a lost stream, or the client does not read, the limit must not start to run: it begins with the next event.
    if (!this._timeout.isExpecting) return;
    this._unpark();
    this._expectAnswer();
  }

  /** Forgets the requests to the client, because the session that its answers would belong to no longer exists. */
  withdrawServerRequests(): void {
    for (const id of this._serverRequests ?? []) this.answered(id);
  }

  // The following methods are for the events of the exchange.

  head(status: number, headers: IncomingHttpHeaders): void {
    this.markActivity();
    this._state.head(this, status, headers);
  }

  data(chunk: Buffer): void {
    this._state.data(this, chunk);
  }

  end(): void {
    this._state.end(this);
  }

  failed(error: Error): void {
    const failure = toBackendError(this.context.backend, error);
    // Without a credential the call cannot continue.
    if (isCallerError(failure)) this.fail(failure);
    else this._state.failed(this, failure, error);
  }

  over(exchange: Exchange): void {
    if (this._exchange !== exchange) return;
    this._exchange = undefined;
    if (!this._state.keepsTurn) this.context.client.turns.end(this);
  }

  /** Called when the signal is aborted. */
  handleEvent(): void {
    this.fail(createAborted(this.context.backend));
  }

  timedOut(): void {
    const { backend } = this.context;
    const { limitMs } = this._timeout;
    if (this.turn === 'waiting') {
      this.fail(createBusyError(backend, limitMs));
      return;
    }
    this.fail(createTimeout(backend, limitMs));
    this.owner.timedOut(this);
  }

  // The following methods are for the states of the call.

  /** Whether the request was sent in another session before. */
  get isRepeated(): boolean {
    return this._isRepeated;
  }

  get isSettled(): boolean {
    return this._state === SETTLED;
  }

  become(state: CallState): void {
    this._state = state;
  }

  /** Called when the backend has sent something. */
  markActivity(): void {
    this._timeout.markActivity();
  }

  /** Called when the backend no longer knows the session. */
  loseSession(session: CallSession): void {
    this._timeout.stop();
    // Opening another session needs the turn that this call returns at the end of the method.
    this._exchange?.discard();
    this.owner.sessionLost(this, session);
  }

  /** Reads the rest only to be able to reuse the connection. */
  discardRest(): void {
    this._exchange?.discard();
  }

  /** Handles an error status, unless the owner takes over: `deliver` then forwards it. */
  reject(status: number, body: Buffer | undefined, deliver: () => void): void {
    const isTaken = this.owner.rejected?.(this, status, body, deliver) === true;
    if (this._settle() && !isTaken) deliver();
  }

  /** Fails, unless `whole` is an error without an id: that is how a backend answers a request whose id it could not read. */
  failByViolation(violation: ResponseViolation, whole?: Buffer): void {
    const error = whole === undefined ? undefined : replaceErrorId(whole, this.request.id);
    if (error === undefined) this.fail(createProtocolError(this.context.backend, violation));
    else this.answer(error);
  }

  /** Called when the complete answer has arrived. */
  answer(json: Buffer): void {
    this._settle();
    this._exchange?.discard();
    this.deliver(json);
  }

  /** Forwards a complete answer. */
  deliver(json: Buffer, httpStatus?: number): void {
    if (httpStatus === undefined) this._chooseSink(json, true);
    this.sink.start(json.length, httpStatus);
    this.sink.data(json);
    this.sink.end();
  }

  /** Begins an answer that the gateway forwards while it arrives. */
  begin(beginning: Buffer, isWhole: boolean, length: number | undefined): void {
    this._chooseSink(beginning, isWhole);
    this.sink.start(length);
  }

  /** Forwards a piece of the answer. While the sink is full, the backend's time limit does not run. */
  write(chunk: Buffer): void {
    if (this.sink.data(chunk) || this.isSettled) return;
    this._timeout.after(STALLED_CLIENT_MS, () => this.fail(createClientStalled(this.context.backend)));
    this._exchange?.pause();
    this.sink.onDrain(() => {
      if (this.isSettled) return;
      if (!this._serverRequests?.size) this._unpark();
      this._expectAnswer();
      this._exchange?.resume();
    });
  }

  /** Called when the answer has been forwarded completely. */
  complete(): void {
    if (!this._settle()) return;
    this._exchange?.discard();
    this.sink.end();
  }

  /** Calls a function after a time, during which the call has no connection. */
  suspend(ms: number, then: () => void): void {
    this.context.client.turns.park(this);
    this._timeout.after(ms, then);
  }

  /** Requests the rest of a stream. */
  resume(headers: string[]): void {
    const { client, target } = this.context;
    this._exchange?.abort();
    if (this._serverRequests?.size) this._expectAnswer(CLIENT_MS);
    else {
      this._unpark();
      this._expectAnswer();
    }
    this._exchange = startExchange(client.calls, { target, method: 'GET', headers, sender: this.request.sender }, this);
  }

  /** Waits for the client's answer to the request `id`. Returns false when too many calls wait, because each occupies a connection. */
  waitForClient(id: string): boolean {
    if (!this.context.client.turns.park(this)) return false;
    this._serverRequests ??= new Set();
    this._serverRequests.add(id);
    this._expectAnswer(CLIENT_MS);
    return true;
  }

  private _chooseSink(beginning: Buffer, isWhole: boolean): void {
    if (this.owner.createSink !== undefined) this.sink = this.owner.createSink(this, beginning, isWhole);
  }

  private _expectAnswer(limitMs: number = this.request.timeoutMs ?? this.context.timeoutMs): void {
    this._timeout.expect(limitMs);
  }

  /** Whether the call may take longer than others, because it waits for something other than the backend's work, such as the end of a task. */
  private get _isLong(): boolean {
    const { timeoutMs } = this.request;
    return timeoutMs !== undefined && timeoutMs > this.context.timeoutMs;
  }

  private _unpark(): void {
    if (!this._isLong) this.context.client.turns.unpark(this);
  }

  private _settle(): boolean {
    if (this.isSettled) return false;
    this._state = SETTLED;
    this._timeout.stop();
    const { texts, turns } = this.context.client;
    // A call that still has a connection returns its turn with the connection.
    if (this._exchange === undefined) turns.end(this);
    if (this.hasRoom) texts.release(this.request.text.length);
    this.request.signal?.removeEventListener('abort', this);
    this.owner.settled(this);
    return true;
  }
}
