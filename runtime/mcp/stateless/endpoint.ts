import type { ServerResponse } from 'node:http';
import type { Accepts } from '../../http/media-type.ts';
import { respondEmpty } from '../../http/respond.ts';
import { setStoppedAnswer } from '../../http/stopped-answers.ts';
import type { Logger } from '../../observe/log.ts';
import type { Envelope } from '../envelope.ts';
import type { MessageContext } from '../handler.ts';
import { HttpResponder, type HttpResponderOptions } from '../http-responder.ts';
import { SUPPORTED_REVISIONS } from '../protocol-revisions.ts';
import { createInvalidRequest } from '../refuse.ts';
import type { StreamConnections } from '../stream-connection.ts';
import { TokenExpiry } from '../token-expiry.ts';
import { createStopped, WIRE_CODE, WireError } from '../wire-error.ts';
import { readCaller } from './caller.ts';
import type { NotificationFilter, StatelessCaller, StatelessHandler, Subscription } from './handler.ts';
import { checkHeaders, checkNotificationHeaders } from './headers.ts';
import { toHttpStatus } from './http-status.ts';
import { ListenStream } from './listen-stream.ts';
import { type ListenLimits, ListenStreams } from './listen-streams.ts';
import { readFilter } from './notification-filter.ts';
import { type CacheHint, completeResult } from './result.ts';

export interface StatelessEndpointOptions extends ListenLimits {
  readonly log: Logger;
  readonly outlets: StreamConnections;
  /** Limit on requests that run at a time. Default 10,000. */
  readonly maxRunning?: number;
  /** As in `HttpResponderOptions`. */
  readonly challenge: (description: string) => string | undefined;
}

/** The discovery result changes only with a bundle or a version of Lintel. */
const DISCOVERY_CACHE: CacheHint = { ttlMs: 60_000, cacheScope: 'private' };

/** The data of a request that is read before its message. */
interface Post {
  readonly context: MessageContext;
  readonly res: ServerResponse;
  readonly envelope: Envelope;
  /** The id as JSON text. */
  readonly id: string;
  readonly accepts: Accepts;
}

/**
 * Serves the stateless revision to clients: one POST, one answer, and no state between requests.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
 */
export class StatelessEndpoint {
  readonly #handler: StatelessHandler;
  readonly #log: Logger;
  readonly #answers: HttpResponderOptions;
  readonly #streams: ListenStreams;
  readonly #maxRunning: number;
  /** Unanswered requests of all clients. */
  #running = 0;

  constructor(handler: StatelessHandler, options: StatelessEndpointOptions) {
    this.#handler = handler;
    this.#log = options.log;
    this.#maxRunning = options.maxRunning ?? 10_000;
    const { outlets, challenge } = options;
    const onFinish = (): void => {
      this.#running--;
    };
    this.#answers = { outlets, challenge, isStateless: true, onFinish };
    this.#streams = new ListenStreams(options);
  }

  /** How many `subscriptions/listen` streams are open. */
  get streamCount(): number {
    return this.#streams.size;
  }

  /** Ends the streams of subscriptions; running requests continue. */
  endStreams(): void {
    this.#streams.end(this.#handler.serverInfo);
  }

  /** Ends the streams of subscriptions; clients may return. */
  renewStreams(): void {
    this.#streams.endOpen(this.#handler.serverInfo);
  }

  /**
   * Answers one POST.
   * @throws WireError for a message that is refused before it is read; also rejects with it
   */
  post(context: MessageContext, res: ServerResponse, envelope: Envelope, accepts: Accepts): void | Promise<void> {
    const { kind, id } = envelope;
    if (kind === 'response')
      throw createInvalidRequest(400, 'this MCP protocol revision has no responses of clients', id);
    if (kind === 'notification' || id === undefined) {
      checkNotificationHeaders(context.http.headers, envelope);
      respondEmpty(res, 202); // The revision has none that we would act on.
      return;
    }
    try {
      const caller = readCaller(envelope);
      const { record } = context;
      if (record !== undefined) {
        record.traits = caller;
        record.isStateless = true;
      }
      checkHeaders(context.http.headers, envelope);
      return this.#request({ context, res, envelope, id, accepts }, caller);
    } catch (error) {
      throw error instanceof WireError ? error.withId(id) : error;
    }
  }

  #request(post: Post, caller: StatelessCaller): void | Promise<void> {
    if (post.envelope.method === 'subscriptions/listen') return this.#listen(post, caller);
    const { context, res, envelope, id, accepts } = post;
    if (this.#running >= this.#maxRunning) {
      throw new WireError(WIRE_CODE.refused, 'too many requests are running', { httpStatus: 429, id });
    }
    this.#running++;
    const own = new HttpResponder(res, id, accepts, this.#answers);
    const answer = context.record?.answer(own) ?? own;
    try {
      if (envelope.method === 'server/discover') answer.result(this.#discover(caller));
      else this.#handler.request(caller, envelope, answer, context);
    } catch (error) {
      answer.error(this.#toWireError(error));
    }
    // Decided now, because the message itself must not stay in memory while the request runs.
    const onlyReads = this.#handler.onlyReads?.(envelope) === true;
    setStoppedAnswer(res, () => answer.error(createStopped(onlyReads)));
  }

  #discover(caller: StatelessCaller): string {
    const members = { supportedVersions: SUPPORTED_REVISIONS, ...this.#handler.discover(caller) };
    return completeResult(this.#handler.serverInfo, members, DISCOVERY_CACHE);
  }

  #listen({ context, res, envelope, id, accepts }: Post, caller: StatelessCaller): void | Promise<void> {
    if (!accepts.eventStream) throw createInvalidRequest(406, 'Accept must allow text/event-stream');
    const filter = readFilter(envelope.paramsValue());
    if (res.destroyed) return;
    const stream = new ListenStream(res, id);
    // Stored, because a socket loses it when it closes.
    const address = context.http.socket.remoteAddress ?? '';
    this.#streams.open(stream, address);
    const expiry = new TokenExpiry(context.identity, () => stream.end(this.#handler.serverInfo));
    const gone = new AbortController();
    res.once('close', () => {
      this.#streams.delete(stream, address);
      expiry.stop();
      gone.abort();
    });
    return this.#subscribe(caller, filter, stream, context, gone.signal);
  }

  async #subscribe(
    caller: StatelessCaller,
    filter: NotificationFilter,
    stream: ListenStream,
    context: MessageContext,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      const subscription = await this.#handler.subscribe(caller, filter, stream, context, signal);
      const close = (): void => this.#close(subscription);
      stream.acknowledge({ honoured: subscription.honoured, close }, this.#answers.outlets);
    } catch (error) {
      const { code, message, data } = this.#toWireError(error);
      throw new WireError(code, message, { data, httpStatus: toHttpStatus(code), id: stream.id });
    }
  }

  /** No client waits for a response here, so a failure is only logged. */
  #close(subscription: Subscription): void {
    try {
      subscription.close();
    } catch (error) {
      this.#log.error({ err: error }, 'the gateway core failed to end a subscription');
    }
  }

  /** Converts an error for the client. The detail of an unexpected error is only logged. */
  #toWireError(error: unknown): WireError {
    if (error instanceof WireError) return error;
    this.#log.error({ err: error }, 'a request failed unexpectedly');
    return new WireError(WIRE_CODE.internalError, 'internal error');
  }
}
