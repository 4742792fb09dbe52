import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Accepts } from '../http/media-type.ts';
import { buildJsonHeaders, respondJson } from '../http/respond.ts';
import { writeAndRelease } from '../tuning/release-buffer.ts';
import { AbortableResponder } from './abortable-responder.ts';
import type { BackendError } from './backend-error.ts';
import { ClientStream } from './client-stream.ts';
import type { ClientResponder } from './handler.ts';
import type { SessionStreams } from './session-streams.ts';
import { toHttpStatus } from './stateless/http-status.ts';
import type { StreamConnections } from './stream-connection.ts';
import { formatErrorResponse, formatResultResponse, WIRE_CODE, WireError } from './wire-error.ts';

export interface HttpResponderOptions {
  readonly outlets: StreamConnections;
  /** The streams of the session, with which a client whose connection broke after the first event can resume. */
  readonly streams?: SessionStreams | undefined;
  /** Errors have the codes and HTTP statuses of the stateless revision; otherwise errors have HTTP 200. */
  readonly isStateless?: boolean;
  /** The `WWW-Authenticate` header that requests a new login of the caller; undefined when there is none. Default: none. */
  readonly challenge?: (description: string) => string | undefined;
  /** Whether the request has no effect. Default: it may have an effect. */
  readonly onlyReads?: boolean;
  /** Called once, when the response is complete or no longer needed. */
  readonly onFinish: () => void;
}

/**
 * Sends the answer to one POST: as one JSON document, or as an event stream if a message precedes the answer. A client that accepts only JSON does
 * not get these messages.
 */
export class HttpResponder extends AbortableResponder implements ClientResponder {
  private readonly _res: ServerResponse;
  private readonly _id: string;
  private readonly _accepts: Accepts;
  private readonly _options: HttpResponderOptions;
  protected override readonly isStateless: boolean;
  /** `events`: between two events of a stream; `event`: inside the event with the answer. */
  private _state: 'waiting' | 'document' | 'events' | 'event' | 'finished' = 'waiting';
  private _stream: ClientStream | undefined;
  /** The reconnection time that the backend has set, in milliseconds. */
  private _retryMs: number | undefined;
  /** The number of bytes of the document that are still missing; undefined if its length is unknown. */
  private _missing: number | undefined;
  private _resume: (() => void) | undefined;

  constructor(res: ServerResponse, id: string, accepts: Accepts, options: HttpResponderOptions) {
    super();
    this._res = res;
    this._id = id;
    this._accepts = accepts;
    this._options = options;
    this.isStateless = options.isStateless === true;
    if (res.destroyed) this._abort();
    else res.on('close', () => this._closed());
  }

  result(json: string | Buffer): void {
    if (typeof json !== 'string' && this._state === 'waiting' && this._accepts.json) this._writePreparedResult(json);
    else this._writeWhole(200, formatResultResponse(this._id, json.toString()));
  }

  /** Sends a result from prepared bytes. Large lists are the answer to many requests, so their bytes are not copied. */
  private _writePreparedResult(bytes: Buffer): void {
    const [before, after] = formatResultResponse(this._id, '\n').split('\n') as [string, string];
    this._finish();
    const res = this._res;
    res.writeHead(200, buildJsonHeaders(Buffer.byteLength(before) + bytes.length + Buffer.byteLength(after)));
    res.write(before);
    res.write(bytes);
    res.end(after);
  }

  error(error: WireError): void {
    const isReportedByStatus = this.isStateless || error.code === WIRE_CODE.denied;
    const status = isReportedByStatus ? toHttpStatus(error.code) : 200;
    const { retryAfterSeconds } = error;
    const headers =
      status === 200 || retryAfterSeconds === undefined ? undefined : { 'Retry-After': retryAfterSeconds };
    this._writeWhole(status, formatErrorResponse(this._id, error), headers);
  }

  override fail(error: BackendError): void {
    if (error.reason === 'login_required' && this._writeChallenge(error)) return;
    super.fail(error);
  }

  /** Sends a 401, after which clients sign in again. Returns false once the response has begun: then the client only gets an error message. */
  private _writeChallenge({ backend, reason, message }: BackendError): boolean {
    const challenge = this._state === 'waiting' ? this._options.challenge?.(message) : undefined;
    if (challenge === undefined) return false;
    this._finish();
    const error = new WireError(WIRE_CODE.loginRequired, message, { data: { backend, reason } });
    respondJson(this._res, 401, formatErrorResponse(this._id, error), { 'WWW-Authenticate': challenge });
    return true;
  }

  cancel(): void {
    switch (this._state) {
      case 'finished':
        return;
      case 'waiting':
        // HTTP requires a response. An event stream may be empty, but JSON has no empty form, so a client that accepts only JSON gets an error.
        if (!this._accepts.eventStream) {
          this.error(new WireError(WIRE_CODE.internalError, 'the request was cancelled'));
          break;
        }
        this._finish();
        new ClientStream(this._options).open(this._res);
        this._res.end();
        break;
      case 'document':
        this._break();
        break;
      default:
        this._finish();
        this._stream?.end();
    }
    this.raise();
  }

  retry(ms: number): void {
    if (this._retryMs === ms) return; // Backends send this message at the beginning of every stream of one call.
    this._retryMs = ms;
    if (this._state === 'events') this._stream?.retry(ms);
  }

  hold(): void {
    if (this._state === 'waiting' && this._accepts.eventStream) this._startEvents();
  }

  message(json: string): boolean {
    if (this._state === 'waiting' && this._accepts.eventStream) this._startEvents();
    return this._state === 'events' && this._stream?.send(json) === true;
  }

  start(length: number | undefined, httpStatus = 200): void {
    if (this._state === 'waiting') {
      if (this._accepts.json) {
        this._res.writeHead(this.isStateless ? httpStatus : 200, buildJsonHeaders(length));
        this._missing = length;
        this._state = 'document';
        return;
      }
      this._startEvents();
    }
    if (this._state !== 'events') return;
    this._state = 'event';
    this._stream?.startAnswer(length);
  }

  data(chunk: Uint8Array): boolean {
    if (this._state === 'event') return this._stream?.chunk(chunk) ?? true;
    if (this._state !== 'document') return true;
    if (this._missing !== undefined) {
      this._missing -= chunk.length;
      // Bytes beyond the announced length would count as the head of the next answer on this connection.
      if (this._missing < 0) return this._break();
      if (this._missing === 0) {
        // Completes the answer: the end of the document and the head of a short document are sent in one write.
        this._finish();
        this._res.end(chunk);
        return true;
      }
    }
    return writeAndRelease(this._res, chunk);
  }

  onDrain(resume: () => void): void {
    if (this._state === 'event') {
      this._stream?.onDrain(resume);
      return;
    }
    if (this._state === 'finished' || !this._res.writableNeedDrain) {
      queueMicrotask(resume);
      return;
    }
    if (this._resume === undefined) this._res.once('drain', () => this._drained());
    this._resume = resume;
  }

  end(): void {
    if (this._state === 'event') {
      this._finish();
      this._stream?.endAnswer();
    } else if (this._state === 'document') {
      if (this._missing !== undefined && this._missing > 0) {
        this._break();
        return;
      }
      this._finish();
      this._res.end();
    }
  }

  private _startEvents(): void {
    const { streams, outlets } = this._options;
    const options = {
      outlets,
      onLost: () => this._abort(),
      request: this._id,
      onlyReads: this._options.onlyReads === true,
    };
    this._stream = streams === undefined ? new ClientStream(options) : streams.create(options);
    this._stream.open(this._res, this._retryMs);
    this._state = 'events';
  }

  /** Sends a complete answer. If another answer has begun, the responder can only close the connection. */
  private _writeWhole(httpStatus: number, json: string, headers?: OutgoingHttpHeaders): void {
    switch (this._state) {
      case 'waiting':
        if (this._accepts.json || httpStatus !== 200) {
          this._finish();
          respondJson(this._res, httpStatus, json, headers);
          return;
        }
        this._startEvents();
        this._finish();
        this._stream?.answer(json);
        return;
      case 'events':
        this._finish();
        this._stream?.answer(json);
        return;
      case 'event':
        this._finish();
        this._stream?.breakAnswer(json);
        return;
      case 'document':
        this._break();
    }
  }

  /** Closes the connection, so that the client does not treat the partial data as an answer. */
  private _break(): true {
    this._finish();
    this._res.destroy();
    return true;
  }

  private _drained(): void {
    const resume = this._resume;
    this._resume = undefined;
    resume?.();
  }

  private _finish(): void {
    if (this._state === 'finished') return;
    this._state = 'finished';
    this._options.onFinish();
  }

  /**
   * Called when the connection has closed. Before the first event, the request is aborted; after it, the stream decides whether the client may
   * resume.
   */
  private _closed(): void {
    if (this._state === 'waiting' || this._state === 'document') this._abort();
  }

  private _abort(): void {
    if (this._state === 'finished') return;
    this._finish();
    this.raise();
    this._drained();
  }
}
