/**
 * A session with a backend over HTTP+SSE, the transport before Streamable HTTP: the gateway sends messages by POST, and receives all answers on
 * one stream.
 * @see https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
 */

import type { RequestSender } from '../../../http/client.ts';
import { BackendError } from '../../../mcp/backend-error.ts';
import type { ResponseSink } from '../../../mcp/response-sink.ts';
import type {
  BackendIdentity,
  BackendListener,
  BackendRequest,
  BackendSession,
  SavedBackendSession,
} from '../backend.ts';
import type { BackendContext } from '../context.ts';
import type { EraWatch } from '../era-watch.ts';
import { createAborted, createSessionClosed, createStatusFailure, InSessionsError, mayBeOtherEra } from '../failure.ts';
import { NotificationQueue } from '../http/notification-queue.ts';
import { postMessage } from '../http/post-message.ts';
import { formatCancellation } from '../messages/control-messages.ts';
import { findMessageKind } from '../messages/message-kind.ts';
import { SessionPing } from '../session-ping.ts';
import type { SessionReplay } from '../session-replay.ts';
import type { Box, OpenSession } from './open-session.ts';
import { type PendingRequest, PendingRequests } from './pending-requests.ts';
import { RemoteStream } from './remote-stream.ts';
import { ReplacedSessions } from './replaced-sessions.ts';
import { type OnRefused, type PostBox, RequestPost } from './request-post.ts';
import { SseConnection } from './sse-connection.ts';

export class SseSession implements BackendSession {
  readonly backend: string;
  readonly sharesOneStream = true;
  readonly #context: BackendContext;
  readonly #memory: SessionReplay;
  readonly #watch: EraWatch | undefined;
  readonly #pending: PendingRequests;
  readonly #messages: NotificationQueue<OpenSession>;
  readonly #replaced: ReplacedSessions;
  readonly #connection: SseConnection;
  readonly #ping: SessionPing;

  /** @param watch called when the backend opens no session */
  constructor(context: BackendContext, memory: SessionReplay, watch?: EraWatch) {
    this.backend = context.backend;
    this.#context = context;
    this.#memory = memory;
    this.#watch = watch;
    this.#pending = new PendingRequests({
      backend: context.backend,
      timeoutMs: context.timeoutMs,
      texts: context.client.texts,
      onTimeout: request => this.#timedOut(request),
    });
    this.#replaced = new ReplacedSessions((session, text) => {
      this.#post(session, text, context.client.messages, this.#connection.signal).catch(() => {});
    });
    this.#connection = new SseConnection({
      context,
      memory,
      watch,
      pending: this.#pending,
      replaced: this.#replaced,
      session: this,
      send: (box, request, sink) => this.#send(box, request, sink),
      post: (box, body, via) => this.#post(box, body, via, this.#connection.signal),
    });
    this.#ping = new SessionPing(this, this.#connection.signal);
    this.#messages = new NotificationQueue<OpenSession>(context, {
      open: () => this.#connection.ensureOpen(),
      send: (session, body, via) => this.#post(session, body, via),
      hasForgotten: (session, error) => this.#hasForgotten(session, error),
    });
  }

  get isOpen(): boolean {
    return this.#connection.current !== undefined;
  }

  async open(): Promise<BackendIdentity> {
    return (await this.#connection.ensureOpen()).identity;
  }

  request(request: BackendRequest, to: ResponseSink): void {
    if (this.#connection.signal.aborted) {
      to.fail(createSessionClosed(this.backend));
      return;
    }
    if (request.isStateless === true) {
      to.fail(new InSessionsError(this.backend));
      return;
    }
    const sink = this.#memory.note(request, to);
    const { current } = this.#connection;
    if (current !== undefined) this.#sendIn(current, request, sink);
    else {
      // The request is not pending yet: a stream that is lost while it opens fails the pending requests, and this request may still try.
      this.#connection.ensureOpen().then(
        session => this.#sendIn(session, request, sink),
        error => this.#notSent(request, sink, error),
      );
    }
  }

  /** Handles a request that the backend has not accepted: the server that answers now may be another one, and accept it. */
  #notSent(request: BackendRequest, sink: ResponseSink, error: BackendError): void {
    if (!mayBeOtherEra(error) || this.#watch === undefined) sink.fail(error);
    else this.#watch.onEraMismatch(request, sink, () => sink.fail(error));
  }

  get isBusy(): boolean {
    return this.#pending.size > 0;
  }

  hasAsked(id: string): boolean {
    return this.#pending.hasAsked(id);
  }

  post(text: string): Promise<void> {
    const kind = findMessageKind(Buffer.from(text));
    if (kind?.type === 'response') {
      this.#pending.answered(kind.id);
      this.#connection.answered(kind.id);
    }
    if (kind !== undefined && this.#replaced.post(text, kind)) return Promise.resolve();
    return this.#messages.post(text, kind);
  }

  receive(listener: BackendListener): void {
    this.#connection.receive(listener);
  }

  listen(listener: BackendListener): void {
    this.#connection.listen(listener);
  }

  unlisten(): void {
    this.#connection.unlisten();
  }

  /** Nothing to do: all replicas share one session, and the replica that got the client's request has subscribed at the backend. */
  subscribedElsewhere(uri: string, isSubscribed: boolean): void {
    this.#memory.noteSubscription(uri, isSubscribed);
    this.#connection.askedElsewhere();
  }

  moveTo(saved: SavedBackendSession): void {
    this.#connection.moveTo(saved);
  }

  /** Closes the session. If other replicas wait for answers on the stream, it stays open until they have them, or until `close` is called again. */
  close(isLeft = false): Promise<void> {
    return this.#connection.close(isLeft);
  }

  /** Sends a request. If the backend no longer knows the session, sends it once more in a new session. */
  #sendIn(session: OpenSession, request: BackendRequest, sink: ResponseSink): void {
    this.#send(session, request, sink, (pending, error) => {
      if (!mayBeOtherEra(error)) return pending.fail(error);
      void this.#hasForgotten(session, error, request.method).then(isForgotten => {
        if (!pending.withdraw()) return;
        if (!isForgotten) return this.#notSent(request, sink, error);
        this.#connection.ensureOpen().then(
          resent => this.#send(resent, request, sink),
          failure => this.#notSent(request, sink, failure),
        );
      });
    });
  }

  /**
   * Whether this error of a message means that the backend has forgotten the session; the session then ends. Status 404 says so. Status 400
   * may say so: a ping decides, once for all requests that doubt the session, because it can fail for no other reason.
   * @param method method of a request
   */
  async #hasForgotten(session: OpenSession, error: unknown, method?: string): Promise<boolean> {
    const status = error instanceof BackendError ? error.httpStatus : undefined;
    if (status === 404 || (status === 400 && method === 'ping')) this.#connection.forgotten(session);
    else if (status !== 400) return false;
    else if (this.#connection.current === session) await this.#ping.answered();
    return this.#connection.current !== session;
  }

  #send(
    box: Box,
    request: BackendRequest,
    sink: ResponseSink,
    onRefused = (pending: PendingRequest, error: BackendError): void => pending.fail(error),
  ): void {
    if (request.signal?.aborted === true) {
      sink.fail(createAborted(this.backend));
      return;
    }
    const pending = this.#pending.add(request, sink);
    if (pending === undefined) return;
    pending.stream = box.stream;
    const post = new RequestPost(this.#context, box, pending, onRefused);
    if (box.stream instanceof RemoteStream) this.#sendJoined(box.stream, pending, post, onRefused);
    else post.start();
  }

  /** Sends a request whose answer comes on another replica's stream: that replica first learns who gets the answer. */
  #sendJoined(stream: RemoteStream, pending: PendingRequest, post: RequestPost, onRefused: OnRefused): void {
    const { key, progressToken } = pending;
    pending.onSettled = isAnswered => stream.settled(key, isAnswered);
    void stream.expect(key, progressToken).then(isExpected => {
      if (pending.isSettled) return;
      if (isExpected) post.start();
      // The session is given up as if the backend had forgotten it: without its stream the backend will.
      else onRefused(pending, createStatusFailure(this.#context, 404));
    });
  }

  #post({ target, headers }: PostBox, body: string, via: RequestSender, signal?: AbortSignal): Promise<void> {
    return postMessage(this.#context, via, { target, method: 'POST', headers, body }, signal);
  }

  #timedOut({ id, method }: BackendRequest): void {
    if (method === 'initialize' || this.#connection.current === undefined) return;
    void this.post(formatCancellation(id, `no answer within ${this.#context.timeoutMs} ms`));
  }
}
