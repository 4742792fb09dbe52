import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Accepts, readAccept } from '../../http/media-type.ts';
import { respondEmpty } from '../../http/respond.ts';
import type { ReplicaMessage, SessionFields, SharedSessions } from '../../shared-sessions/store.ts';
import { BatchAnswer } from '../batch-answer.ts';
import { EdgeGuard, type EdgeGuardOptions } from '../edge-guard.ts';
import type { Envelope } from '../envelope.ts';
import { LAST, readEventId } from '../event-id.ts';
import type { ClientAnswer, McpHandler, MessageContext } from '../handler.ts';
import { HttpAnswer } from '../http-answer.ts';
import { initializeParams, traitsIn } from '../initialize-params.ts';
import type { LiveSession } from '../live-session.ts';
import { memberContext } from '../member-context.ts';
import { Outlets } from '../outlet.ts';
import { BATCH_REVISION, isBatch, readBatch } from '../read-batch.ts';
import { readEnvelope } from '../read-envelope.ts';
import { invalidRequest } from '../refuse.ts';
import { classify, negotiate } from '../revisions.ts';
import { RESUME_WINDOW_MS, SESSION_TTL_MS, SessionStore, type SessionStoreOptions } from '../sessions.ts';
import { shareOf } from '../share-of.ts';
import { SharedEdge } from '../shared-edge.ts';
import { StatelessEndpoint } from '../stateless/endpoint.ts';
import type { StatelessHandler } from '../stateless/handler.ts';
import type { ListenCeilings } from '../stateless/listen-streams.ts';
import { TokenExpiry } from '../token-expiry.ts';
import { UnreadBytes } from '../unread-bytes.ts';
import { WIRE_CODE, WireError } from '../wire-error.ts';

const ALLOWED_METHODS = 'GET, POST, DELETE';

export interface McpEndpointOptions
  extends Omit<SessionStoreOptions<never>, 'onClose' | 'onEnd' | 'onKept' | 'isShared' | 'firstStream'>,
    EdgeGuardOptions,
    ListenCeilings {
  /** Pause between heartbeats on event streams, in milliseconds. Default 30,000. */
  readonly heartbeatMs?: number;
  /** Where it is counted what clients do not read. Default: of this endpoint alone. */
  readonly unread?: UnreadBytes;
  /** Where replicas find each other's sessions. Default: sessions are in this process alone. */
  readonly shared?: SharedSessions | undefined;
  /** Receives the messages of replicas about sessions over HTTP+SSE. */
  readonly onHanded?: (message: ReplicaMessage) => void;
  /** Limit on requests without a session that run at a time. Default 10,000. */
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
  /** The same, and clients may come back: they are asked again who they are. */
  renewStreams(): void;
  /** Ends all sessions. The last step of draining. */
  close(): void;
}

/**
 * Serves MCP over Streamable HTTP to clients: revisions with sessions, and the stateless one next to them.
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
  readonly #shared: SharedEdge<S> | undefined;

  constructor(handler: McpHandler<S>, stateless: StatelessHandler, options: McpEndpointOptions) {
    this.#handler = handler;
    this.#guard = new EdgeGuard(options);
    this.#outlets = new Outlets(options.heartbeatMs ?? 30_000, options.unread ?? new UnreadBytes());
    const { challenge } = this.#guard;
    this.#stateless = new StatelessEndpoint(stateless, { ...options, outlets: this.#outlets, challenge });
    const { shared } = options;
    this.#sessions = new SessionStore<S>({
      ...options,
      ...(shared === undefined ? {} : this.#sharing(shared)),
      onClose: (session, isLeft) => {
        this.#shared?.closed(session.id);
        this.#guard.contain('closed', () => handler.closed(session, isLeft));
      },
    });
    if (shared === undefined) return;
    const { ttlMs = SESSION_TTL_MS, resumeWindowMs = RESUME_WINDOW_MS, now = () => performance.now(), log } = options;
    const { onHanded = () => {} } = options;
    const sessions = this.#sessions;
    this.#shared = new SharedEdge({ shared, sessions, handler, stateless, onHanded, ttlMs, resumeWindowMs, now, log });
  }

  /** Sessions here are copies of those in the store. */
  #sharing({ replica }: SharedSessions): SessionStoreOptions<S> {
    return {
      isShared: true,
      firstStream: SharedEdge.firstStream(replica),
      onKept: (id, event) => this.#shared?.keepEvent(id, event),
      onEnd: ({ id }) => void this.#shared?.end(id).catch(() => {}),
    };
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
    this.#shared?.close();
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

  #route(context: MessageContext, res: ServerResponse): void | Promise<void> {
    switch (context.http.method) {
      case 'POST':
        this.#post(context, res);
        break;
      case 'GET':
        return this.#get(context, res);
      case 'DELETE':
        return this.#delete(context, res);
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
    if (isBatch(text)) return this.#batch(context, res, text, accepts);
    const envelope = readEnvelope(text);
    context.record?.message(envelope);
    if (classify(req.headers, envelope) === 'stateless') return this.#stateless.post(context, res, envelope, accepts);
    if (envelope.method === 'initialize' && envelope.id !== undefined) {
      if (req.headers['mcp-session-id'] === undefined)
        return this.#initialize(context, res, envelope, envelope.id, accepts);
      return this.#inSession(context, envelope.id, () => {
        throw invalidRequest(400, 'the session is initialized already', envelope.id);
      });
    }
    if (this.#shared === undefined) {
      this.#ofSession(context, res, this.#session(context, envelope.id), envelope, accepts);
      return;
    }
    return this.#inSession(context, envelope.id, (session, current) =>
      this.#ofSession(current, res, session, envelope, accepts),
    );
  }

  #ofSession(
    context: MessageContext,
    res: ServerResponse,
    session: LiveSession<S>,
    envelope: Envelope,
    accepts: Accepts,
  ): void {
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

  #batch(context: MessageContext, res: ServerResponse, text: string, accepts: Accepts): void | Promise<void> {
    const { http: req } = context;
    classify(req.headers, undefined);
    if (req.headers['mcp-session-id'] === undefined) {
      this.#members(context, res, undefined, text, accepts);
      return;
    }
    return this.#inSession(context, undefined, (session, current) =>
      this.#members(current, res, session, text, accepts),
    );
  }

  #members(
    context: MessageContext,
    res: ServerResponse,
    session: LiveSession<S> | undefined,
    text: string,
    accepts: Accepts,
  ): void {
    if (session?.protocolVersion !== BATCH_REVISION) {
      readEnvelope(text); // Says what is wrong with it, as with any other text that is not one message.
      return;
    }
    const members = readBatch(text);
    const answered = members.filter(member => member instanceof WireError || member.kind === 'request');
    if (answered.length === 0) {
      for (const member of members as readonly Envelope[]) this.#hear(memberContext(context, member), session, member);
      respondEmpty(res, 202);
      return;
    }
    const count = answered.length;
    const batch = new BatchAnswer(res, { accepts, outlets: this.#outlets, streams: session.streams, count });
    for (const member of members) {
      const own = memberContext(context, member);
      if (member instanceof WireError) batch.refuse(member);
      else if (member.kind === 'request') this.#member(own, session, member, member.id as string, batch);
      else this.#hear(own, session, member);
    }
  }

  /** One request of a batch. */
  #member(context: MessageContext, session: LiveSession<S>, envelope: Envelope, id: string, batch: BatchAnswer): void {
    let onFinish: () => void;
    try {
      onFinish = session.begin(id);
    } catch (error) {
      const refusal = this.#guard.wireErrorOf(error).withId(id);
      context.record?.refused(refusal.code, refusal.message);
      batch.refuse(refusal);
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

  #answer(context: MessageContext, session: LiveSession<S>, envelope: Envelope, own: ClientAnswer): void {
    const answer = context.record?.answer(own) ?? own;
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
    if (context.record !== undefined) context.record.traits = traitsIn(params);
    const protocolVersion = negotiate(params.protocolVersion);
    const holder = shareOf(context);
    let isOpen = false;
    this.#reserve(holder, id);
    try {
      const { session, result, fields } = await this.#handler.initialize({ params, protocolVersion, ...context });
      const live = this.#sessions.create(session, protocolVersion, holder, context.identity.key);
      isOpen = true;
      if (this.#shared !== undefined) await this.#shareOrEnd(live, fields ?? {});
      this.#guard.contain('opened', () => this.#handler.opened?.(live));
      if (res.destroyed) {
        live.close(); // Its id is never sent to a client.
        return;
      }
      res.setHeader('Mcp-Session-Id', live.id);
      const answer = new HttpAnswer(res, id, accepts, { outlets: this.#outlets, onFinish: () => {} });
      (context.record?.answer(answer) ?? answer).result(result);
    } catch (error) {
      throw this.#guard.wireErrorOf(error).withId(id);
    } finally {
      if (!isOpen) this.#sessions.release(holder);
    }
  }

  /** @throws WireError with HTTP 503 for a session that cannot be shared with other replicas: the client does not get it */
  async #shareOrEnd(live: LiveSession<S>, fields: SessionFields): Promise<void> {
    try {
      await this.#shared?.opened(live, fields);
    } catch (error) {
      live.close();
      throw error;
    }
  }

  #reserve(holder: string, id: string): void {
    try {
      this.#sessions.reserve(holder);
    } catch (error) {
      throw this.#guard.wireErrorOf(error).withId(id);
    }
  }

  #get(context: MessageContext, res: ServerResponse): void | Promise<void> {
    const { http: req } = context;
    const { accept } = req.headers;
    if (accept === undefined || !readAccept(accept).eventStream)
      throw invalidRequest(406, 'Accept must allow text/event-stream');
    this.#checkHasSessions(req);
    const shared = this.#shared;
    return this.#inSession(context, undefined, (session, current) => {
      current.record?.stream();
      const header = req.headers['last-event-id'];
      const lastEventId = typeof header === 'string' ? header : undefined;
      if (shared === undefined) this.#listen(current, res, session, lastEventId);
      else return this.#listenShared(shared, current, res, session, lastEventId);
    });
  }

  /** What a client comes back for may be at another replica. */
  async #listenShared(
    shared: SharedEdge<S>,
    context: MessageContext,
    res: ServerResponse,
    session: LiveSession<S>,
    lastEventId: string | undefined,
  ): Promise<void> {
    const from = lastEventId === undefined ? undefined : readEventId(lastEventId);
    const isElsewhere = from !== undefined && shared.isElsewhere(from);
    if (isElsewhere && from.request !== undefined && from.request !== '' && from.place !== LAST)
      return shared.follow(session, from, res, this.#outlets);
    const isMissing = isElsewhere && from.request === undefined;
    const [missed] = await Promise.all([isMissing ? shared.missed(session, from) : [], shared.refresh(session)]);
    if (res.destroyed) return;
    const isOpen = this.#listen(context, res, session, isMissing ? undefined : lastEventId);
    if (!isOpen) return;
    for (const json of missed) session.send(json);
    await shared.listening(session);
  }

  /** Returns whether a standing stream is open now. */
  #listen(
    { identity }: MessageContext,
    res: ServerResponse,
    session: LiveSession<S>,
    lastEventId: string | undefined,
  ): boolean {
    if (res.destroyed || !session.streams.listen(res, this.#outlets, lastEventId)) return false;
    const expiry = new TokenExpiry(identity, () => res.end());
    res.once('close', () => expiry.stop());
    this.#guard.contain('listening', () => this.#handler.listening?.(session));
    return true;
  }

  #delete(context: MessageContext, res: ServerResponse): void | Promise<void> {
    this.#checkHasSessions(context.http);
    return this.#inSession(context, undefined, session => {
      if (this.#shared !== undefined) return this.#endShared(this.#shared, session, res);
      session.close();
      respondEmpty(res, 204);
    });
  }

  async #endShared(shared: SharedEdge<S>, { id }: LiveSession<S>, res: ServerResponse): Promise<void> {
    this.#sessions.delete(id);
    await shared.end(id);
    respondEmpty(res, 204);
  }

  /** Acts in the session that a request names: at once, unless it has to be asked whether there is one. */
  #inSession(
    context: MessageContext,
    id: string | undefined,
    act: (session: LiveSession<S>, context: MessageContext) => void | Promise<void>,
  ): void | Promise<void> {
    const shared = this.#shared;
    if (shared === undefined) return act(this.#session(context, id), context);
    const session = this.#held(context, id);
    if (session === undefined || !shared.isFresh) return this.#askedFor(shared, session, context, id, act);
    this.#guard.checkOwner(context.identity, session, id);
    return act(session, context);
  }

  async #askedFor(
    shared: SharedEdge<S>,
    held: LiveSession<S> | undefined,
    context: MessageContext,
    id: string | undefined,
    act: (session: LiveSession<S>, context: MessageContext) => void | Promise<void>,
  ): Promise<void> {
    try {
      const isHere = held !== undefined && !(await shared.hasEnded(held));
      const name = context.http.headers['mcp-session-id'] as string;
      const session = isHere ? held : await shared.adopt(context, name);
      // Other rules may have come meanwhile.
      const current = await this.#guard.current(context);
      this.#guard.checkOwner(current.identity, session, id);
      await act(session, current);
    } catch (error) {
      throw error instanceof WireError && error.id === undefined ? error.withId(id) : error;
    }
  }

  /** Streams and sessions of their own are nothing that the stateless revision knows. */
  #checkHasSessions(req: IncomingMessage): void {
    if (classify(req.headers, undefined) === 'session') return;
    throw new WireError(WIRE_CODE.refused, 'method not allowed in this MCP protocol revision', { httpStatus: 405 });
  }

  /** The session a request names, its lifetime renewed. 404, never 401: a client then initializes again. */
  #session(context: MessageContext, id: string | undefined): LiveSession<S> {
    const session = this.#held(context, id);
    if (session === undefined) {
      throw new WireError(WIRE_CODE.sessionNotFound, 'session not found', { httpStatus: 404 }).withId(id);
    }
    this.#guard.checkOwner(context.identity, session, id);
    return session;
  }

  /** The session that a request names, if it is here. */
  #held({ http: req }: MessageContext, id: string | undefined): LiveSession<S> | undefined {
    const header = req.headers['mcp-session-id'];
    if (typeof header !== 'string') throw invalidRequest(400, 'Mcp-Session-Id header is required', id);
    return this.#sessions.touch(header);
  }
}
