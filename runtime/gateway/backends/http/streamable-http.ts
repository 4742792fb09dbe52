/**
 * A session with a backend over Streamable HTTP.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
 */

import type { RequestSender } from '../../../http/client.ts';
import { BackendError } from '../../../mcp/backend-error.ts';
import type { Envelope } from '../../../mcp/envelope.ts';
import type { ResponseSink } from '../../../mcp/response-sink.ts';
import type {
  BackendIdentity,
  BackendListener,
  BackendRequest,
  BackendSession,
  SavedBackendSession,
} from '../backend.ts';
import { requestResult } from '../collect.ts';
import { type BackendContext, buildRequestHeaders, buildStreamHeaders, postHeaders } from '../context.ts';
import type { EraWatch } from '../era-watch.ts';
import {
  createAborted,
  createConnectionLost,
  createProtocolError,
  createSessionClosed,
  createTooMuchText,
  InSessionsError,
  isBusyFailure,
  isCallerError,
  mayBeOtherEra,
  OtherEraError,
} from '../failure.ts';
import { buildVersionHeader, INITIALIZED_TEXT, initialize } from '../handshake.ts';
import { mayBatch } from '../messages/batch.ts';
import { formatCancellation, readCancelledRequest, respondToServerRequest } from '../messages/control-messages.ts';
import { findMessageKind } from '../messages/message-kind.ts';
import { isErrorResponse, readErrorCode } from '../messages/response-body.ts';
import { isModernCode } from '../rpc-error.ts';
import { SessionPing } from '../session-ping.ts';
import { replayLogLevel, replaySubscriptions, type SessionReplay } from '../session-replay.ts';
import { ListeningStream, type StreamSession } from './listening-stream.ts';
import { NotificationQueue } from './notification-queue.ts';
import type { CallOwner, CallSession } from './post-call/call-owner.ts';
import { PostCall } from './post-call/post-call.ts';
import { postMessage } from './post-message.ts';

/** How long `close` waits for the backend to take the DELETE; milliseconds. */
const DELETE_TIMEOUT_MS = 5_000;

/** The result of one `initialize`. */
interface OpenSession extends CallSession, StreamSession {
  readonly identity: BackendIdentity;
  readonly mayBatch: boolean;
  readonly streamHeaders: readonly string[];
  /** Headers of the DELETE; names and values alternate. */
  readonly endHeaders: readonly string[];
}

export class StreamableHttpSession implements BackendSession, CallOwner {
  readonly backend: string;
  readonly sharesOneStream = false;
  readonly #context: BackendContext;
  readonly #memory: SessionReplay;
  readonly #watch: EraWatch | undefined;
  readonly #messages: NotificationQueue<OpenSession>;
  /** An array, because a `Set` that becomes empty after each call costs 5 % of a call (adr/0023-tuning.md). */
  readonly #calls: PostCall[] = [];
  readonly #ping: SessionPing;
  readonly #resent: WeakSet<BackendRequest> = new WeakSet();
  readonly #stop: AbortController = new AbortController();
  #open: OpenSession | undefined;
  #opening: Promise<OpenSession> | undefined;
  #listener: BackendListener | undefined;
  #listening: ListeningStream | undefined;
  #closing: Promise<void> | undefined;
  /** Resolves when a session has ended that was opened but never used. */
  #abandoned: Promise<void> | undefined;
  #initializations = 0;
  /** The session that replicas shared and that the backend has forgotten. */
  #forgotten: SavedBackendSession | undefined;
  /** Whether an earlier session may have carried requests before the next one opens. */
  #hasPast: boolean;

  /** @param watch called for responses that no backend with sessions sends */
  constructor(context: BackendContext, memory: SessionReplay, watch?: EraWatch) {
    this.backend = context.backend;
    this.#context = context;
    this.#memory = memory;
    this.#watch = watch;
    this.#hasPast = !memory.isEmpty;
    this.#ping = new SessionPing(this, this.#stop.signal);
    this.#messages = new NotificationQueue<OpenSession>(context, {
      open: () => this.#ensureOpen(),
      send: (session, body, via) => this.#post(session, body, via),
      hasForgotten: (session, error) => this.#hasForgotten(session, error),
    });
  }

  async open(): Promise<BackendIdentity> {
    return (await this.#ensureOpen()).identity;
  }

  /** Whether the session has an id. */
  get isOpen(): boolean {
    return this.#open?.id !== undefined;
  }

  request(request: BackendRequest, to: ResponseSink): void {
    const open = this.#open; // Returns no session after `close`.
    if (open === undefined && this.#stop.signal.aborted) {
      to.fail(createSessionClosed(this.backend));
      return;
    }
    if (request.isStateless === true) {
      to.fail(new InSessionsError(this.backend));
      return;
    }
    const sink = this.#memory.note(request, to);
    const call = new PostCall(this.#context, request, sink, this);
    this.#calls.push(call);
    if (request.signal?.aborted === true) call.fail(createAborted(this.backend));
    else if (!call.hasRoom)
      call.fail(createTooMuchText(this.backend)); // A call does not wait in memory while the session opens, either.
    else if (open !== undefined && this.#listening?.answered === undefined) call.send(open);
    else this.#sendWhenReady(call);
  }

  get isBusy(): boolean {
    return this.#calls.length > 0;
  }

  hasAsked(id: string): boolean {
    return this.#calls.some(call => call.hasAsked(id));
  }

  async post(text: string): Promise<void> {
    const kind = findMessageKind(Buffer.from(text));
    if (kind?.type === 'response') this.#questionDone(kind.id);
    await this.#messages.post(text, kind);
  }

  /** Messages outside the standing stream belong to a request. */
  receive(listener: BackendListener): void {
    this.#listener = listener;
  }

  listen(listener: BackendListener): void {
    if (this.#stop.signal.aborted) return;
    this.#listener = listener;
    this.#listening?.close();
    this.#listening = new ListeningStream(this.#context, {
      open: () => this.#ensureOpen(),
      onMessage: notification => {
        this.notified(notification);
        listener.message(notification);
      },
      onMissed: () => listener.missed?.(),
      // If the session is lost together with its stream, the ping notices that, and the next session opens.
      onNotFound: () => void requestResult(this, 'ping', {}, { signal: this.#stop.signal }).catch(() => {}),
      serverRequest: (json, id, method) => {
        if (json === undefined || listener.request === undefined) this.#refuse(id, method);
        else listener.request(json, id, method);
      },
    });
    if (this.#open === undefined) this.#listening.start();
    else this.#listening.follow(this.#open); // The next request waits for the stream.
  }

  unlisten(): void {
    this.#listening?.close();
    this.#listening = undefined;
  }

  subscribedElsewhere(uri: string, isSubscribed: boolean): void {
    this.#memory.noteSubscription(uri, isSubscribed);
    this.#hasPast = true;
  }

  moveTo({ id, identity, holder }: SavedBackendSession): void {
    const open = this.#open;
    // Messages between replicas may be older than what this replica already knows.
    if (holder !== undefined || open?.id === undefined || open.id === id || this.#forgotten?.id === id) return;
    const session = this.#toSession(identity, id);
    this.#forget(open);
    this.#open = session;
    this.#listening?.follow(session);
  }

  close(isLeft = false): Promise<void> {
    this.#closing ??= this.#end(isLeft);
    return this.#closing;
  }

  sessionLost(call: PostCall, session: CallSession): void {
    this.#forget(session);
    this.#sendWhenReady(call);
  }

  #forget(session: CallSession | undefined): void {
    // Another call may have noticed the loss already, and a new session may be open.
    if (session === undefined || this.#open !== session) return;
    this.#open = undefined;
    const { id, identity } = session as OpenSession;
    if (id !== undefined) this.#forgotten = { id, identity };
    this.#context.log.debug(
      { backend: this.backend },
      'the backend no longer knows the session; the gateway opens another',
    );
    for (const call of this.#calls) if (call.session === session) call.withdrawServerRequests();
    this.#listener?.lost?.();
  }

  timedOut(call: PostCall): void {
    const { method, id } = call.request;
    if (method === 'initialize' || this.#open === undefined) return;
    const { timeoutMs } = this.#context;
    void this.post(formatCancellation(id, `no answer within ${timeoutMs} ms`));
  }

  #refuse(id: string, method: string): void {
    void this.post(respondToServerRequest(id, method));
  }

  refused(id: string, method: string): void {
    this.#refuse(id, method);
  }

  notified(notification: Envelope): void {
    const id = readCancelledRequest(notification);
    if (id !== undefined) this.#questionDone(id);
  }

  /** Called when no call waits for the client's answer to this question any more. */
  #questionDone(id: string): void {
    for (const call of this.#calls) call.answered(id);
  }

  rejected(call: PostCall, status: number, body: Buffer | undefined, deliver: () => void): boolean {
    // A server of HTTP+SSE answers 405 when its URL accepts no messages.
    if (this.#watch !== undefined && (isModernCode(readErrorCode(body)) || status === 405)) {
      this.#watch.onEraMismatch(call.request, call.sink, deliver);
      return true;
    }
    if (status !== 400 || !this.#mayLackSession(call, body)) return false;
    const { request, session, sink } = call;
    this.#resent.add(request);
    if (session === undefined || request.method === 'ping') {
      this.#forget(session); // A ping can fail only because of the session.
      this.request(request, sink);
    } else {
      // A backend that gave no session id may require one after a restart: it then refuses the ping, too.
      void this.#isStillOpen(session).then(isOpen => (isOpen ? deliver() : this.request(request, sink)));
    }
    return true;
  }

  /**
   * Whether the backend may have refused a message because of its session. An error with the id of the request is an answer; without the id, the
   * backend may have refused before it processed the message.
   */
  #mayLackSession({ session, request }: PostCall, body: Buffer | undefined): boolean {
    if (session === undefined || this.#resent.has(request)) return false;
    return body === undefined || !isErrorResponse(body, request.id);
  }

  /** Whether a doubted session is still open: one ping for all requests that doubt it. A refused ping opens another session. */
  async #isStillOpen(session: CallSession): Promise<boolean> {
    if (this.#open === session) await this.#ping.answered();
    return this.#open === session;
  }

  /** Does the same as `#mayLackSession` for a message that gets no answer. */
  async #hasForgotten(session: OpenSession, error: unknown): Promise<boolean> {
    const status = error instanceof BackendError ? error.httpStatus : undefined;
    if (status !== 404 || session.id === undefined) return status === 400 && !(await this.#isStillOpen(session));
    this.#forget(session);
    return true;
  }

  settled(call: PostCall): void {
    const at = this.#calls.indexOf(call);
    if (at !== -1) this.#calls.splice(at, 1);
  }

  #sendWhenReady(call: PostCall): void {
    this.#ready().then(
      session => call.send(session),
      error => {
        if (!mayBeOtherEra(error) || this.#watch === undefined) call.fail(error);
        else if (call.withdraw()) this.#watch.onEraMismatch(call.request, call.sink, () => call.sink.fail(error));
      },
    );
  }

  /**
   * Returns the session when the backend has answered the GET of its standing stream, if the session has such a stream: messages that the backend
   * sends on the stream before are lost.
   */
  async #ready(): Promise<OpenSession> {
    const session = await this.#ensureOpen();
    const answered = this.#listening?.answered;
    if (answered === undefined) return session;
    await answered;
    return this.#ensureOpen(); // The server that answers now may be another one than the server of the session.
  }

  #ensureOpen(): Promise<OpenSession> {
    if (this.#stop.signal.aborted) return Promise.reject(createSessionClosed(this.backend));
    if (this.#open !== undefined) return Promise.resolve(this.#open);
    this.#opening ??= (this.#context.shared === undefined ? this.#initialize() : this.#resume()).finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  /** Continues the session that another replica has opened, or opens one for all replicas. */
  async #resume(): Promise<OpenSession> {
    const found = await this.#context.shared?.find();
    const isOther = found?.holder !== undefined; // With another replica, the backend used HTTP+SSE.
    if (found === undefined || isOther || found.id === this.#forgotten?.id) return this.#initialize();
    if (this.#stop.signal.aborted) throw createSessionClosed(this.backend);
    const session = this.#toSession(found.identity, found.id);
    this.#open = session;
    this.#hasPast = true;
    this.#listening?.follow(session);
    return session;
  }

  /** Shares an opened session, unless another replica was faster: the gateway then uses that one and ends this one. */
  async #share(opened: OpenSession): Promise<OpenSession> {
    const { id, identity } = opened;
    const { shared } = this.#context;
    if (shared === undefined || id === undefined) return opened;
    const savedSession = await shared.save({ id, identity }, this.#forgotten);
    if (savedSession.id === id || savedSession.holder !== undefined) return opened;
    void this.#delete(opened.endHeaders);
    return this.#toSession(savedSession.identity, savedSession.id);
  }

  async #initialize(): Promise<OpenSession> {
    const id = `"lintel-${++this.#initializations}"`;
    let sessionId: string | undefined;
    let hasNoSessions = false;
    const send = (request: BackendRequest, sink: ResponseSink) => {
      const call = new PostCall(this.#context, request, sink, {
        sessionLost() {},
        timedOut() {},
        // The requests of the backend are refused only when the session is open: before that, an answer has no session.
        refused: (serverId, method) => this.#refuse(serverId, method),
        rejected: (_call, _status, body) => {
          hasNoSessions = isModernCode(readErrorCode(body));
          return false;
        },
        settled: settled => {
          sessionId = settled.sessionId;
        },
      });
      call.send({ id: undefined, headers: postHeaders(this.#context) });
    };
    try {
      const identity = await initialize(this.backend, id, this.#context, send, this.#stop.signal);
      const opened = this.#toSession(identity, sessionId);
      await this.#post(opened, INITIALIZED_TEXT, this.#context.client.requests, this.#stop.signal);
      const session = await this.#share(opened);
      if (this.#hasPast) await this.#replayLogLevel(session);
      if (this.#stop.signal.aborted) throw createSessionClosed(this.backend);
      this.#open = session;
      this.#listening?.follow(session);
      if (this.#hasPast) {
        const isCurrent = () => this.#open === session;
        replaySubscriptions(this, this.#memory, this.#context, { signal: this.#stop.signal, isCurrent });
      }
      this.#hasPast = true;
      return session;
    } catch (error) {
      if (hasNoSessions) throw new OtherEraError(this.backend);
      const isAboutBackend = !isCallerError(error) && !isBusyFailure(error);
      if (!this.#stop.signal.aborted && isAboutBackend) this.#watch?.notOpened();
      if (isSessionId(sessionId)) this.#abandoned = this.#delete(['mcp-session-id', sessionId]);
      throw error;
    }
  }

  /** Requests wait until the session is open; the log level is sent before them. */
  #replayLogLevel(session: OpenSession): Promise<void> {
    const opening = {
      backend: this.backend,
      request: (request: BackendRequest, sink: ResponseSink) => {
        const call = new PostCall(this.#context, request, sink, {
          sessionLost: lost => lost.fail(createConnectionLost(this.backend)),
          timedOut() {},
          refused: (serverId, method) => this.#refuse(serverId, method),
          settled() {},
        });
        call.send(session);
      },
    };
    return replayLogLevel(opening, session.identity, this.#memory, this.#context, this.#stop.signal);
  }

  #toSession(identity: BackendIdentity, id: string | undefined): OpenSession {
    if (id !== undefined && !isSessionId(id)) throw createProtocolError(this.backend, 'sent a malformed session id');
    const own = [...buildVersionHeader(identity), ...(id === undefined ? [] : ['mcp-session-id', id])];
    return {
      id,
      identity,
      mayBatch: mayBatch(identity.protocolVersion),
      headers: [...postHeaders(this.#context), ...own],
      streamHeaders: [...buildStreamHeaders(this.#context), ...own],
      endHeaders: own,
    };
  }

  #post(session: CallSession, body: string, via: RequestSender, signal?: AbortSignal): Promise<void> {
    const { target } = this.#context;
    return postMessage(this.#context, via, { target, method: 'POST', headers: session.headers, body }, signal);
  }

  async #end(isLeft: boolean): Promise<void> {
    const session = isLeft ? undefined : this.#open;
    this.#open = undefined;
    this.#stop.abort();
    this.#listening?.close();
    for (const call of [...this.#calls]) call.fail(createSessionClosed(this.backend));
    // Closing makes the opening of a session fail at once; if the backend has opened it, the gateway ends it.
    await this.#opening?.catch(() => {});
    await Promise.all([session?.id === undefined ? undefined : this.#delete(session.endHeaders), this.#abandoned]);
  }

  /**
   * Ends a session by DELETE.
   * @param own the headers that name the session; names and values alternate
   */
  async #delete(own: readonly string[]): Promise<void> {
    const { target, timeoutMs, client } = this.#context;
    const context = { ...this.#context, timeoutMs: Math.min(timeoutMs, DELETE_TIMEOUT_MS) };
    try {
      const headers = [...buildRequestHeaders(context), ...own];
      await postMessage(context, client.messages, { target, method: 'DELETE', headers });
    } catch {
      // A backend may refuse (405) or be gone; in both cases no session remains.
    }
  }
}

/** Whether an id is visible ASCII, as the specification requires, because it is sent in a header. */
function isSessionId(id: string | undefined): id is string {
  return id !== undefined && /^[\x21-\x7e]+$/.test(id);
}
