/**
 * The POST of a request over HTTP+SSE. The answer arrives on the session's stream, usually after the acknowledgement. Some backends acknowledge
 * only after they have answered: until then the request occupies a connection and a turn.
 */

import type { IncomingHttpHeaders } from 'node:http';
import type { LimitedRequest, TurnState } from '../../../http/concurrency-limiter.ts';
import { type Exchange, type ExchangeHandler, type HttpTarget, startExchange } from '../../../http/exchange.ts';
import type { BackendError } from '../../../mcp/backend-error.ts';
import { traceHeaders } from '../../../mcp/trace-context.ts';
import type { BackendContext } from '../context.ts';
import { createBusyError, createStatusFailure, toBackendError } from '../failure.ts';
import type { PendingPost, PendingRequest } from './pending-requests.ts';

/** The address and headers of the POST; names and values alternate. */
export interface PostBox {
  readonly target: HttpTarget;
  readonly headers: string[];
}

/** Called with the reason for which a backend has not accepted a request. */
export type OnRefused = (pending: PendingRequest, error: BackendError) => void;

export class RequestPost implements ExchangeHandler, LimitedRequest, PendingPost {
  turn: TurnState = 'none';
  private readonly _context: BackendContext;
  private readonly _box: PostBox;
  private readonly _pending: PendingRequest;
  private readonly _onRefused: OnRefused;
  private _exchange: Exchange | undefined;
  private _hasHead = false;
  /** Set while the request waits for its turn. */
  private _timer: NodeJS.Timeout | undefined;

  constructor(context: BackendContext, box: PostBox, pending: PendingRequest, onRefused: OnRefused) {
    this._context = context;
    this._box = box;
    this._pending = pending;
    this._onRefused = onRefused;
  }

  /** Asks for a turn to send the request. */
  start(): void {
    const { backend, client, timeoutMs } = this._context;
    this._pending.post = this;
    if (client.turns.take(this)) this.onTurn();
    else this._timer = setTimeout(() => this._pending.fail(createBusyError(backend, timeoutMs)), timeoutMs);
  }

  /** Called when the request has a connection: the backend's time limit begins now. */
  onTurn(): void {
    clearTimeout(this._timer);
    const { calls, turns } = this._context.client;
    const { target, headers: inSession } = this._box;
    const { text: body, sender, trace } = this._pending.request;
    const headers = trace === undefined ? inSession : [...inSession, ...traceHeaders(trace)];
    this._pending.startTimer();
    if (this._isLong) turns.park(this);
    this._exchange = startExchange(calls, { target, method: 'POST', headers, body, sender }, this);
  }

  waitsForClient(): void {
    this._context.client.turns.park(this);
  }

  goesOn(): void {
    if (!this._isLong) this._context.client.turns.unpark(this);
  }

  /** Called when the answer has arrived. The acknowledgement probably follows, so the connection is not closed and can be reused. */
  answered(): void {
    if (this._exchange === undefined) this._withdraw();
    else this._exchange.discard();
  }

  givenUp(): void {
    if (this._exchange === undefined) this._withdraw();
    else if (!this._hasHead) this._exchange.abort();
  }

  head(status: number, _headers: IncomingHttpHeaders): void {
    this._hasHead = true;
    this._exchange?.discard();
    if (status >= 200 && status < 300) this._pending.isDelivered = true;
    else this._onRefused(this._pending, createStatusFailure(this._context, status));
  }

  data(): void {}

  end(): void {}

  failed(error: Error): void {
    this._onRefused(this._pending, toBackendError(this._context.backend, error));
  }

  over(): void {
    this._context.client.turns.end(this);
  }

  /** Withdraws the request before it is sent; after it is sent, its connection ends the turn. */
  private _withdraw(): void {
    clearTimeout(this._timer);
    this._context.client.turns.end(this);
  }

  /** Whether the request may take longer than others, because it waits for something other than the backend's work, such as the end of a task. */
  private get _isLong(): boolean {
    const { timeoutMs } = this._pending.request;
    return timeoutMs !== undefined && timeoutMs > this._context.timeoutMs;
  }
}
