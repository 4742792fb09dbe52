/**
 * Receives webhooks of forges: `POST /hook/<namespace>/<name>`. What is in a delivery is neither trusted nor read: one that is signed
 * with the source's secret has the source looked at now, and no later than its interval would.
 */

import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import Fastify, { type FastifyError, type FastifyReply, type FastifyRequest } from 'fastify';
import { validateHost } from '#schemas';
import { type Rate, TokenBuckets } from '#util';
import type { Clock } from '../kube/clock.ts';
import { deliveryKeys, isPing } from './delivery.ts';
import { ReplayCache } from './replay-cache.ts';
import { isProven, readProof } from './signature.ts';

/** Longest body, in bytes. */
export const MAX_BODY_BYTES: number = 1024 * 1024;

/** For slow senders, in milliseconds: until the headers are in, and until everything is. */
const HEADERS_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 5_000;

const MAX_HEADER_BYTES: number = 16 * 1024;
const MAX_CONNECTIONS = 256;

/** The longest name of an object in Kubernetes. */
const MAX_NAME_LENGTH = 253;

/** The limit of all senders together, before anything is read, so that no sender keeps the controller busy. */
const ALL: Rate = { maxTokens: 100, refillPeriodMs: 2_000 };

/** The limit of one source, for deliveries that are signed: no other sender can use it up. */
const OF_SOURCE: Rate = { maxTokens: 10, refillPeriodMs: 20_000 };
const MAX_SOURCES = 10_000;

const MAX_SEEN = 10_000;
const SEEN_MS: number = 60 * 60 * 1000;

/**
 * When a refusal is answered, in milliseconds after the request has come in: late enough that every secret is looked up by then. Sooner
 * would tell whether there is such a source.
 */
const REFUSAL_MS = 1_000;

/** What became of a request; for metrics. */
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
  /** 0 picks a free one. */
  readonly port: number;
  /** The secret of a source; undefined when there is no such source, or it takes no webhooks. */
  readonly secret: (source: SourceName, signal: AbortSignal) => Promise<string | undefined>;
  /** Has the source looked at soon; never waits. */
  readonly enqueue: (source: SourceName) => void;
  readonly clock: Clock;
  /** Nothing of a request but its source, once that is known to be real. */
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
  /** Stops listening and breaks what is open: forges deliver again, and the interval comes anyway. */
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
    const refusal = hooks.refusal(request.raw);
    if (refusal === undefined) done();
    else hooks.send(reply, refusal);
  });
  // What was not read would be taken for the next request.
  app.addHook('onResponse', async ({ raw }) => {
    if (!raw.complete) raw.destroy();
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.post('/hook/:namespace/:name', (request: FastifyRequest<Hook>, reply) => hooks.receive(request, reply));
  // Only the sender's connection fails here, and what is unforeseen: nothing about either goes out.
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

/** Names as Kubernetes has them, neither decoded nor with anything behind. */
const PATH = /^\/hook\/[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?\/[a-z0-9](?:[-.a-z0-9]{0,251}[a-z0-9])?$/;

interface Answer {
  readonly status: number;
  readonly result: DeliveryResult;
  readonly headers?: { readonly [name: string]: string };
}

const ACCEPTED: Answer = { status: 202, result: 'accepted' };
const REPLAYED: Answer = { status: 200, result: 'replayed' };
const PING: Answer = { status: 200, result: 'ping' };
/** The same for an unknown source, one without webhooks, and a signature that is wrong or missing. */
const REFUSED: Answer = { status: 401, result: 'refused' };
const BAD_HOST: Answer = { status: 400, result: 'refused', headers: { connection: 'close' } };
const NOT_POST: Answer = { status: 405, result: 'notFound', headers: { allow: 'POST', connection: 'close' } };
const NOT_FOUND: Answer = { status: 404, result: 'notFound', headers: { connection: 'close' } };
/** What is still to come is not read: the connection ends. */
const TOO_LARGE: Answer = { status: 413, result: 'tooLarge', headers: { connection: 'close' } };
const FAILED: Answer = { status: 500, result: 'failed' };

function limited(waitMs: number): Answer {
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

  /** What is refused without a look at its body. */
  refusal({ rawHeaders, method, url = '' }: IncomingMessage): Answer | undefined {
    if (validateHost(rawHeaders) !== undefined) return BAD_HOST;
    if (method !== 'POST') return NOT_POST;
    const wait = this.#all.take('', this.#options.clock.now());
    if (wait > 0) return limited(wait);
    // As it was sent: the router decodes.
    return PATH.test(url.split('?', 1)[0] ?? '') ? undefined : NOT_FOUND;
  }

  async receive({ params, raw, body }: FastifyRequest<Hook>, reply: FastifyReply): Promise<FastifyReply> {
    return this.send(reply, await this.#delivered(params, raw, body ?? Buffer.alloc(0)));
  }

  send(reply: FastifyReply, { status, result, headers }: Answer): FastifyReply {
    this.#options.onDelivery?.(result);
    return reply
      .code(status)
      .headers({ 'cache-control': 'no-store', ...headers })
      .send();
  }

  async #delivered(source: SourceName, { headers }: IncomingMessage, body: Buffer): Promise<Answer> {
    const { clock, enqueue, log } = this.#options;
    const refusal = this.#refusalTime();
    const secret = await Promise.race([this.#readSecret(source), refusal.promise]);
    const proof = readProof(headers);
    if (!isProven(proof, body, secret, clock.date().getTime())) {
      await refusal.promise;
      return REFUSED;
    }
    refusal.cancel();
    const id = `${source.namespace}/${source.name}`;
    const now = clock.now();
    const keys = deliveryKeys(id, headers, proof, body);
    if (this.#seen.has(keys, now)) return REPLAYED;
    const wait = this.#ofSource.take(id, now);
    if (wait > 0) return limited(wait);
    this.#seen.add(keys, now);
    if (isPing(headers)) return PING;
    enqueue(source);
    log('debug', 'a webhook asks for a look at the repository', source);
    return ACCEPTED;
  }

  /** What cannot be looked up is as good as not there; the log has why, and the sender has not. */
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
