import type { Envelope } from '../../mcp/envelope.ts';
import type { BackendError, ResponseSink } from './backend.ts';
import { BoundedBuffer } from './messages/bounded-buffer.ts';
import { MAX_ERROR_BODY_BYTES, readErrorCode } from './messages/response-body.ts';

/**
 * Resources that were subscribed to, by URI, each with what is known of it. A subscription counts from when it is asked for, so
 * that nothing is missed, and no more when the backend refuses it: then its client got that error.
 */
export class ResourceSubscriptions<T> extends Map<string, T> {
  /** Those that no answer has confirmed, each with the attempt that it hangs on. Most sessions never have any. */
  #unsure: Map<string, object> | undefined;

  readonly #onRefused: (uri: string) => void;

  /** @param onRefused called when the backend has refused a subscription, which is no more */
  constructor(onRefused: (uri: string) => void = () => {}) {
    super();
    this.#onRefused = onRefused;
  }

  /** Takes note of a subscription that is asked for. Returns where its answer has to go, which ends at `sink`. */
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

  /** For a URI that is subscribed already, responses that are still to come say nothing about the new subscription. */
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

/** A response on its way: before its end is handed on, it is known whether it is an error. Not for large responses. */
class WatchedAnswer implements ResponseSink {
  readonly request?: NonNullable<ResponseSink['request']>;
  readonly #sink: ResponseSink;
  readonly #onAnswer: (isError: boolean) => void;
  readonly #body = new BoundedBuffer(MAX_ERROR_BODY_BYTES);
  #isWhole = true;

  constructor(sink: ResponseSink, onAnswer: (isError: boolean) => void) {
    this.#sink = sink;
    this.#onAnswer = onAnswer;
    // Whether a sink has this method says whether it takes questions.
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
    // A copy: the memory of what is handed on may be given back.
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

  /** No answer says nothing about the subscription. */
  fail(error: BackendError): void {
    this.#sink.fail(error);
  }
}
