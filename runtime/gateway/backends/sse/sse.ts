/**
 * A session with a backend over HTTP+SSE, the transport before Streamable HTTP: messages go out by POST, and everything
 * comes back on one stream.
 *
 * @see https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
 */
import type { RequestSender } from '../../../http/client.ts';
import {
  BackendError,
  type BackendIdentity,
  type BackendListener,
  type BackendRequest,
  type BackendSession,
  type ResponseSink,
  type SavedBackendSession,
} from '../backend.ts';
import { Backoff } from '../backoff.ts';
import { type BackendContext, postHeaders, type SharedBackendSession } from '../context.ts';
import type { EraWatch } from '../era/era.ts';
import {
  aborted,
  connectionLost,
  InSessionsError,
  isBusyFailure,
  isCallerError,
  mayBeOtherEra,
  sessionClosed,
  statusFailure,
} from '../failure.ts';
import { INITIALIZED_TEXT, initialize, versionHeader } from '../handshake.ts';
import { NotificationQueue } from '../http/notification-queue.ts';
import { postMessage } from '../http/post-message.ts';
import { mayBatch, messagesOfBatch } from '../messages/batch.ts';
import { messageKind } from '../messages/message-kind.ts';
import { formatCancellation, respondToServerRequest } from '../messages/side-messages.ts';
import { SessionPing } from '../session-ping.ts';
import { replayLogLevel, replaySubscriptions, type SessionReplay } from '../session-replay.ts';
import { JoinedStream } from './joined-stream.ts';
import { LeftSessions } from './left-sessions.ts';
import type { Box, OpenSession, SessionStream } from './open-session.ts';
import { type PendingRequest, PendingRequests } from './pending-requests.ts';
import { type OnRefused, type PostBox, RequestPost } from './request-post.ts';
import { SharedStreams } from './shared-streams.ts';
import { SseStream } from './sse-stream.ts';
import { StreamMessages } from './stream-messages.ts';

/** How long a stream that this replica leaves may still bring answers to itself, looked at so often; milliseconds. */
const LEAVING_LOOK_MS = 50;

export class SseSession implements BackendSession {
  readonly backend: string;
  readonly sharesOneStream = true;
  readonly #context: BackendContext;
  readonly #memory: SessionReplay;
  readonly #watch: EraWatch | undefined;
  readonly #pending: PendingRequests;
  readonly #messages: NotificationQueue<OpenSession>;
  readonly #backoff: Backoff;
  readonly #stop: AbortController = new AbortController();
  readonly #received: StreamMessages;
  readonly #sharedStreams: SharedStreams;
  readonly #left: LeftSessions;
  readonly #ping: SessionPing;
  /** The current stream, from its GET on. */
  #stream: SessionStream | undefined;
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

  /** `watch` is called when the backend opens no session. */
  constructor(context: BackendContext, memory: SessionReplay, watch?: EraWatch) {
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
    this.#received = new StreamMessages({
      context,
      pending: this.#pending,
      listener: () => this.#listener,
      isListening: () => this.#staysOpen,
      refuse: (id, method) => void this.post(respondToServerRequest(id, method)),
    });
    this.#sharedStreams = new SharedStreams({ shared: context.shared, onAnswered: id => this.#pending.answered(id) });
    this.#left = new LeftSessions((session, text) => {
      this.#post(session, text, context.client.messages, this.#stop.signal).catch(() => {});
    });
    this.#ping = new SessionPing(this, this.#stop.signal);
    this.#messages = new NotificationQueue<OpenSession>(context, {
      open: () => this.#ensureOpen(),
      send: (session, body, via) => this.#post(session, body, via),
      hasForgotten: (session, error) => this.#hasForgotten(session, error),
    });
  }

  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  async open(): Promise<BackendIdentity> {
    return (await this.#ensureOpen()).identity;
  }

  request(request: BackendRequest, to: ResponseSink): void {
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
  #notSent(request: BackendRequest, sink: ResponseSink, error: BackendError): void {
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
    if (kind?.type === 'response') {
      this.#pending.answered(kind.id);
      const stream = this.#stream;
      if (stream instanceof JoinedStream) stream.answered(kind.id);
      else this.#sharedStreams.answered(kind.id);
    }
    if (kind !== undefined && this.#left.post(text, kind)) return Promise.resolve();
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
    else if (this.#open.stream instanceof JoinedStream) this.#open.stream.listen(true);
  }

  unlisten(): void {
    this.#staysOpen = false;
    clearTimeout(this.#reopenTimer);
    if (this.#stream instanceof JoinedStream) this.#stream.listen(false);
  }

  /** There is one session for all replicas, and the one at which the client subscribes tells the backend. */
  subscribedElsewhere(uri: string, isSubscribed: boolean): void {
    this.#memory.noteSubscription(uri, isSubscribed);
    this.#hasPast = true;
  }

  /** What replicas send each other may be older than what this one has noticed: the record tells. */
  moveTo(saved: SavedBackendSession): void {
    const { shared } = this.#context;
    const open = this.#open;
    if (shared === undefined || open === undefined || saved.holder === undefined || saved.id === open.target.path)
      return;
    shared.find().then(
      found => {
        if (this.#open !== open || found === undefined || found.id === open.target.path) return;
        this.#retire(open.stream);
        if (this.#staysOpen) this.#stayOpen();
      },
      () => {},
    );
  }

  /** Where other replicas expect something of the stream, it stays until they have it, or until this is called again. */
  async close(isLeft = false): Promise<void> {
    const isFirst = !this.#stop.signal.aborted;
    this.#stop.abort();
    clearTimeout(this.#reopenTimer);
    this.#open = undefined;
    this.#pending.failAll(sessionClosed(this.backend));
    const { timeoutMs } = this.#context;
    const isAwaited = isLeft ? !this.#sharedStreams.isEmpty : this.#sharedStreams.isAwaited;
    if (isFirst && isAwaited) await this.#sharedStreams.leaveToOthers(timeoutMs);
    this.#stream?.close();
    this.#sharedStreams.close();
  }

  /** Sends a request; when the backend does not know the session any more, once more in a new one. */
  #sendIn(session: OpenSession, request: BackendRequest, sink: ResponseSink): void {
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
    else if (this.#open === session) await this.#ping.answered();
    return this.#open !== session;
  }

  #send(
    box: Box,
    request: BackendRequest,
    sink: ResponseSink,
    onRefused = (pending: PendingRequest, error: BackendError): void => pending.fail(error),
  ): void {
    if (request.signal?.aborted === true) {
      sink.fail(aborted(this.backend));
      return;
    }
    const pending = this.#pending.add(request, sink);
    if (pending === undefined) return;
    pending.stream = box.stream;
    const post = new RequestPost(this.#context, box, pending, onRefused);
    if (box.stream instanceof JoinedStream) this.#sendJoined(box.stream, pending, post, onRefused);
    else post.start();
  }

  /** The replica with the stream first gets to know whose response it is. */
  #sendJoined(stream: JoinedStream, pending: PendingRequest, post: RequestPost, onRefused: OnRefused): void {
    const { key, progressToken } = pending;
    pending.onSettled = isAnswered => stream.settled(key, isAnswered);
    void stream.expect(key, progressToken).then(isExpected => {
      if (pending.isSettled) return;
      if (isExpected) post.start();
      // As when the backend has forgotten the session: without its stream it will.
      else onRefused(pending, statusFailure(this.#context, 404));
    });
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

  /** Goes on with the session whose stream another replica has, or opens one for all. */
  async #connect(): Promise<OpenSession> {
    clearTimeout(this.#reopenTimer);
    const found = await this.#sharedStreams.find();
    if (this.#stop.signal.aborted) throw sessionClosed(this.backend);
    return found === undefined ? this.#openStream() : this.#join(found);
  }

  #join(saved: SavedBackendSession): OpenSession {
    const { id, identity } = saved;
    const stream: JoinedStream = new JoinedStream(this.#context.shared as SharedBackendSession, saved, {
      onMessage: json => this.#receive(json, stream),
      onAsked: requestId => this.#pending.asked(requestId),
      onAnswered: question => this.#pending.answered(question),
      onLeft: () => this.#retire(stream),
      onLost: () => this.#lost(stream, connectionLost(this.backend)),
    });
    this.#stream = stream;
    this.#sharedStreams.joined();
    const headers = [...postHeaders(this.#context), ...versionHeader(identity)];
    this.#open = { stream, target: { origin: this.#context.target.origin, path: id }, headers, identity };
    stream.listen(this.#staysOpen);
    this.#backoff.reset();
    if (this.#hasGap) this.#listener?.missed?.();
    this.#hasGap = false;
    this.#hasPast = true;
    return this.#open;
  }

  /** Shares a session that was opened, unless another replica was faster: then that one counts, and this one ends. */
  async #share(stream: SseStream, opened: OpenSession): Promise<OpenSession> {
    const other = await this.#sharedStreams.share(stream, opened.target.path, opened.identity);
    if (other === undefined) return opened;
    this.#sharedStreams.end(stream);
    stream.close();
    return this.#join(other);
  }

  async #openStream(): Promise<OpenSession> {
    const stream: SseStream = new SseStream(this.#context, {
      onMessage: json => this.#receiveEvent(json, stream),
      onLost: error => this.#lost(stream, error),
    });
    this.#stream = stream;
    this.#mayBatch = false;
    try {
      const target = await stream.endpoint;
      const headers = postHeaders(this.#context);
      const id = `"lintel-${++this.#initializations}"`;
      const send = (request: BackendRequest, sink: ResponseSink) =>
        this.#send({ stream, target, headers }, request, sink);
      const identity = await initialize(this.backend, id, this.#context, send, this.#stop.signal);
      this.#mayBatch = mayBatch(identity);
      const inSession = [...headers, ...versionHeader(identity)];
      const { requests } = this.#context.client;
      await this.#post({ target, headers: inSession }, INITIALIZED_TEXT, requests, this.#stop.signal);
      const shared = await this.#share(stream, { stream, target, headers: inSession, identity });
      if (shared.stream !== stream) return shared;
      if (this.#hasPast) {
        // Requests wait until the session is open: this one goes before them.
        const request = (asked: BackendRequest, sink: ResponseSink) =>
          this.#send({ stream, target, headers: inSession }, asked, sink);
        const { backend } = this;
        await replayLogLevel({ backend, request }, identity, this.#memory, this.#context, this.#stop.signal);
      }
      // Lost in the meantime: nothing that is sent from now on could be answered.
      if (this.#stream !== stream) throw connectionLost(this.backend);
      this.#open = shared;
      this.#backoff.reset();
      if (this.#hasGap) this.#listener?.missed?.();
      this.#hasGap = false;
      if (this.#hasPast) this.#subscribeAgain(stream);
      this.#hasPast = true;
      return this.#open;
    } catch (error) {
      this.#sharedStreams.end(stream);
      stream.close();
      const isAboutBackend = !isCallerError(error) && !isBusyFailure(error);
      if (!this.#stop.signal.aborted && isAboutBackend) this.#watch?.notOpened();
      throw error;
    }
  }

  #subscribeAgain(stream: SseStream): void {
    const isCurrent = () => this.#stream === stream;
    replaySubscriptions(this, this.#memory, this.#context, { signal: this.#stop.signal, isCurrent });
  }

  #receiveEvent(json: Buffer, stream: SseStream): void {
    const members = this.#mayBatch ? messagesOfBatch(json) : undefined;
    if (members === undefined) this.#receive(json, stream);
    else for (const member of members) this.#receive(member, stream);
  }

  #receive(json: Buffer, stream: SessionStream): void {
    this.#received.receive(json, this.#sharedStreams.lent(stream), id => {
      if (this.#context.shared !== undefined) this.#left.asked(stream, id);
    });
  }

  #lost(stream: SessionStream, error: BackendError): void {
    this.#sharedStreams.end(stream);
    this.#left.delete(stream);
    if (this.#stream === stream) this.#leave();
    this.#pending.failOn(stream, error);
  }

  /** Another session counts from now on, or will: what runs in this one may still end well. */
  #retire(stream: SessionStream): void {
    if (this.#stream === stream) {
      if (this.#open !== undefined) {
        this.#sharedStreams.markGone(this.#open.target.path);
        if (stream instanceof SseStream || stream.isAwaiting) this.#left.add(this.#open);
      }
      this.#stream = undefined;
      this.#open = undefined;
      if (this.#staysOpen) this.#reopenLater();
    }
    if (stream instanceof JoinedStream) {
      stream.leave(() => this.#left.delete(stream));
      return;
    }
    const until = performance.now() + this.#context.timeoutMs;
    const timer = setInterval(() => {
      if (this.#pending.waitsOn(stream) && performance.now() < until) return;
      clearInterval(timer);
      this.#left.delete(stream);
      this.#sharedStreams.end(stream);
      stream.close();
      this.#pending.failOn(stream, connectionLost(this.backend));
    }, LEAVING_LOOK_MS).unref();
  }

  /** The backend says that it does not know the session, whatever its stream looks like. */
  #forgotten(session: OpenSession): void {
    // Another request may have noticed first and a new session may be open already.
    if (this.#open !== session) return;
    this.#context.log.debug({ backend: this.backend }, 'the backend forgot the session; opening another');
    const { stream } = session;
    stream.close();
    this.#sharedStreams.end(stream);
    this.#leave();
    this.#pending.failDelivered(stream, connectionLost(this.backend));
  }

  #leave(): void {
    if (this.#open !== undefined) {
      this.#hasGap = true;
      this.#sharedStreams.markGone(this.#open.target.path);
    }
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
    void this.post(formatCancellation(id, `no answer within ${this.#context.timeoutMs} ms`));
  }
}
