/** One `subscriptions/listen` and its stream. */
import type { IncomingHttpHeaders } from 'node:http';
import { type Exchange, type ExchangeHandler, getHeader, startExchange } from '../../../http/exchange.ts';
import type { Envelope } from '../../../mcp/envelope.ts';
import { EventStreamParser, type StreamEvent } from '../../../mcp/event-stream-parser.ts';
import { findMessageStart, removeMembers } from '../../../mcp/json/members.ts';
import { META } from '../../../mcp/meta-keys.ts';
import { readEnvelope } from '../../../mcp/read-envelope.ts';
import { WIRE_CODE } from '../../../mcp/wire-error.ts';
import { type BackendContext, getMediaType } from '../context.ts';
import { isOtherEraStatus } from '../failure.ts';
import { BoundedBuffer } from '../messages/bounded-buffer.ts';
import { findMessageKind } from '../messages/message-kind.ts';
import { isJsonRpc, MAX_ERROR_BODY_BYTES, readErrorCode } from '../messages/response-body.ts';
import { readServerMessage } from '../messages/server-message.ts';
import { isModernCode } from '../rpc-error.ts';
import { buildStatelessHeaders } from './request-headers.ts';
import type { RequestMeta } from './request-text.ts';

const LISTEN = 'subscriptions/listen';
const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';

export interface ListenFilter {
  readonly toolsListChanged?: boolean;
  readonly promptsListChanged?: boolean;
  readonly resourcesListChanged?: boolean;
  readonly resourceSubscriptions?: readonly string[];
}

export interface ListenCallOptions {
  /** Called when the stream is open; `resources` are the URIs whose updates the backend will send. */
  onAcknowledged(resources: ReadonlySet<unknown>): void;
  /** Called with a notification, from which the subscription's id is removed: only the backend and the gateway know it. */
  onMessage(notification: Envelope): void;
  /** Called when the stream has ended, or when the backend opened none; not called after `close`. */
  onEnd(end: ListenEnd): void;
}

/** How a stream ended. `refused`: another attempt would not succeed. `failed`: the backend answered with an error. `lost`: all other ends. */
export type ListenEnd = 'refused' | 'failed' | 'lost';

let listens = 0;

export class ListenCall implements ExchangeHandler {
  /** Resolves when the backend has acknowledged or refused the stream. */
  readonly settled: Promise<void>;
  readonly #context: BackendContext;
  readonly #meta: RequestMeta;
  readonly #filter: ListenFilter;
  readonly #options: ListenCallOptions;
  readonly #parser: EventStreamParser;
  /** Handles a JSON document in place of a stream. */
  #document: BoundedBuffer | undefined;
  #isAcknowledged = false;
  #resolve: () => void = () => {};
  #exchange: Exchange | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(context: BackendContext, meta: RequestMeta, filter: ListenFilter, options: ListenCallOptions) {
    this.#context = context;
    this.#meta = meta;
    this.#filter = filter;
    this.#options = options;
    this.settled = new Promise(resolve => {
      this.#resolve = resolve;
    });
    const limits = { maxEventBytes: context.client.maxResponseBytes };
    this.#parser = new EventStreamParser(event => this.#handleEvent(event), limits);
  }

  start(): void {
    const { client, target, timeoutMs } = this.#context;
    const id = `"lintel-l${++listens}"`;
    const params = JSON.stringify({ notifications: this.#filter });
    const text = this.#meta.addTo(`{"jsonrpc":"2.0","id":${id},"method":"${LISTEN}","params":${params}}`);
    const headers = buildStatelessHeaders(this.#context, { text, id, method: LISTEN });
    this.#timer = setTimeout(() => this.#end('lost'), timeoutMs);
    this.#exchange = startExchange(client.streams, { target, method: 'POST', headers, body: text }, this);
  }

  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#exchange?.abort();
    this.#resolve();
  }

  head(status: number, headers: IncomingHttpHeaders): void {
    const type = status === 200 ? getMediaType(getHeader(headers, 'content-type')) : undefined;
    if (type === 'application/json') this.#document = new BoundedBuffer(MAX_ERROR_BODY_BYTES);
    // Statuses that are not of another era are about a passing state, or about the caller.
    else if (type !== 'text/event-stream') this.#end(isOtherEraStatus(status) ? 'refused' : 'lost');
  }

  data(chunk: Buffer): void {
    if (this.#document !== undefined) {
      if (!this.#document.push(chunk)) this.#end('lost');
      return;
    }
    try {
      this.#parser.push(chunk);
    } catch {
      this.#end('lost');
    }
  }

  end(): void {
    const body = this.#document?.bytes;
    const end = endBy(readErrorCode(body));
    // A server that returns results for any method has no streams.
    this.#end(end === 'lost' && isJsonRpc(body) ? 'refused' : end);
  }

  failed(): void {
    this.#end('lost');
  }

  #handleEvent(event: StreamEvent): void {
    if (this.#isOver || event.event !== 'message' || event.bytes.length === 0) return;
    const kind = findMessageKind(event.bytes);
    // A backend that has opened a stream, and ends it with an error, may continue with the next stream.
    if (kind?.type === 'response') this.#end(this.#isAcknowledged ? 'lost' : endBy(readErrorCode(event.bytes)));
    if (kind?.type !== 'notification') return;
    const notification = readServerMessage(this.#context, event.data, kind.type);
    if (notification === undefined) return;
    if (notification.method === ACKNOWLEDGED) this.#acknowledged(notification);
    else this.#options.onMessage(withoutSubscription(notification));
  }

  #acknowledged(notification: Envelope): void {
    clearTimeout(this.#timer);
    this.#isAcknowledged = true;
    const params = notification.paramsValue() as
      | { notifications?: { resourceSubscriptions?: unknown } | null }
      | undefined;
    const agreed = params?.notifications?.resourceSubscriptions;
    this.#options.onAcknowledged(new Set(Array.isArray(agreed) ? agreed : []));
    this.#resolve();
  }

  #end(end: ListenEnd): void {
    if (this.#isOver) return;
    this.close();
    this.#options.onEnd(end);
  }
}

/** Errors about the request itself; others, such as -32603, are about a passing state. */
const ABOUT_REQUEST: ReadonlySet<unknown> = new Set([
  WIRE_CODE.parseError,
  WIRE_CODE.invalidRequest,
  WIRE_CODE.methodNotFound,
  WIRE_CODE.invalidParams,
  WIRE_CODE.resourceNotFound,
]);

/**
 * How a stream ended that the backend answered.
 * @param code code of a JSON-RPC error; undefined for other ends
 */
function endBy(code: unknown): ListenEnd {
  if (code === undefined) return 'lost';
  return ABOUT_REQUEST.has(code) || isModernCode(code) ? 'refused' : 'failed';
}

/**
 * Removes the gateway's subscription id from a notification, because clients have ids of their own, and then the objects that are empty without it.
 */
function withoutSubscription(notification: Envelope): Envelope {
  const { text, meta, params } = notification;
  if (meta?.content.subscriptionId === undefined || params === undefined) return notification;
  const filteredMeta = removeMembers(meta.content.text, 0, SUBSCRIPTION_ID);
  if (filteredMeta !== '{}') return readEnvelope(text.slice(0, meta.start) + filteredMeta + text.slice(meta.end));
  const without = removeMembers(text.slice(params.start, params.end), 0, META_MEMBER);
  if (without !== '{}') return readEnvelope(text.slice(0, params.start) + without + text.slice(params.end));
  return readEnvelope(removeMembers(text, findMessageStart(text), PARAMS));
}

const SUBSCRIPTION_ID: ReadonlySet<string> = new Set([META.subscriptionId]);
const META_MEMBER: ReadonlySet<string> = new Set(['_meta']);
const PARAMS: ReadonlySet<string> = new Set(['params']);
