import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Accepts, isJson, readAccept } from '../http/media-type.ts';
import { isOriginAllowed } from '../http/origin.ts';
import { BodyError, MAX_BODY_BYTES, readBody } from '../http/read-body.ts';
import { respondEmpty } from '../http/respond.ts';
import type { Logger } from '../observe/log.ts';
import type { Envelope } from './envelope.ts';
import type { McpHandler } from './handler.ts';
import { HttpAnswer } from './http-answer.ts';
import type { LiveSession } from './live-session.ts';
import { readEnvelope } from './read-envelope.ts';
import { invalidRequest, refuse, wireErrorOfBody } from './refuse.ts';
import { classify, negotiate } from './revisions.ts';
import { SessionStore, type SessionStoreOptions } from './sessions.ts';
import { StatelessEndpoint } from './stateless/endpoint.ts';
import type { StatelessHandler } from './stateless/handler.ts';
import type { ListenCeilings } from './stateless/listen-streams.ts';
import { WIRE_CODE, WireError } from './wire-error.ts';

export interface McpEndpointOptions extends Omit<SessionStoreOptions<never>, 'onClose'>, ListenCeilings {
  readonly log: Logger;
  /** Ceiling on a request body, in bytes. Default 8 MiB. */
  readonly maxBodyBytes?: number;
  /** Pause between heartbeats on event streams, in milliseconds. Default 30,000. */
  readonly heartbeatMs?: number;
  /** Web origins that may call although they are not the host they call. Default none. */
  readonly allowedOrigins?: readonly string[];
}

/** The client-facing MCP endpoint. */
export interface McpEndpoint {
  /** Handles one HTTP request to the endpoint's path. Does not throw. */
  readonly handle: (req: IncomingMessage, res: ServerResponse) => void;
  /** How many sessions are open. */
  readonly sessionCount: number;
  /** How many `subscriptions/listen` streams are open. */
  readonly subscriptionCount: number;
  /** Ends the standing streams and the subscriptions; sessions and running requests go on. The first step of draining. */
  endStreams(): void;
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
  readonly #log: Logger;
  readonly #maxBodyBytes: number;
  readonly #heartbeatMs: number;
  readonly #allowedOrigins: readonly string[];
  /** Sessions whose `initialize` is under way. */
  #opening = 0;

  constructor(handler: McpHandler<S>, stateless: StatelessHandler, options: McpEndpointOptions) {
    this.#handler = handler;
    this.#log = options.log;
    this.#maxBodyBytes = options.maxBodyBytes ?? MAX_BODY_BYTES;
    this.#heartbeatMs = options.heartbeatMs ?? 30_000;
    this.#allowedOrigins = options.allowedOrigins ?? [];
    this.#stateless = new StatelessEndpoint(stateless, { ...options, heartbeatMs: this.#heartbeatMs });
    this.#sessions = new SessionStore({
      ...options,
      onClose: session => this.#guard('closed', () => handler.closed(session)),
    });
  }

  get sessionCount(): number {
    return this.#sessions.size;
  }

  get subscriptionCount(): number {
    return this.#stateless.streamCount;
  }

  endStreams(): void {
    this.#sessions.endStreams();
    this.#stateless.endStreams();
  }

  close(): void {
    this.#sessions.closeAll();
  }

  readonly handle = (req: IncomingMessage, res: ServerResponse): void => {
    this.#route(req, res).catch((error: unknown) => this.#refuse(req, res, error));
  };

  async #route(req: IncomingMessage, res: ServerResponse): Promise<void> {
    this.#checkOrigin(req);
    switch (req.method) {
      case 'POST':
        return this.#post(req, res);
      case 'GET':
        return this.#get(req, res);
      case 'DELETE':
        return this.#delete(req, res);
      default:
        throw new WireError(WIRE_CODE.refused, 'method not allowed', { httpStatus: 405 });
    }
  }

  async #post(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (!isJson(req.headers['content-type'])) throw invalidRequest(415, 'Content-Type must be application/json');
    const accepts = readAccept(req.headers.accept);
    if (!accepts.json && !accepts.eventStream) {
      throw invalidRequest(406, 'Accept must allow application/json or text/event-stream');
    }
    const envelope = readEnvelope(await readBody(req, this.#maxBodyBytes));
    if (classify(req.headers, envelope) === 'stateless') return this.#stateless.post(req, res, envelope, accepts);
    if (envelope.method === 'initialize' && envelope.id !== undefined) {
      if (req.headers['mcp-session-id'] === undefined)
        return this.#initialize(req, res, envelope, envelope.id, accepts);
      this.#session(req, envelope.id);
      throw invalidRequest(400, 'the session is initialized already', envelope.id);
    }
    const session = this.#session(req, envelope.id);
    if (envelope.kind === 'request') {
      this.#request(req, res, session, envelope, envelope.id as string, accepts);
      return;
    }
    const { kind } = envelope;
    this.#guard(kind, () =>
      kind === 'response'
        ? this.#handler.response(session, envelope, { http: req })
        : this.#handler.notification(session, envelope, { http: req }),
    );
    respondEmpty(res, 202);
  }

  #request(
    req: IncomingMessage,
    res: ServerResponse,
    session: LiveSession<S>,
    envelope: Envelope,
    id: string,
    accepts: Accepts,
  ): void {
    const onFinish = session.begin(id);
    const answer = new HttpAnswer(res, id, { accepts, heartbeatMs: this.#heartbeatMs, onFinish });
    try {
      this.#handler.request(session, envelope, answer, { http: req });
    } catch (error) {
      answer.error(this.#wireErrorOf(error));
    }
  }

  async #initialize(
    req: IncomingMessage,
    res: ServerResponse,
    envelope: Envelope,
    id: string,
    accepts: Accepts,
  ): Promise<void> {
    const params = envelope.paramsValue() as { readonly [name: string]: unknown } | undefined;
    if (typeof params?.protocolVersion !== 'string') {
      throw new WireError(WIRE_CODE.invalidParams, 'protocolVersion must be a string', { id });
    }
    const protocolVersion = negotiate(params.protocolVersion);
    this.#opening++;
    try {
      this.#sessions.ensureRoom(this.#opening);
      const { session, result } = await this.#handler.initialize({ params, protocolVersion, http: req });
      const live = this.#sessions.create(session, protocolVersion);
      this.#guard('opened', () => this.#handler.opened?.(live));
      if (res.destroyed) {
        live.close(); // Nobody learns its id.
        return;
      }
      res.setHeader('Mcp-Session-Id', live.id);
      new HttpAnswer(res, id, { accepts, heartbeatMs: this.#heartbeatMs, onFinish: () => {} }).result(result);
    } catch (error) {
      throw this.#wireErrorOf(error).withId(id);
    } finally {
      this.#opening--;
    }
  }

  #get(req: IncomingMessage, res: ServerResponse): void {
    const { accept } = req.headers;
    if (accept === undefined || !readAccept(accept).eventStream)
      throw invalidRequest(406, 'Accept must allow text/event-stream');
    this.#checkHasSessions(req);
    this.#session(req, undefined).openStream(res, this.#heartbeatMs);
  }

  #delete(req: IncomingMessage, res: ServerResponse): void {
    this.#checkHasSessions(req);
    this.#session(req, undefined).close();
    respondEmpty(res, 204);
  }

  /** Streams and sessions of their own are nothing that the stateless revision knows. */
  #checkHasSessions(req: IncomingMessage): void {
    if (classify(req.headers, undefined) === 'session') return;
    throw new WireError(WIRE_CODE.refused, 'method not allowed in this MCP protocol revision', { httpStatus: 405 });
  }

  /** The session a request names, its lifetime renewed. 404, never 401: a client then initializes anew. */
  #session(req: IncomingMessage, id: string | undefined): LiveSession<S> {
    const header = req.headers['mcp-session-id'];
    if (typeof header !== 'string') throw invalidRequest(400, 'Mcp-Session-Id header is required', id);
    const session = this.#sessions.touch(header);
    if (session !== undefined) return session;
    throw new WireError(WIRE_CODE.sessionNotFound, 'session not found', { httpStatus: 404 }).withId(id);
  }

  #checkOrigin(req: IncomingMessage): void {
    const { origin, host } = req.headers;
    const { localAddress } = req.socket;
    if (!isOriginAllowed({ origin, host, localAddress, allowed: this.#allowedOrigins })) {
      throw new WireError(WIRE_CODE.refused, 'this Origin is not allowed', { httpStatus: 403 });
    }
  }

  /** Calls the core where nobody waits for an answer: a failure is logged and ends there. */
  #guard(what: string, call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#log.error({ err: error, what }, 'the gateway core failed');
    }
  }

  /** The error as it goes out. Of what nobody foresaw, the detail goes to the log only. */
  #wireErrorOf(error: unknown): WireError {
    if (error instanceof WireError) return error;
    this.#log.error({ err: error }, 'a request failed unexpectedly');
    return new WireError(WIRE_CODE.internalError, 'internal error', { httpStatus: 500 });
  }

  #refuse(req: IncomingMessage, res: ServerResponse, error: unknown): void {
    if (error instanceof BodyError && error.reason === 'aborted') return;
    refuse(req, res, this.#maxBodyBytes, wireErrorOfBody(error) ?? this.#wireErrorOf(error));
  }
}
