/** The event stream of an HTTP+SSE backend: first the address for messages, then every message of the session. */

import type { IncomingHttpHeaders } from 'node:http';
import {
  type Exchange,
  type ExchangeHandler,
  getHeader,
  type HttpTarget,
  startExchange,
  toHttpTarget,
} from '../../../http/exchange.ts';
import type { BackendError } from '../../../mcp/backend-error.ts';
import { EventStreamParser, type StreamEvent } from '../../../mcp/event-stream-parser.ts';
import { type BackendContext, buildStreamHeaders, getMediaType } from '../context.ts';
import {
  createConnectionLost,
  createProtocolError,
  createSessionClosed,
  createStatusFailure,
  createTimeout,
  toBackendError,
} from '../failure.ts';

export interface SseStreamOptions {
  /** Called with a JSON-RPC message of the backend. */
  onMessage(json: Buffer): void;
  /** Called once when the stream has ended, and never after `close`. */
  onLost(error: BackendError): void;
}

export class SseStream implements ExchangeHandler {
  /** The address for messages; rejects with BackendError when the stream ends before the backend sends it. */
  readonly endpoint: Promise<HttpTarget>;
  readonly #context: BackendContext;
  readonly #options: SseStreamOptions;
  readonly #parser: EventStreamParser;
  readonly #exchange: Exchange;
  readonly #timer: NodeJS.Timeout;
  #resolve: ((target: HttpTarget) => void) | undefined;
  #reject: ((error: BackendError) => void) | undefined;
  #over = false;

  constructor(context: BackendContext, options: SseStreamOptions) {
    const { backend, client, target, timeoutMs } = context;
    this.#context = context;
    this.#options = options;
    this.#parser = new EventStreamParser(event => this.#handleEvent(event), { maxEventBytes: client.maxResponseBytes });
    this.endpoint = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#timer = setTimeout(() => this.#lose(createTimeout(backend, timeoutMs)), timeoutMs);
    this.#exchange = startExchange(
      client.streams,
      { target, method: 'GET', headers: buildStreamHeaders(context) },
      this,
    );
  }

  close(): void {
    if (this.#over) return;
    this.#end();
    this.#reject?.(createSessionClosed(this.#context.backend));
  }

  head(status: number, headers: IncomingHttpHeaders): void {
    const { backend } = this.#context;
    if (status !== 200) this.#lose(createStatusFailure(this.#context, status));
    else if (getMediaType(getHeader(headers, 'content-type')) !== 'text/event-stream') {
      this.#lose(createProtocolError(backend, 'answered with something other than an event stream'));
    }
  }

  data(chunk: Buffer): void {
    try {
      this.#parser.push(chunk);
    } catch (error) {
      this.#lose(toBackendError(this.#context.backend, error));
    }
  }

  end(): void {
    this.#lose(createConnectionLost(this.#context.backend));
  }

  failed(error: Error): void {
    this.#lose(toBackendError(this.#context.backend, error));
  }

  #handleEvent(event: StreamEvent): void {
    if (this.#over) return;
    if (event.event === 'endpoint') this.#handleEndpoint(event.data);
    else if (event.event === 'message' && event.bytes.length > 0) this.#options.onMessage(event.bytes);
  }

  /** Reads the address for messages. Only the first event counts. The URL contains the session's secret, so no message repeats it. */
  #handleEndpoint(reference: string): void {
    if (this.#resolve === undefined) return;
    const { origin, path } = this.#context.target;
    const url = URL.canParse(reference, origin + path) ? new URL(reference, origin + path) : undefined;
    if (url === undefined || url.origin !== origin || url.username !== '' || url.password !== '') {
      this.#lose(createProtocolError(this.#context.backend, 'its endpoint event points to another origin'));
      return;
    }
    clearTimeout(this.#timer);
    this.#resolve(toHttpTarget(url));
    this.#resolve = undefined;
    this.#reject = undefined;
  }

  #lose(error: BackendError): void {
    if (this.#over) return;
    this.#end();
    this.#reject?.(error);
    this.#options.onLost(error);
  }

  #end(): void {
    this.#over = true;
    clearTimeout(this.#timer);
    this.#exchange?.abort();
  }
}
