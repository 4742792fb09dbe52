import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Accepts, readAccept } from '../http/media-type.ts';
import { respondEmpty } from '../http/respond.ts';
import { BatchAnswer } from './batch-answer.ts';
import { EdgeGuard, type EdgeGuardOptions } from './edge-guard.ts';
import type { Envelope } from './envelope.ts';
import type { ClientAnswer, McpHandler, MessageContext } from './handler.ts';
import { HttpAnswer } from './http-answer.ts';
import { initializeParams } from './initialize-params.ts';
import type { LiveSession } from './live-session.ts';
import { Outlets } from './outlet.ts';
import { BATCH_REVISION, isBatch, readBatch } from './read-batch.ts';
import { readEnvelope } from './read-envelope.ts';
import { invalidRequest } from './refuse.ts';
import { classify, negotiate } from './revisions.ts';
import { SessionStore, type SessionStoreOptions } from './sessions.ts';
import { shareOf } from './share-of.ts';
import { StatelessEndpoint } from './stateless/endpoint.ts';
import type { StatelessHandler } from './stateless/handler.ts';
import type { ListenCeilings } from './stateless/listen-streams.ts';
import { TokenExpiry } from './token-expiry.ts';
import { UnreadBytes } from './unread-bytes.ts';
import { WIRE_CODE, WireError } from './wire-error.ts';

const ALLOWED_METHODS = 'GET, POST, DELETE';

export interface McpEndpointOptions
  extends Omit<SessionStoreOptions<never>, 'onClose'>,
    EdgeGuardOptions,
    ListenCeilings {
  /** Pause between heartbeats on event streams, in milliseconds. Default 30,000. */
  readonly heartbeatMs?: number;
  /** Where it is counted what clients do not read. Default: of this endpoint alone. */
  readonly unread?: UnreadBytes;
  /** Ceiling on requests without a session that run at a time. Default 10,000. */
  readonly maxRunning?: number;
}

/** The client-facing MCP endpoint. */
export interface McpEndpoint {
  /** Handles one HTTP request to the endpoint's path. Does not throw. */
  readonly handle: (req: IncomingMessage, res: ServerResponse) => void;
  /** How many sessions are open. */
  readonly sessionCount: number;
  /** What is kept for clients that come back to their streams, in bytes. */
  readonly keptBytes: number;
  /** How many `subscriptions/listen` streams are open. */
  readonly subscriptionCount: number;
  /** Ends the standing streams and the subscriptions; sessions and running requests go on. The first step of draining. */
  endStreams(): void;
  /** The same, and clients may come back: they are asked anew who they are. */
  renewStreams(): void;
  /** Ends all sessions. The last step of draining. */
  close(): void;
}

/**
 * Serves MCP over Streamable HTTP to clients: revisions with sessions, and the stateless one beside them.
 * @param handler The gateway core for requests in sessions.
 * @param stateless The same for the stateless revision.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
 */
export function createMcpEndpoint<S>(
  handler: McpHandler<S>,
  stateless: StatelessHandler,
  options: McpEndpointOptions,
): McpEndpoint {
  return new StreamableHttpEndpoint(handler, stateless, options);
}

class StreamableHttpEndpoint<S> implements McpEndpoint {
  readonly #handler: McpHandler<S>;
  readonly #stateless: StatelessEndpoint;
  readonly #sessions: SessionStore<S>;
  readonly #guard: EdgeGuard;
  readonly #outlets: Outlets;

  constructor(handler: McpHandler<S>, stateless: StatelessHandler, options: McpEndpointOptions) {
    this.#handler = handler;
    this.#guard = new EdgeGuard(options);
    this.#outlets = new Outlets(options.heartbeatMs ?? 30_000, options.unread ?? new UnreadBytes());
    const { challenge } = this.#guard;
    this.#stateless = new StatelessEndpoint(stateless, { ...options, outlets: this.#outlets, challenge });
    this.#sessions = new SessionStore({
      ...options,
      onClose: session => this.#guard.contain('closed', () => handler.closed(session)),
    });
  }

  get sessionCount(): number {
    return this.#sessions.size;
  }

  get keptBytes(): number {
    return this.#sessions.keptBytes;
  }

  get subscriptionCount(): number {
    return this.#stateless.streamCount;
  }

  endStreams(): void {
    this.#sessions.endStreams();
    this.#stateless.endStreams();
  }

  renewStreams(): void {
    this.#sessions.endStreams();
    this.#stateless.renewStreams();
  }

  close(): void {
    this.#sessions.closeAll();
  }

  readonly handle = (req: IncomingMessage, res: ServerResponse): void => {
    this.#run(req, res, () => {
      if (this.#guard.greet(req, res, ALLOWED_METHODS)) return;
      const admitted = this.#guard.admit(req);
      return admitted instanceof Promise
        ? admitted.then(context => this.#route(context, res))
        : this.#route(admitted, res);
    });
  };

  /** One step of a request, whose failure is its answer. Promises are for those steps that wait for something. */
  #run(req: IncomingMessage, res: ServerResponse, step: () => void | Promise<void>): void {
    const refuse = (error: unknown): void => this.#guard.refuse(req, res, error, ALLOWED_METHODS);
    try {
      step()?.catch(refuse);
    } catch (error) {
      refuse(error);
    }
  }

  #route(context: MessageContext, res: ServerResponse): void {
    switch (context.http.method) {
      case 'POST':
        this.#post(context, res);
        break;
      case 'GET':
        this.#get(context, res);
        break;
      case 'DELETE':
        this.#delete(context, res);
        break;
      default:
        throw new WireError(WIRE_CODE.refused, 'method not allowed', { httpStatus: 405 });
    }
  }

  #post(context: MessageContext, res: ServerResponse): void {
    const { http: req } = context;
    this.#guard.checkContentType(req);
    const accepts = readAccept(req.headers.accept);
    if (!accepts.json && !accepts.eventStream) {
      throw invalidRequest(406, 'Accept must allow application/json or text/event-stream');
    }
    this.#guard.readMessage(
      req,
      text => this.#run(req, res, () => this.#text(context, res, text, accepts)),
      error => this.#guard.refuse(req, res, error, ALLOWED_METHODS),
    );
  }

  /** Its client decides when a body is complete: other rules may have come meanwhile. */
  #text(context: MessageContext, res: ServerResponse, text: string, accepts: Accepts): void | Promise<void> {
    const current = this.#guard.current(context);
    if (!(current instanceof Promise)) return this.#message(current, res, text, accepts);
    return current.then(admitted => {
      if (!res.destroyed) return this.#message(admitted, res, text, accepts);
    });
  }

  #message(context: MessageContext, res: ServerResponse, text: string, accepts: Accepts): void | Promise<void> {
    const { http: req } = context;
    if (isBatch(text)) {
      this.#batch(context, res, text, accepts);
      return;
    }
    const envelope = readEnvelope(text);
    if (classify(req.headers, envelope) === 'stateless') return this.#stateless.post(context, res, envelope, accepts);
    if (envelope.method === 'initialize' && envelope.id !== undefined) {
      if (req.headers['mcp-session-id'] === undefined)
        return this.#initialize(context, res, envelope, envelope.id, accepts);
      this.#session(context, envelope.id);
      throw invalidRequest(400, 'the session is initialized already', envelope.id);
    }
    const session = this.#session(context, envelope.id);
    if (envelope.kind === 'request') {
      this.#request(context, res, session, envelope, envelope.id as string, accepts);
      return;
    }
    this.#hear(context, session, envelope);
    respondEmpty(res, 202);
  }

  /** A message that has no answer. */
  #hear(context: MessageContext, session: LiveSession<S>, envelope: Envelope): void {
    this.#guard.contain(envelope.kind, () =>
      envelope.kind === 'response'
        ? this.#handler.response(session, envelope, context)
        : this.#handler.notification(session, envelope, context),
    );
  }

  #batch(context: MessageContext, res: ServerResponse, text: string, accepts: Accepts): void {
    const { http: req } = context;
    classify(req.headers, undefined);
    const session = req.headers['mcp-session-id'] === undefined ? undefined : this.#session(context, undefined);
    if (session?.protocolVersion !== BATCH_REVISION) {
      readEnvelope(text); // Says what is wrong with it, as with any other text that is not one message.
      return;
    }
    const members = readBatch(text);
    const answered = members.filter(member => member instanceof WireError || member.kind === 'request');
    if (answered.length === 0) {
      for (const member of members) this.#hear(context, session, member as Envelope);
      respondEmpty(res, 202);
      return;
    }
    const count = answered.length;
    const batch = new BatchAnswer(res, { accepts, outlets: this.#outlets, streams: session.streams, count });
    for (const member of members) {
      if (member instanceof WireError) batch.refuse(member);
      else if (member.kind === 'request') this.#member(context, session, member, member.id as string, batch);
      else this.#hear(context, session, member);
    }
  }

  /** One request of a batch. */
  #member(context: MessageContext, session: LiveSession<S>, envelope: Envelope, id: string, batch: BatchAnswer): void {
    let onFinish: () => void;
    try {
      onFinish = session.begin(id);
    } catch (error) {
      batch.refuse(this.#guard.wireErrorOf(error).withId(id));
      return;
    }
    this.#answer(context, session, envelope, batch.member(id, onFinish));
  }

  #request(
    context: MessageContext,
    res: ServerResponse,
    session: LiveSession<S>,
    envelope: Envelope,
    id: string,
    accepts: Accepts,
  ): void {
    const onFinish = session.begin(id);
    const answer = new HttpAnswer(res, id, accepts, {
      outlets: this.#outlets,
      onFinish,
      streams: session.streams,
      challenge: this.#guard.challenge,
    });
    this.#answer(context, session, envelope, answer);
  }

  #answer(context: MessageContext, session: LiveSession<S>, envelope: Envelope, answer: ClientAnswer): void {
    try {
      this.#handler.request(session, envelope, answer, context);
    } catch (error) {
      answer.error(this.#guard.wireErrorOf(error));
    }
  }

  async #initialize(
    context: MessageContext,
    res: ServerResponse,
    envelope: Envelope,
    id: string,
    accepts: Accepts,
  ): Promise<void> {
    const params = initializeParams(envelope);
    const protocolVersion = negotiate(params.protocolVersion);
    const holder = shareOf(context);
    let isOpen = false;
    this.#reserve(holder, id);
    try {
      const { session, result } = await this.#handler.initialize({ params, protocolVersion, ...context });
      const live = this.#sessions.create(session, protocolVersion, holder, context.identity.key);
      isOpen = true;
      this.#guard.contain('opened', () => this.#handler.opened?.(live));
      if (res.destroyed) {
        live.close(); // Nobody learns its id.
        return;
      }
      res.setHeader('Mcp-Session-Id', live.id);
      new HttpAnswer(res, id, accepts, { outlets: this.#outlets, onFinish: () => {} }).result(result);
    } catch (error) {
      throw this.#guard.wireErrorOf(error).withId(id);
    } finally {
      if (!isOpen) this.#sessions.release(holder);
    }
  }

  #reserve(holder: string, id: string): void {
    try {
      this.#sessions.reserve(holder);
    } catch (error) {
      throw this.#guard.wireErrorOf(error).withId(id);
    }
  }

  #get(context: MessageContext, res: ServerResponse): void {
    const { http: req, identity } = context;
    const { accept } = req.headers;
    if (accept === undefined || !readAccept(accept).eventStream)
      throw invalidRequest(406, 'Accept must allow text/event-stream');
    this.#checkHasSessions(req);
    const session = this.#session(context, undefined);
    if (res.destroyed) return;
    const lastEventId = req.headers['last-event-id'];
    const isListening = session.streams.listen(
      res,
      this.#outlets,
      typeof lastEventId === 'string' ? lastEventId : undefined,
    );
    if (!isListening) return;
    const expiry = new TokenExpiry(identity, () => res.end());
    res.once('close', () => expiry.stop());
    this.#guard.contain('listening', () => this.#handler.listening?.(session));
  }

  #delete(context: MessageContext, res: ServerResponse): void {
    this.#checkHasSessions(context.http);
    this.#session(context, undefined).close();
    respondEmpty(res, 204);
  }

  /** Streams and sessions of their own are nothing that the stateless revision knows. */
  #checkHasSessions(req: IncomingMessage): void {
    if (classify(req.headers, undefined) === 'session') return;
    throw new WireError(WIRE_CODE.refused, 'method not allowed in this MCP protocol revision', { httpStatus: 405 });
  }

  /** The session a request names, its lifetime renewed. 404, never 401: a client then initializes anew. */
  #session({ http: req, identity }: MessageContext, id: string | undefined): LiveSession<S> {
    const header = req.headers['mcp-session-id'];
    if (typeof header !== 'string') throw invalidRequest(400, 'Mcp-Session-Id header is required', id);
    const session = this.#sessions.touch(header);
    if (session === undefined) {
      throw new WireError(WIRE_CODE.sessionNotFound, 'session not found', { httpStatus: 404 }).withId(id);
    }
    this.#guard.checkOwner(identity, session, id);
    return session;
  }
}
