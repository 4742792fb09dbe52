/**
 * A session with a backend over HTTP+SSE, the transport before Streamable HTTP: messages go out by POST, and everything
 * comes back on one stream.
 *
 * @see https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
 */
import type { RequestSender } from '../../../http/client.ts';
import type { Envelope } from '../../../mcp/envelope.ts';
import { progressTokenAt } from '../../../mcp/progress-token.ts';
import {
  type AnswerSink,
  BackendError,
  type BackendIdentity,
  type BackendListener,
  type BackendRequest,
  type BackendSession,
  type SavedBackendSession,
} from '../backend.ts';
import { Backoff } from '../backoff.ts';
import { requestResult } from '../collect.ts';
import { type BackendContext, postHeaders, type SharedBackendSession } from '../context.ts';
import {
  aborted,
  connectionLost,
  InSessionsError,
  isAboutSender,
  isBusyFailure,
  mayBeOtherEra,
  protocolError,
  sessionClosed,
  statusFailure,
} from '../failure.ts';
import { INITIALIZED_TEXT, initialize, versionHeader } from '../handshake.ts';
import { postMessage } from '../http/post-message.ts';
import { QuietPosts } from '../http/quiet-posts.ts';
import { mayBatch, messagesOfBatch } from '../messages/batch.ts';
import { type MessageKind, messageKind } from '../messages/message-kind.ts';
import { flawOfAnswer } from '../messages/own-answer.ts';
import { readBetween } from '../messages/said-between.ts';
import { answerToServerRequest, cancellationOf, withdrawnQuestion } from '../messages/side-messages.ts';
import type { EraWatch } from '../revision/era.ts';
import { replayLogLevel, replaySubscriptions, type SessionMemory } from '../session-memory.ts';
import { JoinedStream } from './joined-stream.ts';
import { LentStream, type OwnEar } from './lent-stream.ts';
import { type PendingRequest, PendingRequests } from './pending-requests.ts';
import { type OnRefused, type PostBox, RequestPost } from './request-post.ts';
import { SseStream } from './sse-stream.ts';

interface OpenSession extends PostBox {
  readonly stream: SseStream | JoinedStream;
  readonly identity: BackendIdentity;
}

/** How long a stream that this replica leaves may still bring answers to itself, looked at so often; milliseconds. */
const LEAVING_LOOK_MS = 50;

/** Questions that may be without an answer; the oldest are forgotten. */
const MAX_ASKED = 256;

/** Ids of sessions that were left; the oldest are forgotten. */
const MAX_GONE = 16;

/** What a request is sent with, and the stream that its answer comes on: one of this replica, or another one's. */
type Box = PostBox & { readonly stream: SseStream | JoinedStream };

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
  #stream: SseStream | JoinedStream | undefined;
  /** Of the streams of this replica that others use as well. */
  readonly #lent: Map<SseStream, LentStream> = new Map();
  /** The session as it is shared, while its stream is this replica's. */
  #saved: SavedBackendSession | undefined;
  /** The streams that questions without an answer came on, where sessions are shared. */
  readonly #askedIn: Map<string, SseStream | JoinedStream> = new Map();
  /** Sessions that were left while something ran in them, by their streams. */
  readonly #retired: Map<SseStream | JoinedStream, OpenSession> = new Map();
  /** Ids of sessions that the backend has forgotten, or whose stream is gone: none is joined again. */
  readonly #gone: Set<string> = new Set();
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

  /** `watch` is called when the backend opens no session. */
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

  get isOpen(): boolean {
    return this.#open !== undefined;
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
    if (kind?.type === 'response') {
      this.#pending.answered(kind.id);
      const stream = this.#stream;
      if (stream instanceof JoinedStream) stream.answered(kind.id);
      else for (const lent of this.#lent.values()) lent.answered(kind.id);
    }
    if (this.#retired.size > 0 && kind !== undefined && this.#postToRetired(text, kind)) return Promise.resolve();
    return this.#messages.post(text, kind);
  }

  /** An answer goes where the question came from. A notification may be about what runs there. */
  #postToRetired(text: string, kind: MessageKind): boolean {
    const asked = kind.type === 'response' ? this.#askedIn.get(kind.id) : undefined;
    if (kind.type === 'response') this.#askedIn.delete(kind.id);
    for (const session of this.#retired.values()) {
      if (kind.type === 'response' && asked !== session.stream) continue;
      this.#post(session, text, this.#context.client.messages, this.#stop.signal).catch(() => {});
    }
    return asked !== undefined && this.#retired.has(asked);
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
    if (isFirst && [...this.#lent.values()].some(lent => isLeft || lent.isAwaited)) await this.#leaveToOthers();
    this.#stream?.close();
    for (const [stream, lent] of this.#lent) {
      stream.close();
      lent.close();
    }
    this.#lent.clear();
  }

  async #leaveToOthers(): Promise<void> {
    const { shared, timeoutMs } = this.#context;
    const saved = this.#saved;
    if (saved !== undefined) await shared?.release(saved);
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, timeoutMs).unref();
    await Promise.race([Promise.all([...this.#lent.values()].map(lent => lent.leave())), late]);
    clearTimeout(timer);
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
    box: Box,
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
    const found = await this.#context.shared?.find();
    if (this.#stop.signal.aborted) throw sessionClosed(this.backend);
    return found !== undefined && (await this.#mayJoin(found)) ? this.#join(found) : this.#openStream();
  }

  async #mayJoin({ id, holder }: SavedBackendSession): Promise<boolean> {
    const { shared } = this.#context;
    if (shared === undefined || holder === undefined || holder === shared.replica || this.#gone.has(id)) return false;
    return shared.isAlive(holder).catch(() => false);
  }

  #join(saved: SavedBackendSession): OpenSession {
    const { id, identity } = saved;
    const stream: JoinedStream = new JoinedStream(this.#context.shared as SharedBackendSession, saved, {
      onMessage: json => this.#message(json, stream),
      onAsked: question => this.#pending.asked(question),
      onAnswered: question => this.#pending.answered(question),
      onLeft: () => this.#retire(stream),
      onLost: () => this.#lost(stream, connectionLost(this.backend)),
    });
    this.#stream = stream;
    this.#saved = undefined;
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
    const { shared } = this.#context;
    if (shared === undefined) return opened;
    const { path: id } = opened.target;
    const own: SavedBackendSession = { id, identity: opened.identity, holder: shared.replica };
    // Before others can know of it.
    const lent = new LentStream(shared, id, question => this.#pending.answered(question));
    this.#lent.set(stream, lent);
    const kept = await shared.save(own, undefined);
    if (kept.id === id || !(await this.#mayJoin(kept))) {
      this.#saved = own;
      return opened;
    }
    this.#end(stream);
    stream.close();
    return this.#join(kept);
  }

  async #openStream(): Promise<OpenSession> {
    const stream: SseStream = new SseStream(this.#context, {
      onMessage: json => this.#received(json, stream),
      onLost: error => this.#lost(stream, error),
    });
    this.#stream = stream;
    this.#mayBatch = false;
    try {
      const target = await stream.endpoint;
      const headers = postHeaders(this.#context);
      const id = `"lintel-${++this.#initializations}"`;
      const send = (request: BackendRequest, sink: AnswerSink) =>
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
        const request = (asked: BackendRequest, sink: AnswerSink) =>
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
      this.#end(stream);
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

  #received(json: Buffer, stream: SseStream): void {
    const members = this.#mayBatch ? messagesOfBatch(json) : undefined;
    if (members === undefined) this.#message(json, stream);
    else for (const member of members) this.#message(member, stream);
  }

  #message(json: Buffer, stream: SseStream | JoinedStream): void {
    const kind = messageKind(json);
    // Where other replicas use the stream as well.
    const lent = stream instanceof SseStream ? this.#lent.get(stream) : undefined;
    if (kind === undefined) {
      this.#context.log.debug({ backend: this.backend }, 'ignored an event that is not a JSON-RPC message');
    } else if (kind.type === 'response') {
      this.#answer(kind.id, json, lent);
    } else {
      const message = readBetween(this.#context, json.toString('utf8'), kind.type);
      if (kind.type === 'request') {
        if (this.#context.shared !== undefined) this.#askedOn(stream, kind.id);
        this.#request(message, kind.id, kind.method, lent);
      } else if (message !== undefined) this.#notification(message, lent);
    }
  }

  #answer(id: string, json: Buffer, lent: LentStream | undefined): void {
    const pending = this.#pending.withId(id);
    if (pending === undefined) {
      lent?.answer(id, json);
      return;
    }
    const flaw = flawOfAnswer(json, id);
    if (flaw === undefined) pending?.answer(json);
    else pending?.fail(protocolError(this.backend, flaw));
  }

  #askedOn(stream: SseStream | JoinedStream, id: string): void {
    this.#askedIn.set(id, stream);
    if (this.#askedIn.size > MAX_ASKED) this.#askedIn.delete(this.#askedIn.keys().next().value ?? '');
  }

  /** Nothing on a shared stream says which of our requests the backend works on: the listener takes it. */
  #request(message: Envelope | undefined, id: string, method: string, lent: LentStream | undefined): void {
    if (message === undefined || this.#listener?.request === undefined) {
      void this.post(answerToServerRequest(id, method));
    } else {
      this.#pending.asked(id);
      if (lent?.question(id, message.text, this.#ownEar) === true) return;
      this.#listener.request(message.text, id, method);
    }
  }

  /** What of this replica could take what the backend says of its own accord. */
  get #ownEar(): OwnEar {
    if (this.#staysOpen) return 'listens';
    return this.#pending.size > 0 ? 'waits' : 'none';
  }

  #notification(message: Envelope, lent: LentStream | undefined): void {
    const isProgress = message.method === 'notifications/progress';
    const withdrawn = withdrawnQuestion(message);
    if (withdrawn !== undefined) {
      this.#pending.answered(withdrawn);
      if (lent?.withdrawal(withdrawn, message.text) === true) return;
    }
    const pending = isProgress ? this.#pending.withProgress(message) : undefined;
    if (pending !== undefined) pending.message(message);
    else if (lent !== undefined && this.#isForOthers(message, isProgress, lent)) return;
    // Progress of a task goes on after its call has been answered. Any other comes too late for anyone.
    else if (!isProgress || message.text.includes('taskId')) this.#listener?.message(message);
  }

  #isForOthers({ text, params }: Envelope, isProgress: boolean, lent: LentStream): boolean {
    const token = isProgress && params !== undefined ? progressTokenAt(text, params.start) : undefined;
    if (lent.progress(token, text)) return true;
    return (!isProgress || text.includes('taskId')) && lent.message(text, this.#ownEar);
  }

  #lost(stream: SseStream | JoinedStream, error: BackendError): void {
    this.#end(stream);
    this.#retired.delete(stream);
    if (this.#stream === stream) this.#leave();
    this.#pending.failOn(stream, error);
  }

  /** Other replicas learn that a stream of this one is over. */
  #end(stream: SseStream | JoinedStream): void {
    if (!(stream instanceof SseStream)) return;
    this.#lent.get(stream)?.close();
    this.#lent.delete(stream);
  }

  /** Another session counts from now on, or will: what runs in this one may still end well. */
  #retire(stream: SseStream | JoinedStream): void {
    if (this.#stream === stream) {
      if (this.#open !== undefined) {
        this.#isGone(this.#open.target.path);
        if (stream instanceof SseStream || stream.isAwaiting) this.#retired.set(stream, this.#open);
      }
      this.#stream = undefined;
      this.#open = undefined;
      if (this.#staysOpen) this.#reopenLater();
    }
    if (stream instanceof JoinedStream) {
      stream.leave(() => this.#retired.delete(stream));
      return;
    }
    const until = performance.now() + this.#context.timeoutMs;
    const timer = setInterval(() => {
      if (this.#pending.waitsOn(stream) && performance.now() < until) return;
      clearInterval(timer);
      this.#retired.delete(stream);
      this.#end(stream);
      stream.close();
      this.#pending.failOn(stream, connectionLost(this.backend));
    }, LEAVING_LOOK_MS).unref();
  }

  #isGone(id: string): void {
    if (this.#context.shared === undefined) return;
    this.#gone.add(id);
    if (this.#gone.size > MAX_GONE) this.#gone.delete(this.#gone.values().next().value ?? '');
  }

  /** The backend says that it does not know the session, whatever its stream looks like. */
  #forgotten(session: OpenSession): void {
    // Another request may have noticed first and a new session may be open already.
    if (this.#open !== session) return;
    this.#context.log.debug({ backend: this.backend }, 'the backend forgot the session; opening another');
    const { stream } = session;
    stream.close();
    this.#end(stream);
    this.#leave();
    this.#pending.failDelivered(stream, connectionLost(this.backend));
  }

  #leave(): void {
    if (this.#open !== undefined) {
      this.#hasGap = true;
      this.#isGone(this.#open.target.path);
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
    void this.post(cancellationOf(id, `no answer within ${this.#context.timeoutMs} ms`));
  }
}
