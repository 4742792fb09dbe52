/** One HTTP request with its answer: the redirect rule, pausing, and two ways to lose interest in the rest. */
import type { IncomingHttpHeaders } from 'node:http';
import type { RequestSender } from './client.ts';
import type { Dispatcher } from './undici.ts';

/** Redirects that are followed for one request. */
const MAX_REDIRECTS = 3;

/** What is read of an unwanted rest in order to keep the connection: bytes and milliseconds. */
const DISCARD_MAX_BYTES = 64 * 1024;
const DISCARD_MAX_MS = 1_000;

/** Where a request goes, taken apart once. `origin` has scheme, host and port; `path` has the query. */
export interface HttpTarget {
  readonly origin: string;
  readonly path: string;
}

export interface HttpRequest {
  readonly target: HttpTarget;
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Names and values in turn. */
  readonly headers: string[];
  readonly body?: string;
  /** Whom it is sent for, where that is not whom the client is for at the time. */
  readonly behalf?: object | undefined;
}

/** What happens to a request, in order: `head`, `data`…, then `end` or `failed`. `failed` may come at any time. */
export interface ExchangeHandler {
  head(status: number, headers: IncomingHttpHeaders): void;
  data(chunk: Buffer): void;
  end(): void;
  /** No complete answer: no connection, a broken one, or an answer that is not HTTP. */
  failed(error: Error): void;
}

/** A request under way. After `abort` or `discard` its handler hears nothing more. */
export interface Exchange {
  pause(): void;
  resume(): void;
  /** Stops now, at the price of the connection. */
  abort(): void;
  /** Reads a short rest so that the connection can serve again; a long one is cut off. */
  discard(): void;
}

/** The target of a URL, without its fragment. */
export function targetOf(url: URL): HttpTarget {
  return { origin: url.origin, path: `${url.pathname}${url.search}` };
}

/** One header's value where it may stand several times. */
export function headerValue(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/**
 * Sends a request. Redirects are followed up to three times and only within the same scheme, host and port: 307 and 308 for
 * any method, the others for GET. Any other redirect reaches the handler as the answer it is.
 */
export function startExchange(via: RequestSender, request: HttpRequest, handler: ExchangeHandler): Exchange {
  const exchange = new UndiciExchange(via, request, handler);
  exchange.send(request.target);
  return exchange;
}

const DETACHED: ExchangeHandler = { head() {}, data() {}, end() {}, failed() {} };

class Stopped extends Error {}

class UndiciExchange implements Exchange, Dispatcher.DispatchHandler {
  readonly #via: RequestSender;
  readonly #request: HttpRequest;
  #handler: ExchangeHandler;
  #controller: Dispatcher.DispatchController | undefined;
  #target: HttpTarget;
  #redirects = 0;
  /** Where to go once the redirect's own body has been read. */
  #next: HttpTarget | undefined;
  #stopped = false;
  #discarding = false;
  #discarded = 0;
  #discardTimer: NodeJS.Timeout | undefined;

  constructor(via: RequestSender, request: HttpRequest, handler: ExchangeHandler) {
    this.#via = via;
    this.#request = request;
    this.#handler = handler;
    this.#target = request.target;
  }

  send(target: HttpTarget): void {
    this.#target = target;
    const { method, headers, body, behalf } = this.#request;
    const { origin, path } = target;
    this.#via.dispatch({ origin, path, method, headers, body: body ?? null, behalf }, this);
  }

  pause(): void {
    this.#controller?.pause();
  }

  resume(): void {
    this.#controller?.resume();
  }

  abort(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#handler = DETACHED;
    clearTimeout(this.#discardTimer);
    this.#controller?.abort(new Stopped());
  }

  discard(): void {
    if (this.#stopped || this.#discarding) return;
    this.#handler = DETACHED;
    this.#discarding = true;
    this.#controller?.resume();
    // Most often the end stands in what is being read right now; only one that is still to come is worth a timer.
    queueMicrotask(() => this.#limitDiscard());
  }

  #limitDiscard(): void {
    if (this.#stopped) return;
    this.#discardTimer = setTimeout(() => this.abort(), DISCARD_MAX_MS);
    this.#discardTimer.unref();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // Given up while it waited for a connection.
    if (this.#stopped) controller.abort(new Stopped());
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    this.#next = this.#redirectTarget(status, headers);
    if (this.#next === undefined) this.#handler.head(status, headers);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#next === undefined && !this.#discarding) {
      this.#handler.data(chunk);
      return;
    }
    this.#discarded += chunk.length;
    if (this.#discarded <= DISCARD_MAX_BYTES) return;
    const handler = this.#handler;
    this.abort();
    handler.failed(new Error('the body of a redirect is too long'));
  }

  onResponseEnd(): void {
    clearTimeout(this.#discardTimer);
    const next = this.#next;
    if (next === undefined || this.#discarding) {
      this.#stopped = true;
      this.#handler.end();
    } else if (!this.#stopped) {
      this.#next = undefined;
      this.#controller = undefined;
      this.send(next);
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    clearTimeout(this.#discardTimer);
    this.#stopped = true;
    // `dispatch` may fail before it returns; the handler is told afterwards, when its owner has the exchange in hand.
    queueMicrotask(() => this.#handler.failed(error));
  }

  #redirectTarget(status: number, headers: IncomingHttpHeaders): HttpTarget | undefined {
    const location = headerValue(headers, 'location');
    const keepsMethod = status === 307 || status === 308;
    const isRedirect = keepsMethod || (this.#request.method === 'GET' && status >= 301 && status <= 303);
    if (!isRedirect || location === undefined || this.#redirects >= MAX_REDIRECTS) return undefined;
    const base = this.#target.origin + this.#target.path;
    const url = URL.canParse(location, base) ? new URL(location, base) : undefined;
    if (url === undefined || url.origin !== this.#target.origin) return undefined;
    this.#redirects++;
    return targetOf(url);
  }
}
