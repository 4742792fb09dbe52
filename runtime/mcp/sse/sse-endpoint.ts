import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AuthenticationError } from '../../auth/incoming/authenticator.ts';
import { readAccept } from '../../http/media-type.ts';
import { respondEmpty } from '../../http/respond.ts';
import type { Logger } from '../../observe/log.ts';
import { formatSessionKey, type ReplicaMessage, type SharedSessions } from '../../shared-sessions/store.ts';
import { ConnectionLimit } from '../connection-limit.ts';
import type { Envelope } from '../envelope.ts';
import type { ClientResponder, McpHandler, MessageContext } from '../handler.ts';
import { initializeParams, readTraits } from '../initialize-params.ts';
import { createMemberContext } from '../member-context.ts';
import { createUnsupportedRevision, negotiate, SSE_REVISIONS } from '../protocol-revisions.ts';
import { BATCH_REVISION, isBatch, readBatch } from '../read-batch.ts';
import { readEnvelope } from '../read-envelope.ts';
import { createInvalidRequest } from '../refuse.ts';
import { RequestGate, type RequestGateOptions } from '../request-gate.ts';
import { StreamConnections } from '../stream-connection.ts';
import { UnreadBytes } from '../unread-bytes.ts';
import { formatErrorResponse, WIRE_CODE, WireError } from '../wire-error.ts';
import { type ForwardedMessage, ForwardedMessages, type ForwardResult } from './forwarded-messages.ts';
import { SseConnection, SseSession } from './sse-session.ts';

/** How long a stream may be open without a session. Clients send `initialize` as soon as they have the address for messages. */
const INITIALIZE_MS = 60_000;

export interface SseEndpointOptions extends RequestGateOptions {
  /** Limit on connected clients, and half of it per address. Default 10,000. */
  readonly maxSessions?: number;
  /** Pause between heartbeats, in milliseconds. Default 30,000. */
  readonly heartbeatMs?: number;
  /** Counts the unread bytes of clients. Default: of this endpoint alone. */
  readonly unread?: UnreadBytes;
  /** How long a stream may be open without a session, in milliseconds. Default 60,000. */
  readonly initializeMs?: number;
  /**
   * The address for messages, relative to the path of the stream: `messages` next to `/sse`. Relative, because only the client knows the prefix
   * of a proxy.
   */
  readonly messagesPath: string;
  /** How other processes pass on messages for this one's sessions. Default: there is no other process. */
  readonly shared?: SharedSessions | undefined;
}

/** The client-facing pair of addresses of the older HTTP+SSE transport. */
export interface SseEndpoint {
  /** Receives a message of another process that serves the same gateway. Never rejects. */
  receive(message: ReplicaMessage): Promise<void>;
  /** GET: opens the stream. Does not throw. */
  readonly stream: (req: IncomingMessage, res: ServerResponse) => void;
  /** POST: takes one message, or a batch. Does not throw. */
  readonly messages: (req: IncomingMessage, res: ServerResponse) => void;
  /** How many clients are connected. */
  readonly sessionCount: number;
  /** Ends each stream with its last running request. The first step of draining; until a stream ends, its client may return. */
  endStreams(): void;
  /** Ends all streams. The last step of draining. */
  close(): void;
}

/**
 * Serves MCP over HTTP+SSE, for clients that support no other transport. A session lives as long as its stream.
 * @see https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
 */
export function createSseEndpoint<S>(handler: McpHandler<S>, options: SseEndpointOptions): SseEndpoint {
  return new HttpSseEndpoint(handler, options);
}

/** A connected client; its session exists once `initialize` was answered. */
interface Client<S> {
  readonly connection: SseConnection;
  /** The context of the request that opened the stream. */
  readonly context: MessageContext;
  /** Stored, because a socket loses it when it closes. */
  readonly address: string;
  session: SseSession<S> | undefined;
  isInitializing: boolean;
  /** Ends the stream of a client that never initializes, because it would occupy another's place. */
  readonly patience: NodeJS.Timeout;
}

class HttpSseEndpoint<S> implements SseEndpoint {
  readonly #handler: McpHandler<S>;
  readonly #guard: RequestGate;
  readonly #places: ConnectionLimit;
  readonly #outlets: StreamConnections;
  readonly #initializeMs: number;
  readonly #messagesPath: string;
  readonly #log: Logger;
  readonly #handed: ForwardedMessages | undefined;
  readonly #clients = new Map<string, Client<S>>();
  /** Ids of sessions by their keys, for messages that other processes pass on. */
  readonly #ids = new Map<string, string>();

  constructor(handler: McpHandler<S>, options: SseEndpointOptions) {
    this.#handler = handler;
    this.#guard = new RequestGate(options);
    const { maxSessions = 10_000 } = options;
    this.#places = new ConnectionLimit(maxSessions);
    this.#outlets = new StreamConnections(options.heartbeatMs ?? 30_000, options.unread ?? new UnreadBytes());
    this.#initializeMs = options.initializeMs ?? INITIALIZE_MS;
    this.#messagesPath = options.messagesPath;
    this.#log = options.log;
    const { shared } = options;
    this.#handed = shared && new ForwardedMessages(shared, (session, message) => this.#take(session, message));
  }

  get sessionCount(): number {
    return this.#clients.size;
  }

  endStreams(): void {
    for (const { connection } of this.#clients.values()) connection.endWhenIdle();
  }

  close(): void {
    for (const { connection } of this.#clients.values()) connection.close();
  }

  readonly stream = (req: IncomingMessage, res: ServerResponse): void => {
    this.#open(req, res).catch((error: unknown) => this.#guard.refuse(req, res, error, 'GET'));
  };

  readonly messages = (req: IncomingMessage, res: ServerResponse): void => {
    this.#post(req, res).catch((error: unknown) => this.#guard.refuse(req, res, error, 'POST'));
  };

  async #open(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (this.#guard.handleCors(req, res, 'GET')) return;
    const admitted = this.#guard.authenticate(req);
    const context = admitted instanceof Promise ? await admitted : admitted;
    const { identity, record } = context;
    if (res.destroyed) return;
    checkMethod(req, 'GET');
    if (!readAccept(req.headers.accept).eventStream) {
      throw createInvalidRequest(406, 'Accept must allow text/event-stream');
    }
    const address = req.socket.remoteAddress ?? '';
    if (!this.#places.take(address)) {
      throw new WireError(WIRE_CODE.refused, 'too many sessions', { httpStatus: 503 });
    }
    record?.stream();
    const id = this.#handed?.newId() ?? randomUUID();
    const connection = new SseConnection(this.#outlets.open(res), `${this.#messagesPath}?sessionId=${id}`, {
      id,
      identity,
      onClose: () => this.#closed(id),
    });
    const patience = setInterval(() => this.#checkSession(id), this.#initializeMs).unref();
    this.#clients.set(id, { connection, context, address, session: undefined, isInitializing: false, patience });
    if (this.#handed !== undefined) this.#ids.set(formatSessionKey(id), id);
  }

  #checkSession(id: string): void {
    const client = this.#clients.get(id);
    if (client?.isInitializing !== false) return;
    client.connection.close();
    this.#closed(id); // Closed at once: a stream that waits behind other responses, or whose client does not read, may end late.
  }

  #closed(id: string): void {
    const client = this.#clients.get(id);
    if (client === undefined) return;
    const { address, patience, session } = client;
    clearInterval(patience);
    this.#clients.delete(id);
    if (this.#handed !== undefined) this.#ids.delete(formatSessionKey(id));
    this.#places.leave(address);
    if (session !== undefined) this.#guard.contain('closed', () => this.#handler.closed(session, false));
  }

  async #post(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (this.#guard.handleCors(req, res, 'POST')) return;
    const admitted = this.#guard.authenticate(req);
    const atFirst = admitted instanceof Promise ? await admitted : admitted;
    checkMethod(req, 'POST');
    const id = readSessionId(req);
    const holder = this.#handed?.findHolder(id);
    if (holder === undefined) this.#getClient(atFirst, id);
    const revision = req.headers['mcp-protocol-version'];
    if (typeof revision === 'string' && !SSE_REVISIONS.includes(revision)) {
      throw createUnsupportedRevision(revision, SSE_REVISIONS);
    }
    this.#guard.checkContentType(req);
    const text = await new Promise<string>((resolve, reject) => this.#guard.readMessage(req, resolve, reject));
    // The client determines when a body is complete: other rules may apply by then.
    const current = this.#guard.current(atFirst);
    const context = current instanceof Promise ? await current : current;
    if (holder !== undefined) {
      await this.#handOn(context, holder, id, text);
      respondEmpty(res, 202);
      return;
    }
    const client = this.#getClient(context, id);
    if (hasBatches(client) && isBatch(text)) {
      const messages = readBatch(text);
      respondEmpty(res, 202);
      for (const message of messages) this.#handleMessage(createMemberContext(context, message), client, message);
      return;
    }
    const message = readEnvelope(text);
    context.record?.message(message);
    respondEmpty(res, 202);
    this.#handleMessage(context, client, message);
  }

  async #handOn(context: MessageContext, holder: number, id: string, text: string): Promise<void> {
    const message = isBatch(text) ? undefined : readEnvelope(text);
    if (message !== undefined) context.record?.message(message);
    context.record?.handing();
    try {
      const taking = await this.#handed?.hand(holder, id, { owner: formatSessionKey(context.identity.key), text });
      if (taking === 'foreign') throw createForeign();
      if (taking !== 'taken') throw createNotFound();
    } catch (error) {
      context.record?.notHanded();
      throw error;
    }
    context.record?.handedOn();
  }

  readonly receive = async (message: ReplicaMessage): Promise<void> => {
    await this.#handed?.receive(message).catch((error: unknown) => {
      this.#log.error({ err: error }, 'a message that another process received could not be taken');
    });
  };

  /** Accepts a message that another process has received. Its caller is identified by the token with which the stream was opened. */
  async #take(key: string, { owner, text }: ForwardedMessage): Promise<ForwardResult> {
    const client = this.#clients.get(this.#ids.get(key) ?? '');
    if (client === undefined) return 'unknown';
    const { connection } = client;
    if (formatSessionKey(connection.owner) !== owner) {
      connection.close();
      this.#log.warn('a session was ended: a request in it came from another identity');
      return 'foreign';
    }
    try {
      const context = await this.#guard.current(client.context);
      const messages = hasBatches(client) && isBatch(text) ? readBatch(text) : [readEnvelope(text)];
      for (const message of messages) {
        const record = message instanceof WireError ? undefined : context.record?.takenOver(message);
        this.#handleMessage({ ...context, record }, client, message);
      }
    } catch (error) {
      // The current rules no longer admit the caller.
      if (error instanceof AuthenticationError) return 'unknown';
      const refusal = this.#guard.toWireError(error);
      connection.send(formatErrorResponse(refusal.id, refusal));
    }
    return 'taken';
  }

  #handleMessage(context: MessageContext, client: Client<S>, message: Envelope | WireError): void {
    if (message instanceof WireError) client.connection.send(formatErrorResponse(message.id, message));
    else if (message.id !== undefined && message.kind === 'request')
      this.#request(context, client, message, message.id);
    else this.#receive(context, client, message);
  }

  /** The client that a message belongs to. */
  #getClient({ identity }: MessageContext, id: string): Client<S> {
    const client = this.#clients.get(id);
    if (client === undefined) throw createNotFound();
    this.#guard.checkOwner(identity, client.connection);
    client.connection.renew(identity);
    return client;
  }

  /** Handles a message without an answer. Before `initialize` there is no session for it. */
  #receive(context: MessageContext, { session }: Client<S>, envelope: Envelope): void {
    if (session === undefined) return;
    this.#guard.contain(envelope.kind, () =>
      envelope.kind === 'response'
        ? this.#handler.response(session, envelope, context)
        : this.#handler.notification(session, envelope, context),
    );
  }

  #request(context: MessageContext, client: Client<S>, envelope: Envelope, id: string): void {
    let answer: ClientResponder;
    try {
      const own = client.connection.begin(id);
      answer = context.record?.answer(own) ?? own;
    } catch (error) {
      const refusal = this.#guard.toWireError(error);
      context.record?.refused(refusal.code, refusal.message);
      client.connection.send(formatErrorResponse(id, refusal));
      return;
    }
    if (envelope.method === 'initialize') {
      void this.#initialize(context, client, envelope, answer);
      return;
    }
    try {
      if (client.session === undefined) throw createInvalidRequest(400, 'initialize must be the first request');
      this.#handler.request(client.session, envelope, answer, context);
    } catch (error) {
      answer.error(this.#guard.toWireError(error));
    }
  }

  async #initialize(
    context: MessageContext,
    client: Client<S>,
    envelope: Envelope,
    answer: ClientResponder,
  ): Promise<void> {
    if (client.isInitializing) {
      answer.error(createInvalidRequest(400, 'the session is initialized already'));
      return;
    }
    try {
      client.isInitializing = true;
      const params = initializeParams(envelope);
      if (context.record !== undefined) context.record.traits = readTraits(params);
      const protocolVersion = negotiate(params.protocolVersion, SSE_REVISIONS);
      const outcome = await this.#handler.initialize({ params, protocolVersion, ...context });
      const session = new SseSession(client.connection, protocolVersion, outcome.session);
      this.#guard.contain('opened', () => this.#handler.opened?.(session));
      if (!this.#clients.has(session.id)) {
        this.#guard.contain('closed', () => this.#handler.closed(session, false)); // The client has disconnected meanwhile.
        return;
      }
      client.session = session;
      clearInterval(client.patience);
      answer.result(outcome.result);
      this.#guard.contain('listening', () => this.#handler.listening?.(session));
    } catch (error) {
      client.isInitializing = false;
      answer.error(this.#guard.toWireError(error));
    }
  }
}

function checkMethod(req: IncomingMessage, method: 'GET' | 'POST'): void {
  if (req.method === method) return;
  throw new WireError(WIRE_CODE.refused, 'method not allowed', { httpStatus: 405 });
}

function readSessionId(req: IncomingMessage): string {
  const id = new URLSearchParams(req.url?.split('?', 2)[1]).get('sessionId');
  if (id === null) throw createInvalidRequest(400, 'sessionId is required: use the URL from the endpoint event');
  return id;
}

/** In any other session, `readEnvelope` refuses a batch. */
function hasBatches({ session }: Client<unknown>): boolean {
  return session?.protocolVersion === BATCH_REVISION;
}

function createNotFound(): WireError {
  return new WireError(WIRE_CODE.sessionNotFound, 'session not found', { httpStatus: 404 });
}

function createForeign(): WireError {
  const text = 'Unauthorized: the session belongs to another identity';
  return new WireError(WIRE_CODE.refused, text, { httpStatus: 403 });
}
