import type { BackendError } from './backend-error.ts';
import type { Envelope } from './envelope.ts';

/** Receives the response to one request. Exactly one of `end` and `fail` is called, once and last. */
export interface ResponseSink {
  /** A notification before the response on the same stream (progress, logging). */
  message(notification: Envelope): void;
  /**
   * A request of the backend to its client while it processes this one: the message is valid, and `id` is JSON text. The sink must answer
   * it with `BackendSession.post`. Without this method such requests are refused.
   */
  request?(json: string, id: string, method: string): void;
  /** The backend closed the stream before responding, and allows resuming the request. */
  delayed?(): void;
  /** How long the backend asks a client to wait before resuming its stream (`retry`; milliseconds, within bounds). */
  retry?(ms: number): void;
  /**
   * The response is a JSON document that follows in chunks; `length` in bytes when known. Called before the first `data`. `httpStatus` is set
   * for an error document with a status other than 200.
   */
  start(length: number | undefined, httpStatus?: number): void;
  /**
   * A chunk of the response. Returns false when the sink is full: stop until `onDrain` calls back. Ownership of the chunk moves to the
   * sink, which may release its memory (`writeAndRelease`): a sink that both forwards and keeps chunks has to copy them. A sink that only
   * collects chunks need not copy them, because a released buffer only contains chunks of one response.
   */
  data(chunk: Uint8Array): boolean;
  /** Calls `resume` once, when a full sink takes data again. */
  onDrain(resume: () => void): void;
  /** Called when the response is complete. */
  end(): void;
  /** Called when no complete response arrived. After `start` the sink cannot withdraw anything: it breaks its own connection. */
  fail(error: BackendError): void;
}
