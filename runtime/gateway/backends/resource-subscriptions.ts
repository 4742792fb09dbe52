import type { BackendError } from '../../mcp/backend-error.ts';
import type { Envelope } from '../../mcp/envelope.ts';
import type { ResponseSink } from '../../mcp/response-sink.ts';
import { BoundedBuffer } from './messages/bounded-buffer.ts';
import { MAX_ERROR_BODY_BYTES, readErrorCode } from './messages/response-body.ts';

/**
 * The subscribed resources by URI, each with its state. A subscription is valid from the request on, so that the client misses nothing, and ends
 * when the backend refuses it, because the client then gets the error.
 */
export class ResourceSubscriptions<T> extends Map<string, T> {
  /** Subscriptions that the backend has not confirmed yet, each with the request that decides about it. Most sessions have none. */
  #unsure: Map<string, object> | undefined;

  readonly #onRefused: (uri: string) => void;

  /** @param onRefused called when the backend has refused a subscription, which is removed */
  constructor(onRefused: (uri: string) => void = () => {}) {
    super();
    this.#onRefused = onRefused;
  }

  /** Records a requested subscription. Returns the sink for its answer, which forwards to `sink`. */
  ask(uri: string, known: T, sink: ResponseSink): ResponseSink {
    if (this.get(uri) === known && this.#unsure?.has(uri) !== true) return sink;
    const attempt = {};
    super.set(uri, known);
    this.#unsure ??= new Map();
    this.#unsure.set(uri, attempt);
    return new WatchedAnswer(sink, isRefused => {
      if (this.#unsure?.get(uri) !== attempt) return;
      if (!isRefused) this.#unsure?.delete(uri);
      else if (this.delete(uri)) this.#onRefused(uri);
    });
  }

  /** If the URI is subscribed already, answers that are still to come say nothing about the new subscription. */
  override set(uri: string, known: T): this {
    this.#unsure?.delete(uri);
    return super.set(uri, known);
  }

  override delete(uri: string): boolean {
    this.#unsure?.delete(uri);
    return super.delete(uri);
  }

  override clear(): void {
    this.#unsure?.clear();
    super.clear();
  }
}

/** Forwards a response, and finds out before it forwards the end whether the response is an error. Not for large responses. */
class WatchedAnswer implements ResponseSink {
  readonly request?: NonNullable<ResponseSink['request']>;
  readonly #sink: ResponseSink;
  readonly #onAnswer: (isError: boolean) => void;
  readonly #body = new BoundedBuffer(MAX_ERROR_BODY_BYTES);
  #isWhole = true;

  constructor(sink: ResponseSink, onAnswer: (isError: boolean) => void) {
    this.#sink = sink;
    this.#onAnswer = onAnswer;
    // A sink with the method `request` accepts questions of the backend, and a sink without it does not.
    if (sink.request !== undefined) this.request = (json, id, method) => sink.request?.(json, id, method);
  }

  message(notification: Envelope): void {
    this.#sink.message(notification);
  }

  delayed(): void {
    this.#sink.delayed?.();
  }

  retry(ms: number): void {
    this.#sink.retry?.(ms);
  }

  start(length: number | undefined, httpStatus?: number): void {
    this.#sink.start(length, httpStatus);
  }

  data(chunk: Uint8Array): boolean {
    // A copy, because the owner may reuse the memory of the forwarded chunk.
    this.#isWhole &&= this.#body.push(Buffer.from(chunk));
    return this.#sink.data(chunk);
  }

  onDrain(resume: () => void): void {
    this.#sink.onDrain(resume);
  }

  end(): void {
    this.#onAnswer(this.#isWhole && readErrorCode(this.#body.bytes) !== undefined);
    this.#sink.end();
  }

  /** A missing answer says nothing about the subscription. */
  fail(error: BackendError): void {
    this.#sink.fail(error);
  }
}
