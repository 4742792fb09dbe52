import type { ServerResponse } from 'node:http';
import type { BackendError } from '../gateway/backend/backend.ts';
import type { Accepts } from '../http/media-type.ts';
import { jsonHeaders, respondJson } from '../http/respond.ts';
import { AbortableAnswer } from './abortable-answer.ts';
import { ClientStream } from './client-stream.ts';
import type { ClientAnswer } from './handler.ts';
import type { SessionStreams } from './session-streams.ts';
import { httpStatusOf } from './stateless/http-status.ts';
import { answerLost, errorResponse, resultResponse, WIRE_CODE, WireError } from './wire-error.ts';

export interface HttpAnswerOptions {
  readonly accepts: Accepts;
  readonly heartbeatMs: number;
  /** The streams of the session: with them, a client whose connection broke behind the first event can come back. */
  readonly streams?: SessionStreams | undefined;
  /** Errors have the codes and HTTP statuses of the stateless revision; else they are HTTP 200. */
  readonly isStateless?: boolean;
  /** The `WWW-Authenticate` header by which a caller is asked to log in again; undefined where nobody is. Default: nobody. */
  readonly challenge?: (description: string) => string | undefined;
  /** Called once, when the answer is complete or nobody waits for it any more. */
  readonly onFinish: () => void;
}

/**
 * The answer to one POST. It becomes one JSON document when the answer is the first thing to come, and an event stream
 * when a message comes before it. A client that takes JSON only does not get the messages.
 */
export class HttpAnswer extends AbortableAnswer implements ClientAnswer {
  readonly #res: ServerResponse;
  readonly #id: string;
  readonly #options: HttpAnswerOptions;
  readonly #isStateless: boolean;
  /** `events`: between two events of a stream; `event`: inside of the one that carries the answer. */
  #state: 'waiting' | 'document' | 'events' | 'event' | 'finished' = 'waiting';
  #stream: ClientStream | undefined;
  /** Bytes of the document that are yet to come, when its length was given. */
  #missing: number | undefined;
  #resume: (() => void) | undefined;

  constructor(res: ServerResponse, id: string, options: HttpAnswerOptions) {
    super();
    this.#res = res;
    this.#id = id;
    this.#options = options;
    this.#isStateless = options.isStateless === true;
    if (res.destroyed) this.#abort();
    else res.on('close', () => this.#closed());
  }

  result(json: string | Buffer): void {
    if (typeof json !== 'string' && this.#state === 'waiting' && this.#options.accepts.json) this.#preparedResult(json);
    else this.#whole(200, resultResponse(this.#id, json.toString()));
  }

  /** Large lists are sent by everybody's every request: their bytes are shared, not copied. */
  #preparedResult(bytes: Buffer): void {
    const [before, after] = resultResponse(this.#id, '\n').split('\n') as [string, string];
    this.#finish();
    const res = this.#res;
    res.writeHead(200, jsonHeaders(Buffer.byteLength(before) + bytes.length + Buffer.byteLength(after)));
    res.write(before);
    res.write(bytes);
    res.end(after);
  }

  error(error: WireError): void {
    const isSaidByStatus = this.#isStateless || error.code === WIRE_CODE.denied;
    this.#whole(isSaidByStatus ? httpStatusOf(error.code) : 200, errorResponse(this.#id, error));
  }

  override fail(error: BackendError): void {
    if (error.reason === 'login_required' && this.#challenge(error)) return;
    // The stateless revision has no code for a timeout, and leaves those that were used for it to older revisions.
    if (this.#isStateless && error.reason === 'timeout') {
      const data = { backend: error.backend, reason: error.reason };
      this.error(new WireError(WIRE_CODE.internalError, error.message, { data }));
    } else super.fail(error);
  }

  /** Clients log in again at a 401, which is too late when the answer has begun: then they are told in words. */
  #challenge({ backend, reason, message }: BackendError): boolean {
    const challenge = this.#state === 'waiting' ? this.#options.challenge?.(message) : undefined;
    if (challenge === undefined) return false;
    this.#finish();
    const error = new WireError(WIRE_CODE.loginRequired, message, { data: { backend, reason } });
    respondJson(this.#res, 401, errorResponse(this.#id, error), { 'WWW-Authenticate': challenge });
    return true;
  }

  cancel(): void {
    switch (this.#state) {
      case 'finished':
        return;
      case 'waiting':
        // HTTP wants some answer. A stream without events is none to MCP; JSON has no such thing.
        if (!this.#options.accepts.eventStream) {
          this.error(new WireError(WIRE_CODE.internalError, 'the request was cancelled'));
          break;
        }
        this.#finish();
        new ClientStream(this.#options).open(this.#res);
        this.#res.end();
        break;
      case 'document':
        this.#break();
        break;
      default:
        this.#finish();
        this.#stream?.end();
    }
    this.raise();
  }

  hold(): void {
    if (this.#state === 'waiting' && this.#options.accepts.eventStream) this.#startEvents();
  }

  message(json: string): boolean {
    if (this.#state === 'waiting' && this.#options.accepts.eventStream) this.#startEvents();
    return this.#state === 'events' && this.#stream?.send(json) === true;
  }

  start(length: number | undefined, httpStatus = 200): void {
    if (this.#state === 'waiting') {
      if (this.#options.accepts.json) {
        this.#res.writeHead(this.#isStateless ? httpStatus : 200, jsonHeaders(length));
        this.#missing = length;
        this.#state = 'document';
        return;
      }
      this.#startEvents();
    }
    if (this.#state !== 'events') return;
    this.#state = 'event';
    this.#stream?.startAnswer(length);
  }

  data(chunk: Uint8Array): boolean {
    if (this.#state === 'event') return this.#stream?.chunk(chunk) ?? true;
    if (this.#state !== 'document') return true;
    if (this.#missing !== undefined) {
      this.#missing -= chunk.length;
      // More than was announced would be read as the head of the next answer on this connection.
      if (this.#missing < 0) return this.#break();
      if (this.#missing === 0) {
        // Complete: the end of the document and, of a short one, its head leave in one write.
        this.#finish();
        this.#res.end(chunk);
        return true;
      }
    }
    return this.#res.write(chunk);
  }

  onDrain(resume: () => void): void {
    if (this.#state === 'event') {
      this.#stream?.onDrain(resume);
      return;
    }
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
      this.#stream?.endAnswer();
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
    const { streams, heartbeatMs } = this.#options;
    const options = {
      heartbeatMs,
      onLost: () => this.#abort(),
      lostAnswer: () => errorResponse(this.#id, answerLost()),
    };
    this.#stream = streams === undefined ? new ClientStream(options) : streams.create(options);
    this.#stream.open(this.#res);
    this.#state = 'events';
  }

  /** Writes the answer in one piece. Behind the beginning of another answer only breaking off is left. */
  #whole(httpStatus: number, json: string): void {
    switch (this.#state) {
      case 'waiting':
        if (this.#options.accepts.json || httpStatus !== 200) {
          this.#finish();
          respondJson(this.#res, httpStatus, json);
          return;
        }
        this.#startEvents();
        this.#finish();
        this.#stream?.answer(json);
        return;
      case 'events':
        this.#finish();
        this.#stream?.answer(json);
        return;
      case 'event':
        this.#finish();
        this.#stream?.breakAnswer(json);
        return;
      case 'document':
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
    this.#options.onFinish();
  }

  /** The connection has closed. Before the first event that means that the client has gone; later its stream decides. */
  #closed(): void {
    if (this.#state === 'waiting' || this.#state === 'document') this.#abort();
  }

  #abort(): void {
    if (this.#state === 'finished') return;
    this.#finish();
    this.raise();
    this.#drained();
  }
}
