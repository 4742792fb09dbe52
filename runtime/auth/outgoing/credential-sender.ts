/**
 * Adds a credential and forwarded headers to every request of an HTTP client. So the code for sessions, streams, probes and redirects does not
 * handle credentials.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { HttpClient, RequestSender, SentRequest } from '../../http/client.ts';
import type { Dispatcher } from '../../http/undici.ts';
import { withSenders } from '../../http/with-senders.ts';
import type { Credential, OutgoingRequest } from './credential.ts';

/** How much of the body of a 401 is read before the second attempt; if it is longer, the connection is closed. Bytes. */
const MAX_REFUSAL_BYTES = 64 * 1024;

export interface OutgoingHeaders {
  readonly credential: Credential;
  /** Forwarded and configured headers: lower-case names and values alternate. */
  forwarded(): readonly string[];
}

/**
 * The same client, for requests on behalf of one caller. Only the owner of the client closes it.
 *
 * @param outgoingFor called once per request, with the request's sender: a second attempt uses the same identity, even if the current
 *   caller changed
 */
export function withCredential(
  client: HttpClient,
  outgoingFor: (sender: object | undefined) => OutgoingHeaders,
): HttpClient {
  const sender = (via: RequestSender): RequestSender => ({
    dispatch: (options, handler) => {
      new CredentialedRequest(via, outgoingFor(options.sender), options, handler).send();
      return true;
    },
  });
  return withSenders(client, sender);
}

/** Merges a request's headers with the credential and the forwarded headers. The credential replaces headers; forwarded headers never do. */
export function mergeHeaders(
  own: readonly string[],
  credential: readonly string[],
  forwarded: readonly string[],
): string[] {
  if (credential.length === 0 && forwarded.length === 0) return own as string[];
  const merged: string[] = [...credential];
  const taken = new Set(listNames(credential));
  for (const headers of [own, forwarded]) {
    for (let at = 0; at < headers.length; at += 2) {
      const name = headers[at] as string;
      if (!taken.has(name.toLowerCase())) merged.push(name, headers[at + 1] as string);
    }
    for (const name of listNames(headers)) taken.add(name);
  }
  return merged;
}

function listNames(headers: readonly string[]): string[] {
  return headers.flatMap((name, at) => (at % 2 === 0 ? [name.toLowerCase()] : []));
}

/** One request. If the backend refuses the credential and there is another credential, the request is sent a second time. */
class CredentialedRequest implements Dispatcher.DispatchHandler {
  readonly #via: RequestSender;
  readonly #outgoing: OutgoingHeaders;
  readonly #options: SentRequest;
  readonly #handler: Dispatcher.DispatchHandler;
  #sent: readonly string[] = [];
  #isRepeated = false;
  /** The response is a 401 whose body is dropped; after its end the request is sent again. */
  #isDropping = false;
  #dropped = 0;

  constructor(
    via: RequestSender,
    outgoing: OutgoingHeaders,
    options: SentRequest,
    handler: Dispatcher.DispatchHandler,
  ) {
    this.#via = via;
    this.#outgoing = outgoing;
    this.#options = options;
    this.#handler = handler;
  }

  send(): void {
    try {
      const headers = this.#outgoing.credential.getHeaders(toOutgoingRequest(this.#options));
      if (headers instanceof Promise) headers.then(this.#dispatch, this.#failed);
      else this.#dispatch(headers);
    } catch (error) {
      this.#failed(error);
    }
  }

  readonly #dispatch = (credential: readonly string[]): void => {
    this.#sent = credential;
    const own = (this.#options.headers ?? []) as string[];
    try {
      const headers = mergeHeaders(own, credential, this.#outgoing.forwarded());
      this.#via.dispatch({ ...this.#options, headers }, this);
    } catch (error) {
      this.#failed(error);
    }
  };

  readonly #failed = (error: unknown): void => {
    // After an error, a handler must not keep a reference to the controller.
    this.#handler.onResponseError?.(undefined as never, error as Error);
  };

  onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    this.#handler.onRequestStart?.(controller, context);
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
    statusMessage?: string,
  ): void {
    const hasAnother = status === 401 && this.#outgoing.credential.rejected(this.#sent);
    this.#isDropping = hasAnother && !this.#isRepeated;
    if (!this.#isDropping) this.#handler.onResponseStart?.(controller, status, headers, statusMessage);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#isDropping) {
      this.#handler.onResponseData?.(controller, chunk);
      return;
    }
    this.#dropped += chunk.length;
    if (this.#dropped > MAX_REFUSAL_BYTES) controller.abort(new Error('the body of an error response is too long'));
  }

  onResponseEnd(controller: Dispatcher.DispatchController, trailers: IncomingHttpHeaders): void {
    if (this.#isDropping) this.#sendAgain();
    else this.#handler.onResponseEnd?.(controller, trailers);
  }

  onResponseError(controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#isDropping) this.#sendAgain();
    else this.#handler.onResponseError?.(controller, error);
  }

  #sendAgain(): void {
    this.#isDropping = false;
    this.#isRepeated = true;
    this.send();
  }
}

function toOutgoingRequest({ method, origin, path, body }: SentRequest): OutgoingRequest {
  return {
    method: method as OutgoingRequest['method'],
    url: new URL(path, origin),
    body: typeof body === 'string' ? body : '',
  };
}
