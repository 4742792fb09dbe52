/**
 * The current session with a backend over HTTP+SSE. It opens on a stream of this replica or of another one, ends when the stream is lost or the
 * backend has forgotten the session, and then opens again.
 */

import type { RequestSender } from '../../../http/client.ts';
import type { BackendError } from '../../../mcp/backend-error.ts';
import type { ResponseSink } from '../../../mcp/response-sink.ts';
import type { BackendListener, BackendRequest, BackendSession, SavedBackendSession } from '../backend.ts';
import { Backoff } from '../backoff.ts';
import { type BackendContext, postHeaders, type SharedBackendSession } from '../context.ts';
import type { EraWatch } from '../era-watch.ts';
import { createConnectionLost, createSessionClosed, isBusyFailure, isCallerError, mayBeOtherEra } from '../failure.ts';
import { buildVersionHeader, INITIALIZED_TEXT, initialize } from '../handshake.ts';
import { mayBatch, splitBatch } from '../messages/batch.ts';
import { respondToServerRequest } from '../messages/control-messages.ts';
import { replayLogLevel, replaySubscriptions, type SessionReplay } from '../session-replay.ts';
import type { Box, OpenSession, SessionStream } from './open-session.ts';
import type { PendingRequests } from './pending-requests.ts';
import { RemoteStream } from './remote-stream.ts';
import type { ReplacedSessions } from './replaced-sessions.ts';
import type { PostBox } from './request-post.ts';
import { SharedStreams } from './shared-streams.ts';
import { SseStream } from './sse-stream.ts';
import { StreamMessages } from './stream-messages.ts';

/** How often a replica checks whether its own requests still wait for answers on a stream that it leaves; milliseconds. */
const LEAVING_LOOK_MS = 50;

export interface SseConnectionOptions {
  readonly context: BackendContext;
  readonly memory: SessionReplay;
  /** @param watch called when the backend opens no session */
  readonly watch: EraWatch | undefined;
  readonly pending: PendingRequests;
  readonly replaced: ReplacedSessions;
  /** Sends requests and notifications in the current session. */
  readonly session: Pick<BackendSession, 'request' | 'post'> & { readonly backend: string };
  /** Sends a request in a session that is being opened. */
  readonly send: (box: Box, request: BackendRequest, sink: ResponseSink) => void;
  readonly post: (box: PostBox, body: string, via: RequestSender) => Promise<void>;
}

export class SseConnection {
  readonly #options: SseConnectionOptions;
  readonly #backend: string;
  readonly #context: BackendContext;
  readonly #memory: SessionReplay;
  readonly #watch: EraWatch | undefined;
  readonly #pending: PendingRequests;
  readonly #replaced: ReplacedSessions;
  readonly #received: StreamMessages;
  readonly #sharedStreams: SharedStreams;
  readonly #backoff: Backoff;
  readonly #stop: AbortController = new AbortController();
  /** The current stream, from its GET on. */
  #stream: SessionStream | undefined;
  #open: OpenSession | undefined;
  #opening: Promise<OpenSession> | undefined;
  /** Whether the session of the current stream allows the backend to send batches. */
  #mayBatch = false;
  #initializations = 0;
  /** Whether an earlier session may have carried requests before the next one opens. */
  #hasPast: boolean;
  #listener: BackendListener | undefined;
  /** Whether the stream stays open even without requests. */
  #staysOpen = false;
  /** Whether an open stream has been lost, so that notifications may be missing. */
  #hasGap = false;
  #reopenTimer: NodeJS.Timeout | undefined;

  constructor(options: SseConnectionOptions) {
    const { context, memory, watch, pending, replaced, session } = options;
    this.#options = options;
    this.#backend = context.backend;
    this.#context = context;
    this.#memory = memory;
    this.#watch = watch;
    this.#pending = pending;
    this.#replaced = replaced;
    this.#hasPast = !memory.isEmpty;
    this.#backoff = new Backoff(context.reconnect);
    this.#received = new StreamMessages({
      context,
      pending,
      listener: () => this.#listener,
      isListening: () => this.#staysOpen,
      refuse: (id, method) => void session.post(respondToServerRequest(id, method)),
    });
    this.#sharedStreams = new SharedStreams({ shared: context.shared, onAnswered: id => pending.answered(id) });
  }

  /** The session, if one is open. */
  get current(): OpenSession | undefined {
    return this.#open;
  }

  /** The signal that `close` aborts. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  receive(listener: BackendListener): void {
    if (!this.#stop.signal.aborted) this.#listener = listener;
  }

  listen(listener: BackendListener): void {
    if (this.#stop.signal.aborted) return;
    this.#listener = listener;
    this.#staysOpen = true;
    if (this.#open === undefined) this.#stayOpen();
    else if (this.#open.stream instanceof RemoteStream) this.#open.stream.listen(true);
  }

  unlisten(): void {
    this.#staysOpen = false;
    clearTimeout(this.#reopenTimer);
    if (this.#stream instanceof RemoteStream) this.#stream.listen(false);
  }

  /** Called when another replica has sent requests in the session: the next session must take them into account. */
  askedElsewhere(): void {
    this.#hasPast = true;
  }

  /** Called when this replica has answered a request of the backend: the replica with the stream then no longer waits. */
  answered(id: string): void {
    if (this.#stream instanceof RemoteStream) this.#stream.answered(id);
    else this.#sharedStreams.answered(id);
  }

  /**
   * Changes to the session that another replica has opened. Such messages may be older than what this replica knows, so the shared record decides.
   */
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

  /**
   * Closes the connection. If other replicas wait for answers on the stream, it stays open until they have them, or until `close` is called again.
   */
  async close(isLeft: boolean): Promise<void> {
    const isFirst = !this.#stop.signal.aborted;
    this.#stop.abort();
    clearTimeout(this.#reopenTimer);
    this.#open = undefined;
    this.#pending.failAll(createSessionClosed(this.#backend));
    const { timeoutMs } = this.#context;
    const isAwaited = isLeft ? !this.#sharedStreams.isEmpty : this.#sharedStreams.isAwaited;
    if (isFirst && isAwaited) await this.#sharedStreams.leaveToOthers(timeoutMs);
    this.#stream?.close();
    this.#sharedStreams.close();
  }

  ensureOpen(): Promise<OpenSession> {
    if (this.#stop.signal.aborted) return Promise.reject(createSessionClosed(this.#backend));
    if (this.#open !== undefined) return Promise.resolve(this.#open);
    this.#opening ??= this.#connect().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  /** Continues the session whose stream another replica has opened, or opens one for all replicas. */
  async #connect(): Promise<OpenSession> {
    clearTimeout(this.#reopenTimer);
    const found = await this.#sharedStreams.find();
    if (this.#stop.signal.aborted) throw createSessionClosed(this.#backend);
    return found === undefined ? this.#openStream() : this.#join(found);
  }

  #join(saved: SavedBackendSession): OpenSession {
    const { id, identity } = saved;
    const stream: RemoteStream = new RemoteStream(this.#context.shared as SharedBackendSession, saved, {
      onMessage: json => this.#receive(json, stream),
      onAsked: requestId => this.#pending.asked(requestId),
      onAnswered: question => this.#pending.answered(question),
      onLeft: () => this.#retire(stream),
      onLost: () => this.#lost(stream, createConnectionLost(this.#backend)),
    });
    this.#stream = stream;
    this.#sharedStreams.joined();
    const headers = [...postHeaders(this.#context), ...buildVersionHeader(identity)];
    this.#open = { stream, target: { origin: this.#context.target.origin, path: id }, headers, identity };
    stream.listen(this.#staysOpen);
    this.#backoff.reset();
    if (this.#hasGap) this.#listener?.missed?.();
    this.#hasGap = false;
    this.#hasPast = true;
    return this.#open;
  }

  /** Shares an opened session, unless another replica was faster: the gateway then uses that one and ends this one. */
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
        this.#options.send({ stream, target, headers }, request, sink);
      const identity = await initialize(this.#backend, id, this.#context, send, this.#stop.signal);
      this.#mayBatch = mayBatch(identity.protocolVersion);
      const inSession = [...headers, ...buildVersionHeader(identity)];
      const { requests } = this.#context.client;
      await this.#options.post({ target, headers: inSession }, INITIALIZED_TEXT, requests);
      const shared = await this.#share(stream, { stream, target, headers: inSession, identity });
      if (shared.stream !== stream) return shared;
      if (this.#hasPast) {
        // Other requests wait until the session is open; this request is sent before.
        const request = (asked: BackendRequest, sink: ResponseSink) =>
          this.#options.send({ stream, target, headers: inSession }, asked, sink);
        await replayLogLevel(
          { backend: this.#backend, request },
          identity,
          this.#memory,
          this.#context,
          this.#stop.signal,
        );
      }
      // The stream was lost while the session opened: no request could get an answer on it.
      if (this.#stream !== stream) throw createConnectionLost(this.#backend);
      this.#open = shared;
      this.#backoff.reset();
      if (this.#hasGap) this.#listener?.missed?.();
      this.#hasGap = false;
      if (this.#hasPast) this.#resubscribe(stream);
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

  #resubscribe(stream: SseStream): void {
    const isCurrent = () => this.#stream === stream;
    replaySubscriptions(this.#options.session, this.#memory, this.#context, { signal: this.#stop.signal, isCurrent });
  }

  #receiveEvent(json: Buffer, stream: SseStream): void {
    const members = this.#mayBatch ? splitBatch(json) : undefined;
    if (members === undefined) this.#receive(json, stream);
    else for (const member of members) this.#receive(member, stream);
  }

  #receive(json: Buffer, stream: SessionStream): void {
    this.#received.receive(json, this.#sharedStreams.lent(stream), id => {
      if (this.#context.shared !== undefined) this.#replaced.asked(stream, id);
    });
  }

  #lost(stream: SessionStream, error: BackendError): void {
    this.#sharedStreams.end(stream);
    this.#replaced.delete(stream);
    if (this.#stream === stream) this.#leave();
    this.#pending.failOn(stream, error);
  }

  /** Marks a session that another one replaces, now or soon; its running requests may still complete. */
  #retire(stream: SessionStream): void {
    if (this.#stream === stream) {
      if (this.#open !== undefined) {
        this.#sharedStreams.markGone(this.#open.target.path);
        if (stream instanceof SseStream || stream.isAwaiting) this.#replaced.add(this.#open);
      }
      this.#stream = undefined;
      this.#open = undefined;
      if (this.#staysOpen) this.#reopenLater();
    }
    if (stream instanceof RemoteStream) {
      stream.leave(() => this.#replaced.delete(stream));
      return;
    }
    const until = performance.now() + this.#context.timeoutMs;
    const timer = setInterval(() => {
      if (this.#pending.waitsOn(stream) && performance.now() < until) return;
      clearInterval(timer);
      this.#replaced.delete(stream);
      this.#sharedStreams.end(stream);
      stream.close();
      this.#pending.failOn(stream, createConnectionLost(this.#backend));
    }, LEAVING_LOOK_MS).unref();
  }

  /** Called when the backend no longer knows the session, even if its stream is open. */
  forgotten(session: OpenSession): void {
    // Another request may have noticed that already, and a new session may be open.
    if (this.#open !== session) return;
    this.#context.log.debug(
      { backend: this.#backend },
      'the backend no longer knows the session; the gateway opens another',
    );
    const { stream } = session;
    stream.close();
    this.#sharedStreams.end(stream);
    this.#leave();
    this.#pending.failDelivered(stream, createConnectionLost(this.#backend));
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

  /** Opens the stream without a request, because there is a listener, and opens it again when it is lost. */
  #stayOpen(): void {
    this.ensureOpen().catch(error => {
      if (mayBeOtherEra(error)) this.#watch?.suspectMismatch();
      this.#reopenLater();
    });
  }

  #reopenLater(): void {
    if (this.#stop.signal.aborted) return;
    clearTimeout(this.#reopenTimer);
    this.#reopenTimer = setTimeout(() => this.#stayOpen(), this.#backoff.next());
    this.#reopenTimer.unref();
  }
}
