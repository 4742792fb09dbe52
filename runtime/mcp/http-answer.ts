import type { ServerResponse } from 'node:http';
import type { BackendError } from '../gateway/backend/backend.ts';
import type { Accepts } from '../http/media-type.ts';
import { jsonHeaders, respondJson } from '../http/respond.ts';
import {
  EVENT_END,
  EVENT_START,
  eventOf,
  oneLineBytes,
  startEventStream,
  startHeartbeat,
  writeEvent,
} from './event-stream.ts';
import type { ClientAnswer } from './handler.ts';
import { httpStatusOf } from './stateless/http-status.ts';
import { errorResponse, resultResponse, WIRE_CODE, WireError } from './wire-error.ts';

/**
 * The answer to one POST. It becomes one JSON document when the answer is the first thing to come, and an event stream
 * when a message comes before it. A client that takes JSON only does not get the messages.
 */
export class HttpAnswer implements ClientAnswer {
  readonly #res: ServerResponse;
  readonly #id: string;
  readonly #accepts: Accepts;
  readonly #heartbeatMs: number;
  readonly #isStateless: boolean;
  readonly #onFinish: () => void;
  /** `events`: between two events of a stream; `event`: inside of the one that carries the answer. */
  #state: 'waiting' | 'document' | 'events' | 'event' | 'finished' = 'waiting';
  /** Bytes of the document that are yet to come, when its length was given. */
  #missing: number | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #resume: (() => void) | undefined;
  #isAborted = false;
  #onAbort: (() => void)[] = [];
  #controller: AbortController | undefined;

  /**
   * @param options.isStateless Errors have the codes and HTTP statuses of the stateless revision; else they are HTTP 200.
   * @param options.onFinish Called once, when the answer is complete or nobody waits for it any more.
   */
  constructor(
    res: ServerResponse,
    id: string,
    options: {
      readonly accepts: Accepts;
      readonly heartbeatMs: number;
      readonly isStateless?: boolean;
      readonly onFinish: () => void;
    },
  ) {
    this.#res = res;
    this.#id = id;
    this.#accepts = options.accepts;
    this.#heartbeatMs = options.heartbeatMs;
    this.#isStateless = options.isStateless === true;
    this.#onFinish = options.onFinish;
    if (res.destroyed) this.#abort();
    else res.once('close', () => this.#abort());
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController();
      this.#controller = controller;
      this.onAbort(() => controller.abort());
    }
    return this.#controller.signal;
  }

  onAbort(callback: () => void): void {
    if (this.#isAborted) callback();
    else this.#onAbort.push(callback);
  }

  result(json: string): void {
    this.#whole(200, resultResponse(this.#id, json));
  }

  error(error: WireError): void {
    this.#whole(this.#isStateless ? httpStatusOf(error.code) : 200, errorResponse(this.#id, error));
  }

  fail(error: BackendError): void {
    // The stateless revision has no code for a timeout, and leaves those that were used for it to older revisions.
    const isTimeout = error.reason === 'timeout' && !this.#isStateless;
    const code = isTimeout ? WIRE_CODE.timeout : WIRE_CODE.internalError;
    this.error(new WireError(code, error.message, { data: { backend: error.backend, reason: error.reason } }));
  }

  cancel(): void {
    switch (this.#state) {
      case 'finished':
        return;
      case 'waiting':
        // HTTP wants some answer. A stream without events is none to MCP; JSON has no such thing.
        if (!this.#accepts.eventStream) {
          this.error(new WireError(WIRE_CODE.internalError, 'the request was cancelled'));
          break;
        }
        this.#startEvents();
        this.#finish();
        this.#res.end();
        break;
      case 'events':
        this.#finish();
        this.#res.end();
        break;
      default:
        this.#break();
    }
    this.#giveUp();
  }

  message(json: string): boolean {
    if (this.#state === 'waiting' && this.#accepts.eventStream) {
      this.#startEvents();
      this.#heartbeat = startHeartbeat(this.#res, this.#heartbeatMs);
    }
    return this.#state === 'events' && writeEvent(this.#res, json);
  }

  start(length: number | undefined, httpStatus = 200): void {
    if (this.#state === 'waiting') {
      if (this.#accepts.json) {
        this.#res.writeHead(this.#isStateless ? httpStatus : 200, jsonHeaders(length));
        this.#missing = length;
        this.#state = 'document';
        return;
      }
      this.#startEvents();
    }
    if (this.#state !== 'events') return;
    clearInterval(this.#heartbeat);
    this.#res.write(EVENT_START);
    this.#state = 'event';
  }

  data(chunk: Uint8Array): boolean {
    if (this.#state === 'event') return this.#res.write(oneLineBytes(chunk));
    if (this.#state !== 'document') return true;
    if (this.#missing !== undefined) {
      this.#missing -= chunk.length;
      // More than was announced would be read as the head of the next answer on this connection.
      if (this.#missing < 0) return this.#break();
    }
    return this.#res.write(chunk);
  }

  onDrain(resume: () => void): void {
    if (this.#state === 'finished' || !this.#res.writableNeedDrain) {
      queueMicrotask(resume);
      return;
    }
    if (this.#resume === undefined) this.#res.once('drain', () => this.#drained());
    this.#resume = resume;
  }

  end(): void {
    if (this.#state === 'event') {
      this.#finish();
      this.#res.end(EVENT_END);
    } else if (this.#state === 'document') {
      if (this.#missing !== undefined && this.#missing > 0) {
        this.#break();
        return;
      }
      this.#finish();
      this.#res.end();
    }
  }

  #startEvents(): void {
    startEventStream(this.#res);
    this.#state = 'events';
  }

  /** Writes the answer in one piece. Behind the beginning of another answer only breaking off is left. */
  #whole(httpStatus: number, json: string): void {
    switch (this.#state) {
      case 'waiting':
        this.#finish();
        if (this.#accepts.json || httpStatus !== 200) {
          respondJson(this.#res, httpStatus, json);
          return;
        }
        startEventStream(this.#res);
        this.#res.end(eventOf(json));
        return;
      case 'events':
        this.#finish();
        this.#res.end(eventOf(json));
        return;
      case 'document':
      case 'event':
        this.#break();
    }
  }

  /** Breaks the connection: the client must not take what it has for an answer. */
  #break(): true {
    this.#finish();
    this.#res.destroy();
    return true;
  }

  #drained(): void {
    const resume = this.#resume;
    this.#resume = undefined;
    resume?.();
  }

  #finish(): void {
    this.#state = 'finished';
    clearInterval(this.#heartbeat);
    this.#onFinish();
  }

  /** The connection has closed; before the answer was complete, that means the client has gone. */
  #abort(): void {
    if (this.#state === 'finished') return;
    this.#finish();
    this.#giveUp();
  }

  #giveUp(): void {
    this.#isAborted = true;
    const callbacks = this.#onAbort;
    this.#onAbort = [];
    for (const callback of callbacks) callback();
    this.#drained();
  }
}
