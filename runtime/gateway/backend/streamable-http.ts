/**
 * A session with a backend over Streamable HTTP.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
 */
import type { AnswerSink, BackendIdentity, BackendRequest, BackendSession } from './backend.ts';
import { type BackendContext, postHeaders, streamHeaders, userAgentHeader } from './context.ts';
import { aborted, protocolError, sessionClosed } from './failure.ts';
import { INITIALIZED_TEXT, initialize } from './handshake.ts';
import { type CallOwner, type CallSession, PostCall } from './post-call.ts';
import { postMessage } from './post-message.ts';
import { answerToServerRequest, cancellationOf } from './side-messages.ts';
import { StandingStream, type StreamSession } from './standing-stream.ts';

/** How long `close` waits for the backend to hear of it; milliseconds. */
const DELETE_TIMEOUT_MS = 5_000;

/** What one `initialize` gave. */
interface OpenSession extends CallSession, StreamSession {
  readonly identity: BackendIdentity;
  /** Headers of the DELETE; names and values in turn. */
  readonly endHeaders: string[];
}

export class StreamableHttpSession implements BackendSession, CallOwner {
  readonly backend: string;
  readonly #context: BackendContext;
  readonly #calls: Set<PostCall> = new Set();
  readonly #stop: AbortController = new AbortController();
  #open: OpenSession | undefined;
  #opening: Promise<OpenSession> | undefined;
  #standing: StandingStream | undefined;
  #initializations = 0;

  constructor(context: BackendContext) {
    this.backend = context.backend;
    this.#context = context;
  }

  async open(): Promise<BackendIdentity> {
    return (await this.#ensureOpen()).identity;
  }

  request(request: BackendRequest, sink: AnswerSink): void {
    if (this.#stop.signal.aborted) {
      sink.fail(sessionClosed(this.backend));
      return;
    }
    const call = new PostCall(this.#context, request, sink, this);
    this.#calls.add(call);
    if (request.signal?.aborted === true) call.fail(aborted(this.backend));
    else if (this.#open !== undefined) call.send(this.#open);
    else this.#sendWhenOpen(call);
  }

  async notify(text: string): Promise<void> {
    try {
      const session = await this.#ensureOpen();
      await this.#post(session, text);
    } catch (error) {
      this.#context.log.debug(
        { backend: this.backend, error: (error as Error).message },
        'a notification was not delivered',
      );
    }
  }

  listen(onMessage: (json: string) => void): void {
    if (this.#stop.signal.aborted) return;
    this.#standing?.close();
    this.#standing = new StandingStream(this.#context, {
      open: () => this.#ensureOpen(),
      onMessage,
      serverRequest: (id, method) => this.serverRequest(id, method),
    });
    this.#standing.start();
  }

  async close(): Promise<void> {
    if (this.#stop.signal.aborted) return;
    const session = this.#open;
    this.#open = undefined;
    this.#stop.abort();
    this.#standing?.close();
    for (const call of [...this.#calls]) call.fail(sessionClosed(this.backend));
    if (session?.id !== undefined) await this.#delete(session);
  }

  sessionLost(call: PostCall, session: CallSession): void {
    // Another call may have noticed first and a new session may be open already.
    if (this.#open === session) {
      this.#open = undefined;
      this.#context.log.info({ backend: this.backend }, 'the backend forgot the session; opening another');
    }
    this.#sendWhenOpen(call);
  }

  timedOut(call: PostCall): void {
    const { method, id } = call.request;
    if (method === 'initialize' || this.#open === undefined) return;
    const { timeoutMs } = this.#context;
    void this.notify(cancellationOf(id, `no answer within ${timeoutMs} ms`));
  }

  serverRequest(id: string, method: string): void {
    void this.notify(answerToServerRequest(id, method));
  }

  settled(call: PostCall): void {
    this.#calls.delete(call);
  }

  #sendWhenOpen(call: PostCall): void {
    this.#ensureOpen().then(
      session => call.send(session),
      error => call.fail(error),
    );
  }

  #ensureOpen(): Promise<OpenSession> {
    if (this.#stop.signal.aborted) return Promise.reject(sessionClosed(this.backend));
    if (this.#open !== undefined) return Promise.resolve(this.#open);
    this.#opening ??= this.#initialize().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #initialize(): Promise<OpenSession> {
    const { clientInfo } = this.#context;
    const id = `"lintel-${++this.#initializations}"`;
    let sessionId: string | undefined;
    const send = (request: BackendRequest, sink: AnswerSink) => {
      const call = new PostCall(this.#context, request, sink, {
        sessionLost() {},
        timedOut() {},
        // Answered once the session is open: before, there is no session to answer in.
        serverRequest: (serverId, method) => this.serverRequest(serverId, method),
        settled: settled => {
          sessionId = settled.sessionId;
        },
      });
      call.send({ id: undefined, headers: postHeaders(this.#context) });
    };
    const identity = await initialize(this.backend, id, clientInfo, send, this.#stop.signal);
    const session = this.#sessionOf(identity, sessionId);
    await this.#post(session, INITIALIZED_TEXT, this.#stop.signal);
    if (this.#stop.signal.aborted) throw sessionClosed(this.backend);
    this.#open = session;
    this.#standing?.follow(session);
    return session;
  }

  #sessionOf(identity: BackendIdentity, id: string | undefined): OpenSession {
    if (id !== undefined && !/^[\x21-\x7e]+$/.test(id))
      throw protocolError(this.backend, 'gave a malformed session id');
    const own = ['mcp-protocol-version', identity.protocolVersion, ...(id === undefined ? [] : ['mcp-session-id', id])];
    return {
      id,
      identity,
      headers: [...postHeaders(this.#context), ...own],
      streamHeaders: [...streamHeaders(this.#context), ...own],
      endHeaders: [...userAgentHeader(this.#context), ...own],
    };
  }

  #post(session: CallSession, body: string, signal?: AbortSignal): Promise<void> {
    const { target } = this.#context;
    return postMessage(this.#context, { target, method: 'POST', headers: session.headers, body }, signal);
  }

  async #delete(session: OpenSession): Promise<void> {
    const { target, timeoutMs } = this.#context;
    const context = { ...this.#context, timeoutMs: Math.min(timeoutMs, DELETE_TIMEOUT_MS) };
    try {
      await postMessage(context, { target, method: 'DELETE', headers: session.endHeaders });
    } catch {
      // A backend may refuse (405) or be gone; either way there is nothing left to end.
    }
  }
}
