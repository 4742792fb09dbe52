/**
 * Receives webhooks of forges: `POST /hook/<namespace>/<name>`. The content of a delivery is neither trusted nor parsed: a delivery that is
 * signed with the source's secret only triggers an immediate reconcile of the source.
 */

import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import Fastify, { type FastifyError, type FastifyReply, type FastifyRequest } from 'fastify';
import { validateHost } from '#schemas';
import { type Rate, TokenBuckets } from '#shared/util';
import type { Clock } from '../kube/clock.ts';
import { isPing, listDeliveryKeys } from './delivery.ts';
import { ReplayCache } from './replay-cache.ts';
import { isProven, readProof } from './signature.ts';

/** Maximum body size, in bytes. */
export const MAX_BODY_BYTES: number = 1024 * 1024;

/** Timeouts for slow senders, in milliseconds: for the headers, and for the whole request. */
const HEADERS_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 5_000;

const MAX_HEADER_BYTES: number = 16 * 1024;
const MAX_CONNECTIONS = 256;

/** Maximum length of a Kubernetes object name. */
const MAX_NAME_LENGTH = 253;

/** The rate limit of all senders together, checked before anything is read, so that no sender can overload the controller. */
const ALL: Rate = { maxTokens: 100, refillPeriodMs: 2_000 };

/** The rate limit of one source's signed deliveries, which no other sender can use up. */
const OF_SOURCE: Rate = { maxTokens: 10, refillPeriodMs: 20_000 };
const MAX_SOURCES = 10_000;

const MAX_SEEN = 10_000;
const SEEN_MS: number = 60 * 60 * 1000;

/**
 * The delay of a refusal after the request arrived, in milliseconds: long enough for any secret lookup, so that the time does not reveal whether
 * the source exists.
 */
const REFUSAL_MS = 1_000;

/** The result of a request, for metrics. */
export type DeliveryResult =
  | 'accepted'
  | 'ping'
  | 'replayed'
  | 'refused'
  | 'limited'
  | 'tooLarge'
  | 'notFound'
  | 'failed';

export interface ReceiverOptions {
  readonly host: string;
  /** The port to listen on; 0 picks a free one. */
  readonly port: number;
  /** Finds the secret of a source; undefined when the source does not exist or accepts no webhooks. */
  readonly secret: (source: SourceName, signal: AbortSignal) => Promise<string | undefined>;
  /** Schedules a reconcile of the source; never waits. */
  readonly enqueue: (source: SourceName) => void;
  readonly clock: Clock;
  /** Writes a log line. Of a request it contains only the source, and only if that exists. */
  readonly log: (level: 'debug' | 'warn', message: string, source?: SourceName) => void;
  readonly onDelivery?: (result: DeliveryResult) => void;
  /** Default {@link REFUSAL_MS}; for tests. */
  readonly refusalMs?: number;
  /** For tests. */
  readonly timeouts?: { readonly headersMs: number; readonly requestMs: number; readonly checkMs: number };
}

export interface SourceName {
  readonly namespace: string;
  readonly name: string;
}

export interface Receiver {
  readonly address: AddressInfo;
  /** Stops listening and closes connections: forges retry, and the source is polled anyway. */
  close(): Promise<void>;
}

/** @throws when the address cannot be bound */
export async function startReceiver(options: ReceiverOptions): Promise<Receiver> {
  const hooks = new Hooks(options);
  const { headersMs = HEADERS_TIMEOUT_MS, requestMs = REQUEST_TIMEOUT_MS, checkMs = 1_000 } = options.timeouts ?? {};
  const app = Fastify({
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: requestMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: true,
    routerOptions: { maxParamLength: MAX_NAME_LENGTH },
    http: { maxHeaderSize: MAX_HEADER_BYTES, headersTimeout: headersMs, connectionsCheckingInterval: checkMs },
  });
  app.server.maxConnections = MAX_CONNECTIONS;
  app.addHook('onRequest', (request, reply, done) => {
    const refusal = hooks.findRefusal(request.raw);
    if (refusal === undefined) done();
    else hooks.send(reply, refusal);
  });
  // The connection is closed: unread data of the request would be parsed as the next request.
  app.addHook('onResponse', async ({ raw }) => {
    if (!raw.complete) raw.destroy();
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.post('/hook/:namespace/:name', (request: FastifyRequest<Hook>, reply) => hooks.receive(request, reply));
  // Only connection errors and bugs arrive here; the response reveals nothing about them.
  app.setErrorHandler(({ statusCode }: FastifyError, _request, reply) =>
    hooks.send(reply, statusCode === TOO_LARGE.status ? TOO_LARGE : FAILED),
  );
  await app.listen({ host: options.host, port: options.port });
  return {
    address: app.server.address() as AddressInfo,
    async close() {
      hooks.close();
      await app.close();
    },
  };
}

interface Hook {
  readonly Params: SourceName;
  readonly Body: Buffer | undefined;
}

/** Kubernetes names, neither decoded nor followed by anything. */
const PATH = /^\/hook\/[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?\/[a-z0-9](?:[-.a-z0-9]{0,251}[a-z0-9])?$/;

interface WebhookResponse {
  readonly status: number;
  readonly result: DeliveryResult;
  readonly headers?: { readonly [name: string]: string };
}

const ACCEPTED: WebhookResponse = { status: 202, result: 'accepted' };
const REPLAYED: WebhookResponse = { status: 200, result: 'replayed' };
const PING: WebhookResponse = { status: 200, result: 'ping' };
/** The response to a request for an unknown source, for a source without webhooks, and with a wrong or missing signature: all three look the same. */
const REFUSED: WebhookResponse = { status: 401, result: 'refused' };
const BAD_HOST: WebhookResponse = { status: 400, result: 'refused', headers: { connection: 'close' } };
const NOT_POST: WebhookResponse = { status: 405, result: 'notFound', headers: { allow: 'POST', connection: 'close' } };
const NOT_FOUND: WebhookResponse = { status: 404, result: 'notFound', headers: { connection: 'close' } };
/** The rest of the body is not read, so the connection is closed. */
const TOO_LARGE: WebhookResponse = { status: 413, result: 'tooLarge', headers: { connection: 'close' } };
const FAILED: WebhookResponse = { status: 500, result: 'failed' };

function createLimitedResponse(waitMs: number): WebhookResponse {
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
  return { status: 429, result: 'limited', headers: { 'retry-after': String(seconds), connection: 'close' } };
}

class Hooks {
  readonly #options: ReceiverOptions;
  readonly #all = new TokenBuckets(ALL, 1);
  readonly #ofSource = new TokenBuckets(OF_SOURCE, MAX_SOURCES);
  readonly #seen = new ReplayCache(MAX_SEEN, SEEN_MS);
  readonly #closing = new AbortController();

  constructor(options: ReceiverOptions) {
    this.#options = options;
  }

  close(): void {
    this.#closing.abort();
  }

  /** The response to a request that is refused without reading its body; undefined when the body has to be read. */
  findRefusal({ rawHeaders, method, url = '' }: IncomingMessage): WebhookResponse | undefined {
    if (validateHost(rawHeaders) !== undefined) return BAD_HOST;
    if (method !== 'POST') return NOT_POST;
    const wait = this.#all.take('', this.#options.clock.now());
    if (wait > 0) return createLimitedResponse(wait);
    // The path as it was sent: the router would decode it.
    return PATH.test(url.split('?', 1)[0] ?? '') ? undefined : NOT_FOUND;
  }

  async receive({ params, raw, body }: FastifyRequest<Hook>, reply: FastifyReply): Promise<FastifyReply> {
    return this.send(reply, await this.#handleDelivery(params, raw, body ?? Buffer.alloc(0)));
  }

  send(reply: FastifyReply, { status, result, headers }: WebhookResponse): FastifyReply {
    this.#options.onDelivery?.(result);
    return reply
      .code(status)
      .headers({ 'cache-control': 'no-store', ...headers })
      .send();
  }

  async #handleDelivery(source: SourceName, { headers }: IncomingMessage, body: Buffer): Promise<WebhookResponse> {
    const { clock, enqueue, log } = this.#options;
    const findRefusal = this.#refusalTime();
    const secret = await Promise.race([this.#readSecret(source), findRefusal.promise]);
    const proof = readProof(headers);
    if (!isProven(proof, body, secret, clock.date().getTime())) {
      await findRefusal.promise;
      return REFUSED;
    }
    findRefusal.cancel();
    const id = `${source.namespace}/${source.name}`;
    const now = clock.now();
    const keys = listDeliveryKeys(id, headers, proof, body);
    if (this.#seen.has(keys, now)) return REPLAYED;
    const wait = this.#ofSource.take(id, now);
    if (wait > 0) return createLimitedResponse(wait);
    this.#seen.add(keys, now);
    if (isPing(headers)) return PING;
    enqueue(source);
    log('debug', 'a webhook requests a fetch of the repository', source);
    return ACCEPTED;
  }

  /** The secret of a source. A failed lookup counts as a missing secret; the reason is in the log, and not in the response. */
  async #readSecret(source: SourceName): Promise<string | undefined> {
    try {
      return (await this.#options.secret(source, this.#closing.signal))?.trim();
    } catch (error) {
      if (!this.#closing.signal.aborted)
        this.#options.log('warn', `the secret of a webhook cannot be read: ${(error as Error).message}`, source);
      return undefined;
    }
  }

  #refusalTime(): { readonly promise: Promise<undefined>; readonly cancel: () => void } {
    const { clock, refusalMs = REFUSAL_MS } = this.#options;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const cancel = clock.after(refusalMs, () => resolve(undefined));
    return { promise, cancel };
  }
}
