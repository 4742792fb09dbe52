/** Sends one HTTP request and receives its answer: follows redirects, can pause, and can drop the rest of the answer in two ways. */
import type { IncomingHttpHeaders } from 'node:http';
import type { RequestSender } from './client.ts';
import type { Dispatcher } from './undici.ts';

/** Redirects that are followed for one request. */
const MAX_REDIRECTS = 3;

/** How much of the rest of a dropped answer is read in order to reuse the connection: bytes and milliseconds. */
const DISCARD_MAX_BYTES = 64 * 1024;
const DISCARD_MAX_MS = 1_000;

/** The parsed target of a request. `origin` contains scheme, host and port; `path` includes the query. */
export interface HttpTarget {
  readonly origin: string;
  readonly path: string;
}

export interface HttpRequest {
  readonly target: HttpTarget;
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Names and values alternate. */
  readonly headers: string[];
  readonly body?: string;
  /** The sender of the request, if it is not the client's current one. */
  readonly sender?: object | undefined;
}

/** The events of a request, in order: `head`, `data`…, then `end` or `failed`. `failed` may come at any time. */
export interface ExchangeHandler {
  head(status: number, headers: IncomingHttpHeaders): void;
  data(chunk: Buffer): void;
  end(): void;
  /** There is no complete answer: no connection, a broken one, or an answer that is not HTTP. */
  failed(error: Error): void;
  /**
   * The connection can be reused, or is closed. Called exactly once: before `end` or `failed`; after `abort` or `discard`, when the rest of the
   * answer has ended.
   */
  over?(exchange: Exchange): void;
}

/** A running request. After `abort` or `discard`, only `over` of its handler is called, once. */
export interface Exchange {
  pause(): void;
  resume(): void;
  /** Stops now, and loses the connection. */
  abort(): void;
  /** Drops the rest of the answer. A short rest is read, so that the connection can be reused; a long or slow one closes it. */
  discard(): void;
}

/** The target of a URL, without its fragment. */
export function toHttpTarget(url: URL): HttpTarget {
  return { origin: url.origin, path: `${url.pathname}${url.search}` };
}

/** One value of a header that may occur several times. */
export function getHeader(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/**
 * Sends a request. It follows up to three redirects, only within the same scheme, host and port: 307 and 308 for any method, the others for GET.
 * The handler gets any other redirect as an answer.
 */
export function startExchange(via: RequestSender, request: HttpRequest, handler: ExchangeHandler): Exchange {
  const exchange = new UndiciExchange(via, request, handler);
  exchange.send(request.target);
  return exchange;
}

const DETACHED: ExchangeHandler = { head() {}, data() {}, end() {}, failed() {} };

class StoppedError extends Error {}

class UndiciExchange implements Exchange, Dispatcher.DispatchHandler {
  private readonly _via: RequestSender;
  private readonly _request: HttpRequest;
  private readonly _owner: ExchangeHandler;
  /** The handler of the request; after `abort` or `discard` one that ignores all events. */
  private _handler: ExchangeHandler;
  private _controller: Dispatcher.DispatchController | undefined;
  private _target: HttpTarget;
  private _redirects = 0;
  /** The target of a redirect, which is requested once the body of the redirect has been read. */
  private _next: HttpTarget | undefined;
  private _stopped = false;
  private _discarding = false;
  private _discarded = 0;
  private _discardTimer: NodeJS.Timeout | undefined;

  constructor(via: RequestSender, request: HttpRequest, handler: ExchangeHandler) {
    this._via = via;
    this._request = request;
    this._owner = handler;
    this._handler = handler;
    this._target = request.target;
  }

  send(target: HttpTarget): void {
    this._target = target;
    const { method, headers, body, sender } = this._request;
    const { origin, path } = target;
    this._via.dispatch({ origin, path, method, headers, body: body ?? null, sender }, this);
  }

  pause(): void {
    this._controller?.pause();
  }

  resume(): void {
    this._controller?.resume();
  }

  abort(): void {
    if (this._stopped) return;
    this._stopped = true;
    this._handler = DETACHED;
    clearTimeout(this._discardTimer);
    this._controller?.abort(new StoppedError());
  }

  discard(): void {
    if (this._stopped || this._discarding) return;
    this._handler = DETACHED;
    this._discarding = true;
    this._controller?.resume();
    // The answer usually ends with the current chunk; only otherwise a timer is needed.
    queueMicrotask(() => this._limitDiscard());
  }

  private _limitDiscard(): void {
    if (this._stopped) return;
    this._discardTimer = setTimeout(() => this.abort(), DISCARD_MAX_MS);
    this._discardTimer.unref();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this._controller = controller;
    // The request was aborted while it waited for a connection.
    if (this._stopped) controller.abort(new StoppedError());
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    this._next = this._redirectTarget(status, headers);
    if (this._next === undefined) this._handler.head(status, headers);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this._next === undefined && !this._discarding) {
      this._handler.data(chunk);
      return;
    }
    this._discarded += chunk.length;
    if (this._discarded <= DISCARD_MAX_BYTES) return;
    const handler = this._handler;
    this.abort();
    handler.failed(new Error('the body of a redirect is too long'));
  }

  onResponseEnd(): void {
    clearTimeout(this._discardTimer);
    const next = this._next;
    if (next === undefined || this._discarding) {
      this._stopped = true;
      this._owner.over?.(this);
      this._handler.end();
    } else if (!this._stopped) {
      this._next = undefined;
      this._controller = undefined;
      this.send(next);
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    clearTimeout(this._discardTimer);
    if (this._stopped) {
      this._owner.over?.(this);
      return;
    }
    this._stopped = true;
    // `dispatch` may fail before `startExchange` returns; the handler is called later, when its owner has the returned exchange.
    queueMicrotask(() => {
      this._owner.over?.(this);
      this._handler.failed(error);
    });
  }

  private _redirectTarget(status: number, headers: IncomingHttpHeaders): HttpTarget | undefined {
    const location = getHeader(headers, 'location');
    const keepsMethod = status === 307 || status === 308;
    const isRedirect = keepsMethod || (this._request.method === 'GET' && status >= 301 && status <= 303);
    if (!isRedirect || location === undefined || this._redirects >= MAX_REDIRECTS) return undefined;
    const base = this._target.origin + this._target.path;
    const url = URL.canParse(location, base) ? new URL(location, base) : undefined;
    if (url === undefined || url.origin !== this._target.origin) return undefined;
    this._redirects++;
    return toHttpTarget(url);
  }
}
