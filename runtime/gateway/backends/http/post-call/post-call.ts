/** One request over Streamable HTTP: the POST, and its answer as a JSON body or as an event of a stream. */
import type { IncomingHttpHeaders } from 'node:http';
import type { LimitedRequest, TurnState } from '../../../../http/concurrency-limiter.ts';
import { type Exchange, type ExchangeHandler, startExchange } from '../../../../http/exchange.ts';
import { traceHeaders } from '../../../../mcp/trace-context.ts';
import type { BackendError, BackendRequest, ResponseSink } from '../../backend.ts';
import { type BackendContext, CLIENT_MS } from '../../context.ts';
import {
  aborted,
  busy,
  clientStalled,
  isCallerError,
  protocolError,
  timedOut,
  toBackendError,
  tooManyWait,
  tooMuchText,
} from '../../failure.ts';
import { errorWithId } from '../../messages/response-body.ts';
import type { ResponseViolation } from '../../messages/response-validator.ts';
import { AWAITING_HEAD } from './awaiting-head.ts';
import type { CallOwner, CallSession } from './call-owner.ts';
import { type CallState, SETTLED } from './call-state.ts';
import { ResponseTimeout } from './response-timeout.ts';

/** How long a client may read nothing of its answer: a connection to the backend waits with it. Milliseconds. */
const STALLED_CLIENT_MS = 60_000;

/**
 * Sends the request, in its turn, and passes what comes to the state that the call is in. `call-state.ts` shows the states; what they use
 * of the call stands at the end.
 */
export class PostCall implements ExchangeHandler, LimitedRequest {
  readonly request: BackendRequest;
  sink: ResponseSink;
  /** `Mcp-Session-Id` of the answer. */
  sessionId: string | undefined;
  readonly context: BackendContext;
  readonly owner: CallOwner;
  /** For its text, besides those of all calls of the backend. */
  readonly hasRoom: boolean;
  turn: TurnState = 'none';
  private _session: CallSession | undefined;
  private _isRepeated = false;
  private _state: CallState = AWAITING_HEAD;
  /** While it has a connection, also while the rest of an answer is only read to its end. */
  private _exchange: Exchange | undefined;
  private readonly _timeout: ResponseTimeout;
  /** Requests of the backend that the client has not answered. */
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

  /** Sends the request, or sends it again in another session. Does nothing when the call has been given up meanwhile. */
  send(session: CallSession): void {
    if (this.request.signal?.aborted === true) this.fail(aborted(this.context.backend));
    if (!this.hasRoom) this.fail(tooMuchText(this.context.backend));
    if (this.isSettled) return;
    this._isRepeated = this._session !== undefined;
    this._session = session;
    // Aborts the response that said that the session is gone.
    this._exchange?.abort();
    if (this.context.client.turns.take(this)) this.go();
    else this._expectAnswer();
  }

  /** There is a connection for it: only now the backend is to answer. */
  go(): void {
    const { client, target } = this.context;
    this._expectAnswer();
    if (this._isLong && !client.turns.park(this)) {
      this.fail(tooManyWait(this.context.backend));
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

  /** Ends the call without an answer. */
  fail(error: BackendError): void {
    if (!this._settle()) return;
    this._exchange?.abort();
    this.sink.fail(error);
  }

  /** Whether the backend has asked its client this and waits for the answer; `id` as `messageKind` gives it. */
  hasAsked(id: string): boolean {
    return this._serverRequests?.has(id) === true;
  }

  /**
   * The client's answer to the request `id` (as `messageKind` gives it) is on its way, or no longer wanted: the silence is the
   * backend's again.
   */
  answered(id: string): void {
    if (this._serverRequests?.delete(id) !== true || this._serverRequests.size > 0) return;
    // While a lost stream is to be resumed, or the client reads nothing, it belongs to no side: the limit begins with what comes next.
    if (!this._timeout.isExpecting) return;
    this._unpark();
    this._expectAnswer();
  }

  /** The session is gone that the client's answers belong to. */
  noneAsked(): void {
    for (const id of this._serverRequests ?? []) this.answered(id);
  }

  // What happens to it.

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
    // What no credential can be had for now cannot be gone on with.
    if (isCallerError(failure)) this.fail(failure);
    else this._state.failed(this, failure, error);
  }

  over(exchange: Exchange): void {
    if (this._exchange !== exchange) return;
    this._exchange = undefined;
    if (!this._state.keepsTurn) this.context.client.turns.end(this);
  }

  /** The signal's listener. */
  handleEvent(): void {
    this.fail(aborted(this.context.backend));
  }

  timedOut(): void {
    const { backend } = this.context;
    const { limitMs } = this._timeout;
    if (this.turn === 'waiting') {
      this.fail(busy(backend, limitMs));
      return;
    }
    this.fail(timedOut(backend, limitMs));
    this.owner.timedOut(this);
  }

  // For its states.

  /** It was sent in another session before. */
  get isRepeated(): boolean {
    return this._isRepeated;
  }

  get isSettled(): boolean {
    return this._state === SETTLED;
  }

  become(state: CallState): void {
    this._state = state;
  }

  /** The backend has given a sign of life. */
  markActivity(): void {
    this._timeout.markActivity();
  }

  /** The backend does not know the session any more. */
  loseSession(session: CallSession): void {
    this._timeout.stop();
    // What opens another session needs the turn that is given back at the end of this.
    this._exchange?.discard();
    this.owner.sessionLost(this, session);
  }

  /** Reads what is left only for the sake of the connection. */
  discardRest(): void {
    this._exchange?.discard();
  }

  /** An error status, unless the owner does something about it: `deliver` hands it on. */
  reject(status: number, body: Buffer | undefined, deliver: () => void): void {
    const isTaken = this.owner.rejected?.(this, status, body, deliver) === true;
    if (this._settle() && !isTaken) deliver();
  }

  /** Fails, but for `whole` that is an error without an id: a backend that could not read the id of a request answers so. */
  failByViolation(violation: ResponseViolation, whole?: Buffer): void {
    const error = whole === undefined ? undefined : errorWithId(whole, this.request.id);
    if (error === undefined) this.fail(protocolError(this.context.backend, violation));
    else this.answer(error);
  }

  /** The answer has come in one piece. */
  answer(json: Buffer): void {
    this._settle();
    this._exchange?.discard();
    this.deliver(json);
  }

  /** Hands on a whole answer. */
  deliver(json: Buffer, httpStatus?: number): void {
    if (httpStatus === undefined) this._chooseSink(json, true);
    this.sink.start(json.length, httpStatus);
    this.sink.data(json);
    this.sink.end();
  }

  /** An answer begins that goes on while it comes. */
  begin(beginning: Buffer, isWhole: boolean, length: number | undefined): void {
    this._chooseSink(beginning, isWhole);
    this.sink.start(length);
  }

  /** Hands on a piece of it. While the sink is full the silence is ours, not the backend's. */
  write(chunk: Buffer): void {
    if (this.sink.data(chunk) || this.isSettled) return;
    this._timeout.after(STALLED_CLIENT_MS, () => this.fail(clientStalled(this.context.backend)));
    this._exchange?.pause();
    this.sink.onDrain(() => {
      if (this.isSettled) return;
      if (!this._serverRequests?.size) this._unpark();
      this._expectAnswer();
      this._exchange?.resume();
    });
  }

  /** All of it has been handed on. */
  complete(): void {
    if (!this._settle()) return;
    this._exchange?.discard();
    this.sink.end();
  }

  /** Waits without a connection. */
  suspend(ms: number, then: () => void): void {
    this.context.client.turns.park(this);
    this._timeout.after(ms, then);
  }

  /** Asks for the rest of a stream. */
  resume(headers: string[]): void {
    const { client, target } = this.context;
    this._exchange?.abort();
    if (this._serverRequests?.size) this._expectAnswer(CLIENT_MS);
    else {
      this._unpark();
      this._expectAnswer();
    }
    this._exchange = startExchange(client.calls, { target, method: 'GET', headers, behalf: this.request.sender }, this);
  }

  /** Waits for the client's answer to the request `id`. False when too many calls do: each has a connection. */
  waitForClient(id: string): boolean {
    if (!this.context.client.turns.park(this)) return false;
    this._serverRequests ??= new Set();
    this._serverRequests.add(id);
    this._expectAnswer(CLIENT_MS);
    return true;
  }

  private _chooseSink(beginning: Buffer, isWhole: boolean): void {
    if (this.owner.sinkFor !== undefined) this.sink = this.owner.sinkFor(this, beginning, isWhole);
  }

  private _expectAnswer(limitMs: number = this.request.timeoutMs ?? this.context.timeoutMs): void {
    this._timeout.expect(limitMs);
  }

  /** What may take longer than other calls waits for something else than the backend's work, such as the end of a task. */
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
    // A connection that it still has gives it back.
    if (this._exchange === undefined) turns.end(this);
    if (this.hasRoom) texts.release(this.request.text.length);
    this.request.signal?.removeEventListener('abort', this);
    this.owner.settled(this);
    return true;
  }
}
