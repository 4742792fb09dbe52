/** Requests, by id, that wait for an answer on a shared stream. */

import type { InFlightBudget } from '../../../http/in-flight-budget.ts';
import type { BackendError } from '../../../mcp/backend-error.ts';
import { type Envelope, formatIdKey } from '../../../mcp/envelope.ts';
import { readProgressTokenAt } from '../../../mcp/progress-token.ts';
import { parseSoundMessage } from '../../../mcp/read-envelope.ts';
import type { ResponseSink } from '../../../mcp/response-sink.ts';
import type { BackendRequest } from '../backend.ts';
import { CLIENT_MS } from '../context.ts';
import { createAborted, createProtocolError, createTimeout, createTooMuchText } from '../failure.ts';

/** The POST of a waiting request. */
export interface PendingPost {
  /** Called when the backend may wait for the client: the request must not count as running meanwhile. */
  waitsForClient(): void;
  /** Called when the backend continues to work on the request. */
  goesOn(): void;
  /** Called when the request has its answer. */
  answered(): void;
  /** Called when the request no longer needs an answer. */
  givenUp(): void;
}

/** One waiting request. It leaves its list by itself when it is answered, failed, aborted or too late. */
export class PendingRequest {
  readonly request: BackendRequest;
  readonly key: string;
  /** The request's progress token as JSON text. */
  readonly progressToken: string | undefined;
  readonly #owner: PendingRequests;
  readonly #sink: ResponseSink;
  /** Whether the backend has accepted the request. */
  isDelivered = false;
  post: PendingPost | undefined;
  /** The stream on which the answer comes. */
  stream: object | undefined;
  /** Called once, after the request has left its list. */
  onSettled: ((isAnswered: boolean) => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #settled = false;

  constructor(owner: PendingRequests, request: BackendRequest, sink: ResponseSink) {
    this.#owner = owner;
    this.request = request;
    this.#sink = sink;
    this.key = formatIdKey(request.id);
    this.progressToken = readProgressToken(request.text);
    request.signal?.addEventListener('abort', this);
  }

  /** Starts or restarts the time limit: the request is being sent, or another limit applies. */
  startTimer(timeoutMs: number = this.request.timeoutMs ?? this.#owner.options.timeoutMs): void {
    const { backend, onTimeout } = this.#owner.options;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.fail(createTimeout(backend, timeoutMs));
      onTimeout(this.request);
    }, timeoutMs);
  }

  answer(json: Buffer): void {
    if (!this.#settle()) return;
    this.post?.answered();
    this.onSettled?.(true);
    this.#sink.start(json.length);
    this.#sink.data(json);
    this.#sink.end();
  }

  /** Called with a message about this request, which also counts as a sign of life. */
  message(notification: Envelope): void {
    if (this.#settled) return;
    this.#timer?.refresh();
    this.#sink.message(notification);
  }

  fail(error: BackendError): void {
    if (!this.#settle()) return;
    this.post?.givenUp();
    this.onSettled?.(false);
    this.#sink.fail(error);
  }

  /** Stops waiting for an answer, so that the request can be sent again. Returns false when it has an answer already. */
  withdraw(): boolean {
    const isWithdrawn = this.#settle();
    if (isWithdrawn) this.onSettled?.(false);
    return isWithdrawn;
  }

  get isSettled(): boolean {
    return this.#settled;
  }

  /** Called when the signal is aborted. */
  handleEvent(): void {
    this.fail(createAborted(this.#owner.options.backend));
  }

  #settle(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    clearTimeout(this.#timer);
    this.request.signal?.removeEventListener('abort', this);
    this.#owner.remove(this);
    return true;
  }
}

export interface PendingOptions {
  readonly backend: string;
  readonly timeoutMs: number;
  readonly texts: InFlightBudget;
  /** Called when a request got no answer in time. */
  onTimeout(request: BackendRequest): void;
}

export class PendingRequests {
  readonly options: PendingOptions;
  readonly #byId: Map<string, PendingRequest> = new Map();
  /** Ids of the backend's questions that have no answer yet: a waiting request may depend on them. */
  readonly #serverRequests: Set<string> = new Set();
  readonly #byProgressToken: Map<string, PendingRequest> = new Map();

  constructor(options: PendingOptions) {
    this.options = options;
  }

  get size(): number {
    return this.#byId.size;
  }

  /** Whether the backend waits for the client's answer to this question. */
  hasAsked(id: string): boolean {
    return this.#serverRequests.has(id);
  }

  /** Registers a request. Undefined, and the sink gets a failure, when a request with the same id waits, or when too many requests wait. */
  add(request: BackendRequest, sink: ResponseSink): PendingRequest | undefined {
    if (this.#byId.has(formatIdKey(request.id))) {
      sink.fail(createProtocolError(this.options.backend, 'a request with the same id is under way'));
      return undefined;
    }
    if (!this.options.texts.take(request.text.length)) {
      sink.fail(createTooMuchText(this.options.backend));
      return undefined;
    }
    const pending = new PendingRequest(this, request, sink);
    this.#byId.set(pending.key, pending);
    if (pending.progressToken !== undefined) this.#byProgressToken.set(pending.progressToken, pending);
    return pending;
  }

  /** The request with this id, in the spelling that `findMessageKind` returns. */
  withId(id: string): PendingRequest | undefined {
    return this.#byId.get(id);
  }

  /** The request that a `notifications/progress` is about, by its token. */
  withProgress({ text, params }: Envelope): PendingRequest | undefined {
    if (this.#byProgressToken.size === 0 || params === undefined) return undefined;
    const token = readProgressTokenAt(text, params.start);
    return token === undefined ? undefined : this.#byProgressToken.get(token);
  }

  /** Called when the backend has sent the client a request. Any of the waiting requests may depend on the answer, so that their time limits stop. */
  asked(id: string): void {
    if (this.#byId.size === 0) return;
    this.#serverRequests.add(id);
    for (const pending of this.#byId.values()) {
      pending.startTimer(CLIENT_MS);
      pending.post?.waitsForClient();
    }
  }

  /** Called when the client's answer to the question with this id is being sent, or when the backend no longer wants the answer. */
  answered(id: string): void {
    if (!this.#serverRequests.delete(id) || this.#serverRequests.size > 0) return;
    for (const pending of this.#byId.values()) {
      pending.startTimer();
      pending.post?.goesOn();
    }
  }

  failAll(error: BackendError): void {
    this.#serverRequests.clear();
    for (const pending of [...this.#byId.values()]) pending.fail(error);
  }

  /** Fails the requests whose answers would arrive on a stream that has ended. */
  failOn(stream: object, error: BackendError): void {
    for (const pending of [...this.#byId.values()]) if (pending.stream === stream) pending.fail(error);
    if (this.#byId.size === 0) this.#serverRequests.clear();
  }

  /** Fails those requests of a stream that the backend has accepted. For all others the result of their POSTs decides. */
  failDelivered(stream: object, error: BackendError): void {
    this.#serverRequests.clear();
    for (const pending of [...this.#byId.values()])
      if (pending.isDelivered && pending.stream === stream) pending.fail(error);
  }

  /** Whether a request waits for an answer on a stream. */
  waitsOn(stream: object): boolean {
    for (const pending of this.#byId.values()) if (pending.stream === stream) return true;
    return false;
  }

  remove(pending: PendingRequest): void {
    this.options.texts.release(pending.request.text.length);
    this.#byId.delete(pending.key);
    if (this.#byId.size === 0) this.#serverRequests.clear();
    const token = pending.progressToken;
    if (token !== undefined && this.#byProgressToken.get(token) === pending) this.#byProgressToken.delete(token);
  }
}

function readProgressToken(text: string): string | undefined {
  // The text is searched before it is parsed: most requests have no progress token, and arguments can be large.
  if (!text.includes('progressToken')) return undefined;
  const meta = parseSoundMessage(text)?.meta;
  return meta === undefined || text[meta.start] !== '{' ? undefined : readProgressTokenAt(text, meta.start);
}
