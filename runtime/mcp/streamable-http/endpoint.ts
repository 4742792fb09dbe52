import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Accepts, readAccept } from '../../http/media-type.ts';
import { respondEmpty } from '../../http/respond.ts';
import { formatSessionKey, type ReplicaMessage, type SharedSessions } from '../../shared-sessions/store.ts';
import type { McpHandler, MessageContext } from '../handler.ts';
import type { LiveSession } from '../live-session.ts';
import { classify } from '../protocol-revisions.ts';
import { isBatch } from '../read-batch.ts';
import { readEnvelope } from '../read-envelope.ts';
import { createInvalidRequest } from '../refuse.ts';
import { RequestGate, type RequestGateOptions } from '../request-gate.ts';
import { RESUME_WINDOW_MS, SESSION_TTL_MS, SessionStore, type SessionStoreOptions } from '../sessions.ts';
import { SharedEdge } from '../shared-edge.ts';
import { StatelessEndpoint } from '../stateless/endpoint.ts';
import type { StatelessHandler } from '../stateless/handler.ts';
import type { ListenLimits } from '../stateless/listen-streams.ts';
import { StreamConnections } from '../stream-connection.ts';
import { UnreadBytes } from '../unread-bytes.ts';
import { WIRE_CODE, WireError } from '../wire-error.ts';
import { SessionLookup } from './session-lookup.ts';
import { SessionMessages } from './session-messages.ts';
import { SessionOpening } from './session-opening.ts';
import { StandingStreams } from './standing-streams.ts';

const ALLOWED_METHODS = 'GET, POST, DELETE';

export interface McpEndpointOptions
  extends Omit<SessionStoreOptions<never>, 'onClose' | 'onEnd' | 'onKept' | 'isShared' | 'firstStream'>,
    RequestGateOptions,
    ListenLimits {
  /** Pause between heartbeats on event streams, in milliseconds. Default 30,000. */
  readonly heartbeatMs?: number;
  /** Counts the unread bytes of clients. Default: of this endpoint alone. */
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
  /** The keys of these sessions in the store that replicas share. */
  listSessionKeys(): readonly string[];
  /** The bytes of the events that are kept for reconnecting clients. */
  readonly keptBytes: number;
  /** How many `subscriptions/listen` streams are open. */
  readonly subscriptionCount: number;
  /** Ends the standing streams and the subscriptions; sessions and running requests continue. The first step of draining. */
  endStreams(): void;
  /** Does the same as `endStreams`, but clients may reconnect: they are authenticated again. */
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
  readonly #stateless: StatelessEndpoint;
  readonly #sessions: SessionStore<S>;
  readonly #guard: RequestGate;
  readonly #outlets: StreamConnections;
  readonly #shared: SharedEdge<S> | undefined;
  readonly #lookup: SessionLookup<S>;
  readonly #opening: SessionOpening<S>;
  readonly #messages: SessionMessages<S>;
  readonly #streams: StandingStreams<S>;

  constructor(handler: McpHandler<S>, stateless: StatelessHandler, options: McpEndpointOptions) {
    this.#guard = new RequestGate(options);
    this.#outlets = new StreamConnections(options.heartbeatMs ?? 30_000, options.unread ?? new UnreadBytes());
    const { challenge } = this.#guard;
    this.#stateless = new StatelessEndpoint(stateless, { ...options, outlets: this.#outlets, challenge });
    const { shared } = options;
    this.#sessions = new SessionStore<S>({
      ...options,
      ...(shared === undefined ? {} : this.#buildStoreOptions(shared)),
      onClose: (session, isLeft) => {
        this.#shared?.closed(session.id);
        this.#guard.contain('closed', () => handler.closed(session, isLeft));
      },
    });
    this.#shared = shared && this.#createSharedEdge(shared, handler, stateless, options);
    const parts = {
      handler,
      guard: this.#guard,
      outlets: this.#outlets,
      sessions: this.#sessions,
      shared: this.#shared,
    };
    this.#lookup = new SessionLookup(parts);
    this.#opening = new SessionOpening(parts);
    this.#messages = new SessionMessages(parts);
    this.#streams = new StandingStreams(parts);
  }

  #createSharedEdge(
    shared: SharedSessions,
    handler: McpHandler<S>,
    stateless: StatelessHandler,
    options: McpEndpointOptions,
  ): SharedEdge<S> {
    const { ttlMs = SESSION_TTL_MS, resumeWindowMs = RESUME_WINDOW_MS, now = () => performance.now(), log } = options;
    const { onHanded = () => {} } = options;
    const sessions = this.#sessions;
    return new SharedEdge({ shared, sessions, handler, stateless, onHanded, ttlMs, resumeWindowMs, now, log });
  }

  /** Sessions of this replica are copies of those in the store. */
  #buildStoreOptions({ replica }: SharedSessions): SessionStoreOptions<S> {
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

  listSessionKeys(): readonly string[] {
    return Array.from(this.#sessions.values(), ({ id }) => formatSessionKey(id));
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
      if (this.#guard.handleCors(req, res, ALLOWED_METHODS)) return;
      const admitted = this.#guard.authenticate(req);
      return admitted instanceof Promise
        ? admitted.then(context => this.#routeRequest(context, res))
        : this.#routeRequest(admitted, res);
    });
  };

  /** Runs one step of a request; its failure becomes the request's answer. Only waiting steps use promises. */
  #run(req: IncomingMessage, res: ServerResponse, step: () => void | Promise<void>): void {
    const refuse = (error: unknown): void => this.#guard.refuse(req, res, error, ALLOWED_METHODS);
    try {
      step()?.catch(refuse);
    } catch (error) {
      refuse(error);
    }
  }

  #routeRequest(context: MessageContext, res: ServerResponse): void | Promise<void> {
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
      throw createInvalidRequest(406, 'Accept must allow application/json or text/event-stream');
    }
    this.#guard.readMessage(
      req,
      text => this.#run(req, res, () => this.#handleText(context, res, text, accepts)),
      error => this.#guard.refuse(req, res, error, ALLOWED_METHODS),
    );
  }

  /** The client determines when a body is complete: other rules may apply by then. */
  #handleText(context: MessageContext, res: ServerResponse, text: string, accepts: Accepts): void | Promise<void> {
    const current = this.#guard.current(context);
    if (!(current instanceof Promise)) return this.#handleMessage(current, res, text, accepts);
    return current.then(admitted => {
      if (!res.destroyed) return this.#handleMessage(admitted, res, text, accepts);
    });
  }

  #handleMessage(context: MessageContext, res: ServerResponse, text: string, accepts: Accepts): void | Promise<void> {
    const { http: req } = context;
    if (isBatch(text)) return this.#handleBatch(context, res, text, accepts);
    const envelope = readEnvelope(text);
    context.record?.message(envelope);
    if (classify(req.headers, envelope) === 'stateless') return this.#stateless.post(context, res, envelope, accepts);
    if (envelope.method === 'initialize' && envelope.id !== undefined) {
      if (req.headers['mcp-session-id'] === undefined)
        return this.#opening.initialize(context, res, envelope, envelope.id, accepts);
      return this.#lookup.inSession(context, envelope.id, () => {
        throw createInvalidRequest(400, 'the session is initialized already', envelope.id);
      });
    }
    if (this.#shared === undefined) {
      this.#messages.message(context, res, this.#lookup.session(context, envelope.id), envelope, accepts);
      return;
    }
    return this.#lookup.inSession(context, envelope.id, (session, current) =>
      this.#messages.message(current, res, session, envelope, accepts),
    );
  }

  #handleBatch(context: MessageContext, res: ServerResponse, text: string, accepts: Accepts): void | Promise<void> {
    const { http: req } = context;
    classify(req.headers, undefined);
    if (req.headers['mcp-session-id'] === undefined) {
      this.#messages.batch(context, res, undefined, text, accepts);
      return;
    }
    return this.#lookup.inSession(context, undefined, (session, current) =>
      this.#messages.batch(current, res, session, text, accepts),
    );
  }

  #get(context: MessageContext, res: ServerResponse): void | Promise<void> {
    const { http: req } = context;
    const { accept } = req.headers;
    if (accept === undefined || !readAccept(accept).eventStream)
      throw createInvalidRequest(406, 'Accept must allow text/event-stream');
    this.#checkHasSessions(req);
    return this.#lookup.inSession(context, undefined, (session, current) => this.#streams.open(current, res, session));
  }

  #delete(context: MessageContext, res: ServerResponse): void | Promise<void> {
    this.#checkHasSessions(context.http);
    return this.#lookup.inSession(context, undefined, session => {
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

  /** The stateless revision has neither streams nor sessions of their own. */
  #checkHasSessions(req: IncomingMessage): void {
    if (classify(req.headers, undefined) === 'session') return;
    throw new WireError(WIRE_CODE.refused, 'method not allowed in this MCP protocol revision', { httpStatus: 405 });
  }
}
