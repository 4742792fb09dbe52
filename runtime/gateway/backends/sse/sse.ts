/**
 * A session with a backend over HTTP+SSE, the transport before Streamable HTTP: messages go out by POST, and everything
 * comes back on one stream.
 *
 * @see https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
 */
import type { RequestSender } from '../../../http/client.ts';
import type { Envelope } from '../../../mcp/envelope.ts';
import {
  type AnswerSink,
  BackendError,
  type BackendIdentity,
  type BackendListener,
  type BackendRequest,
  type BackendSession,
} from '../backend.ts';
import { Backoff } from '../backoff.ts';
import { requestResult } from '../collect.ts';
import { type BackendContext, postHeaders } from '../context.ts';
import {
  aborted,
  connectionLost,
  InSessionsError,
  isAboutSender,
  isBusyFailure,
  mayBeOtherEra,
  protocolError,
  sessionClosed,
} from '../failure.ts';
import { INITIALIZED_TEXT, initialize, versionHeader } from '../handshake.ts';
import { postMessage } from '../http/post-message.ts';
import { QuietPosts } from '../http/quiet-posts.ts';
import { mayBatch, messagesOfBatch } from '../messages/batch.ts';
import { messageKind } from '../messages/message-kind.ts';
import { flawOfAnswer } from '../messages/own-answer.ts';
import { readBetween } from '../messages/said-between.ts';
import { answerToServerRequest, cancellationOf, withdrawnQuestion } from '../messages/side-messages.ts';
import type { EraWatch } from '../revision/era.ts';
import { replayLogLevel, replaySubscriptions, type SessionMemory } from '../session-memory.ts';
import { type PendingRequest, PendingRequests } from './pending-requests.ts';
import { type PostBox, RequestPost } from './request-post.ts';
import { SseStream } from './sse-stream.ts';

interface OpenSession extends PostBox {
  readonly stream: SseStream;
  readonly identity: BackendIdentity;
}

export class SseSession implements BackendSession {
  readonly backend: string;
  readonly sharesOneStream = true;
  readonly #context: BackendContext;
  readonly #memory: SessionMemory;
  readonly #watch: EraWatch | undefined;
  readonly #pending: PendingRequests;
  readonly #messages: QuietPosts<OpenSession>;
  readonly #backoff: Backoff;
  readonly #stop: AbortController = new AbortController();
  /** The current stream, from its GET on. */
  #stream: SseStream | undefined;
  #open: OpenSession | undefined;
  #opening: Promise<OpenSession> | undefined;
  /** Of the current stream. */
  #mayBatch = false;
  #initializations = 0;
  /** Something may have been asked of a session before the one that opens next. */
  #hasPast: boolean;
  #listener: BackendListener | undefined;
  /** The stream is wanted whether there are requests or not. */
  #staysOpen = false;
  /** A stream that was open has been lost. */
  #hasGap = false;
  #reopenTimer: NodeJS.Timeout | undefined;
  /** A ping that tells whether the session is still there. */
  #doubt: Promise<unknown> | undefined;

  /** `watch` hears when the backend opens no session. */
  constructor(context: BackendContext, memory: SessionMemory, watch?: EraWatch) {
    this.backend = context.backend;
    this.#context = context;
    this.#memory = memory;
    this.#watch = watch;
    this.#hasPast = !memory.isEmpty;
    this.#backoff = new Backoff(context.reconnect);
    this.#pending = new PendingRequests({
      backend: context.backend,
      timeoutMs: context.timeoutMs,
      texts: context.client.texts,
      onTimeout: request => this.#timedOut(request),
    });
    this.#messages = new QuietPosts<OpenSession>(context, {
      open: () => this.#ensureOpen(),
      send: (session, body, via) => this.#post(session, body, via),
      hasForgotten: (session, error) => this.#hasForgotten(session, error),
    });
  }

  async open(): Promise<BackendIdentity> {
    return (await this.#ensureOpen()).identity;
  }

  request(request: BackendRequest, to: AnswerSink): void {
    if (this.#stop.signal.aborted) {
      to.fail(sessionClosed(this.backend));
      return;
    }
    if (request.isStateless === true) {
      to.fail(new InSessionsError(this.backend));
      return;
    }
    const sink = this.#memory.note(request, to);
    if (this.#open !== undefined) this.#sendIn(this.#open, request, sink);
    else {
      // Not pending yet: a stream that is lost while it opens fails what is pending, and this request may still try.
      this.#ensureOpen().then(
        session => this.#sendIn(session, request, sink),
        error => this.#notSent(request, sink, error),
      );
    }
  }

  /** The backend has not taken a request: it may be another one by now, which does. */
  #notSent(request: BackendRequest, sink: AnswerSink, error: BackendError): void {
    if (!mayBeOtherEra(error) || this.#watch === undefined) sink.fail(error);
    else this.#watch.doubted(request, sink, () => sink.fail(error));
  }

  get isBusy(): boolean {
    return this.#pending.size > 0;
  }

  hasAsked(id: string): boolean {
    return this.#pending.hasAsked(id);
  }

  post(text: string): Promise<void> {
    const kind = messageKind(Buffer.from(text));
    if (kind?.type === 'response') this.#pending.answered(kind.id);
    return this.#messages.post(text, kind);
  }

  hear(listener: BackendListener): void {
    if (!this.#stop.signal.aborted) this.#listener = listener;
  }

  listen(listener: BackendListener): void {
    if (this.#stop.signal.aborted) return;
    this.#listener = listener;
    this.#staysOpen = true;
    if (this.#open === undefined) this.#stayOpen();
    else this.#subscribeAgain(this.#open.stream); // Where another replica listened before.
  }

  /** Every replica has a stream of its own: the one that listens subscribes, and another one does when its stream opens. */
  subscribedElsewhere(uri: string, isSubscribed: boolean): void {
    this.#memory.noteSubscription(uri, isSubscribed);
    this.#hasPast = true;
    if (this.#open === undefined || !this.#staysOpen) return;
    const method = isSubscribed ? 'resources/subscribe' : 'resources/unsubscribe';
    requestResult(this, method, { uri }, { signal: this.#stop.signal }).catch(() => {});
  }

  async close(): Promise<void> {
    if (this.#stop.signal.aborted) return;
    this.#stop.abort();
    clearTimeout(this.#reopenTimer);
    this.#open = undefined;
    this.#stream?.close();
    this.#pending.failAll(sessionClosed(this.backend));
  }

  /** Sends a request; when the backend does not know the session any more, once more in a new one. */
  #sendIn(session: OpenSession, request: BackendRequest, sink: AnswerSink): void {
    this.#send(session, request, sink, (pending, error) => {
      if (!mayBeOtherEra(error)) return pending.fail(error);
      void this.#hasForgotten(session, error, request.method).then(isForgotten => {
        if (!pending.withdraw()) return;
        if (!isForgotten) return this.#notSent(request, sink, error);
        this.#ensureOpen().then(
          again => this.#send(again, request, sink),
          failure => this.#notSent(request, sink, failure),
        );
      });
    });
  }

  /**
   * Whether a message met this error because the backend has forgotten the session, which is left then. 404 says so. 400 may: a
   * ping tells, once for all who doubt the session, as nothing else can be wrong with it. @param method of a request
   */
  async #hasForgotten(session: OpenSession, error: unknown, method?: string): Promise<boolean> {
    const status = error instanceof BackendError ? error.httpStatus : undefined;
    if (status === 404 || (status === 400 && method === 'ping')) this.#forgotten(session);
    else if (status !== 400) return false;
    else if (this.#open === session) {
      this.#doubt ??= requestResult(this, 'ping', {}, { signal: this.#stop.signal })
        .catch(() => {})
        .finally(() => {
          this.#doubt = undefined;
        });
      await this.#doubt;
    }
    return this.#open !== session;
  }

  #send(
    box: PostBox,
    request: BackendRequest,
    sink: AnswerSink,
    onRefused = (pending: PendingRequest, error: BackendError): void => pending.fail(error),
  ): void {
    if (request.signal?.aborted === true) {
      sink.fail(aborted(this.backend));
      return;
    }
    const pending = this.#pending.add(request, sink);
    if (pending === undefined) return;
    new RequestPost(this.#context, box, pending, onRefused).start();
  }

  #post({ target, headers }: PostBox, body: string, via: RequestSender, signal?: AbortSignal): Promise<void> {
    return postMessage(this.#context, via, { target, method: 'POST', headers, body }, signal);
  }

  #ensureOpen(): Promise<OpenSession> {
    if (this.#stop.signal.aborted) return Promise.reject(sessionClosed(this.backend));
    if (this.#open !== undefined) return Promise.resolve(this.#open);
    this.#opening ??= this.#connect().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #connect(): Promise<OpenSession> {
    clearTimeout(this.#reopenTimer);
    const stream: SseStream = new SseStream(this.#context, {
      onMessage: json => this.#received(json),
      onLost: error => this.#lost(stream, error),
    });
    this.#stream = stream;
    this.#mayBatch = false;
    try {
      const target = await stream.endpoint;
      const headers = postHeaders(this.#context);
      const id = `"lintel-${++this.#initializations}"`;
      const send = (request: BackendRequest, sink: AnswerSink) => this.#send({ target, headers }, request, sink);
      const identity = await initialize(this.backend, id, this.#context, send, this.#stop.signal);
      this.#mayBatch = mayBatch(identity);
      const inSession = [...headers, ...versionHeader(identity)];
      const { requests } = this.#context.client;
      await this.#post({ target, headers: inSession }, INITIALIZED_TEXT, requests, this.#stop.signal);
      if (this.#hasPast) {
        // Requests wait until the session is open: this one goes before them.
        const request = (asked: BackendRequest, sink: AnswerSink) =>
          this.#send({ target, headers: inSession }, asked, sink);
        const { backend } = this;
        await replayLogLevel({ backend, request }, identity, this.#memory, this.#context, this.#stop.signal);
      }
      // Lost in the meantime: nothing that is sent from now on could be answered.
      if (this.#stream !== stream) throw connectionLost(this.backend);
      this.#open = { stream, target, headers: inSession, identity };
      this.#backoff.reset();
      if (this.#hasGap) this.#listener?.missed?.();
      this.#hasGap = false;
      if (this.#hasPast) this.#subscribeAgain(stream);
      this.#hasPast = true;
      return this.#open;
    } catch (error) {
      stream.close();
      const isAboutBackend = !isAboutSender(error) && !isBusyFailure(error);
      if (!this.#stop.signal.aborted && isAboutBackend) this.#watch?.notOpened();
      throw error;
    }
  }

  #subscribeAgain(stream: SseStream): void {
    const isCurrent = () => this.#stream === stream;
    replaySubscriptions(this, this.#memory, this.#context, { signal: this.#stop.signal, isCurrent });
  }

  #received(json: Buffer): void {
    const members = this.#mayBatch ? messagesOfBatch(json) : undefined;
    if (members === undefined) this.#message(json);
    else for (const member of members) this.#message(member);
  }

  #message(json: Buffer): void {
    const kind = messageKind(json);
    if (kind === undefined) {
      this.#context.log.debug({ backend: this.backend }, 'ignored an event that is not a JSON-RPC message');
    } else if (kind.type === 'response') {
      this.#answer(kind.id, json);
    } else {
      const message = readBetween(this.#context, json.toString('utf8'), kind.type);
      if (kind.type === 'request') this.#request(message, kind.id, kind.method);
      else if (message !== undefined) this.#notification(message);
    }
  }

  #answer(id: string, json: Buffer): void {
    const flaw = flawOfAnswer(json, id);
    const pending = this.#pending.withId(id);
    if (flaw === undefined) pending?.answer(json);
    else pending?.fail(protocolError(this.backend, flaw));
  }

  /** Nothing on a shared stream tells which of our requests the backend works on: whoever listens takes it. */
  #request(message: Envelope | undefined, id: string, method: string): void {
    if (message === undefined || this.#listener?.request === undefined) {
      void this.post(answerToServerRequest(id, method));
    } else {
      this.#pending.asked(id);
      this.#listener.request(message.text, id, method);
    }
  }

  #notification(message: Envelope): void {
    const isProgress = message.method === 'notifications/progress';
    const withdrawn = withdrawnQuestion(message);
    if (withdrawn !== undefined) this.#pending.answered(withdrawn);
    const pending = isProgress ? this.#pending.withProgress(message) : undefined;
    if (pending !== undefined) pending.message(message);
    // Progress of a task goes on after its call has been answered. Any other comes too late for anyone.
    else if (!isProgress || message.text.includes('taskId')) this.#listener?.message(message);
  }

  #lost(stream: SseStream, error: BackendError): void {
    if (this.#stream !== stream) return;
    this.#leave();
    this.#pending.failAll(error);
  }

  /** The backend says that it does not know the session, whatever its stream looks like. */
  #forgotten(session: OpenSession): void {
    // Another request may have noticed first and a new session may be open already.
    if (this.#open !== session) return;
    this.#context.log.debug({ backend: this.backend }, 'the backend forgot the session; opening another');
    session.stream.close();
    this.#leave();
    this.#pending.failDelivered(connectionLost(this.backend));
  }

  #leave(): void {
    if (this.#open !== undefined) this.#hasGap = true;
    this.#stream = undefined;
    this.#open = undefined;
    this.#listener?.lost?.();
    if (this.#staysOpen) this.#reopenLater();
  }

  /** Someone listens: the stream is opened without waiting for a request. */
  #stayOpen(): void {
    this.#ensureOpen().catch(error => {
      if (mayBeOtherEra(error)) this.#watch?.suspected();
      this.#reopenLater();
    });
  }

  #reopenLater(): void {
    if (this.#stop.signal.aborted) return;
    clearTimeout(this.#reopenTimer);
    this.#reopenTimer = setTimeout(() => this.#stayOpen(), this.#backoff.next());
    this.#reopenTimer.unref();
  }

  #timedOut({ id, method }: BackendRequest): void {
    if (method === 'initialize' || this.#open === undefined) return;
    void this.post(cancellationOf(id, `no answer within ${this.#context.timeoutMs} ms`));
  }
}
