/** Sends messages that get no JSON-RPC answer: notifications, responses to a backend's requests, the end of a session. */

import type { IncomingHttpHeaders } from 'node:http';
import type { RequestSender } from '../../../http/client.ts';
import { type Exchange, type ExchangeHandler, type HttpRequest, startExchange } from '../../../http/exchange.ts';
import type { BackendError } from '../../../mcp/backend-error.ts';
import type { BackendContext } from '../context.ts';
import { createAborted, createStatusFailure, createTimeout, toBackendError } from '../failure.ts';

/**
 * Sends a request of which only the status matters.
 * @param via the client's pool for such requests
 * @throws BackendError unless the status is a success
 */
export function postMessage(
  context: BackendContext,
  via: RequestSender,
  request: HttpRequest,
  signal?: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => new Delivery(context, resolve, reject, signal).start(via, request));
}

class Delivery implements ExchangeHandler {
  readonly #context: BackendContext;
  readonly #resolve: () => void;
  readonly #reject: (error: BackendError) => void;
  readonly #signal: AbortSignal | undefined;
  #exchange: Exchange | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    context: BackendContext,
    resolve: () => void,
    reject: (error: BackendError) => void,
    signal: AbortSignal | undefined,
  ) {
    this.#context = context;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#signal = signal;
  }

  start(via: RequestSender, request: HttpRequest): void {
    const { backend, timeoutMs } = this.#context;
    if (this.#signal?.aborted === true) {
      this.#reject(createAborted(backend));
      return;
    }
    this.#signal?.addEventListener('abort', this);
    this.#timer = setTimeout(() => this.#giveUp(createTimeout(backend, timeoutMs)), timeoutMs);
    this.#exchange = startExchange(via, request, this);
  }

  head(status: number, _headers: IncomingHttpHeaders): void {
    this.#settle();
    this.#exchange?.discard();
    if (status >= 200 && status < 300) this.#resolve();
    else this.#reject(createStatusFailure(this.#context, status));
  }

  data(): void {}

  end(): void {}

  failed(error: Error): void {
    this.#settle();
    this.#reject(toBackendError(this.#context.backend, error));
  }

  /** Called when the signal is aborted. */
  handleEvent(): void {
    this.#giveUp(createAborted(this.#context.backend));
  }

  #giveUp(error: BackendError): void {
    this.#settle();
    this.#exchange?.abort();
    this.#reject(error);
  }

  #settle(): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener('abort', this);
  }
}
