/** Sends calls: with retries where safe and useful, limits on time and size, and the configured credentials. */
import type { Dispatcher } from 'undici';
import { LinkedAbort } from '#shared/util';
import type { Call } from './calls.ts';
import { type Clock, sleep, systemClock } from './clock.ts';
import type { KubeConfig } from './config.ts';
import { KubeConfigError } from './config-error.ts';
import { createResponseError, KubeError, type ServiceAccountName } from './kube-error.ts';
import { LineTooLongError, splitLines } from './lines.ts';
import type { RateLimit } from './rate-limit.ts';
import { parseWarnings, readText } from './read-answer.ts';
import { Transport } from './transport.ts';

/** Timeout of one attempt, in milliseconds. */
const CALL_TIMEOUT_MS = 30_000;

/** Limit on one response, in bytes. A page of 500 objects of etcd's maximum size exceeds the limit, and the error of the call then says so. */
const MAX_ANSWER_BYTES: number = 256 * 1024 * 1024;

/** Maximum number of bytes read of an error response. */
const MAX_REFUSAL_BYTES: number = 1024 * 1024;

/** Limit on one watch event, in bytes. Objects have at most about 1.5 MB in etcd; JSON with managed fields is longer. */
const MAX_EVENT_BYTES: number = 16 * 1024 * 1024;

/** Attempts of one call, and the wait before the second; it doubles each time. */
const TRIES = 5;
const FIRST_WAIT_MS = 200;

/** The longest wait within a call. If the server requests a longer one, the call fails, and the work queue tries again later. */
const LONGEST_WAIT_MS = 10_000;

export interface KubeClientOptions {
  /** Rate limit of calls; default none. Shared by all clients that `as` creates. */
  readonly rateLimit?: RateLimit;
  /** The `User-Agent` header, which audit logs show. */
  readonly userAgent: string;
  readonly clock?: Clock;
  /** Between 0 and 1; default `Math.random`. */
  readonly random?: () => number;
  /** Called after every attempt: the status code, or `<error>` without a response. */
  readonly onRequest?: (request: { readonly method: string; readonly host: string; readonly code: string }) => void;
  /** Called with each warning of the API server, such as that a version is deprecated. */
  readonly onWarning?: (text: string, call: string) => void;
  /** For tests; default 30 and 60 seconds. */
  readonly timeoutMs?: number;
}

type Parse<Answer> = (call: Call, text: string) => Answer;

export class CallSender {
  readonly random: () => number;
  readonly #config: KubeConfig;
  readonly #transport: Transport;
  readonly #options: KubeClientOptions;
  readonly #clock: Clock;
  readonly #account: ServiceAccountName | undefined;

  constructor(
    config: KubeConfig,
    options: KubeClientOptions,
    transport: Transport = new Transport(config),
    account?: ServiceAccountName,
  ) {
    this.#config = config;
    this.#options = options;
    this.#transport = transport;
    this.#clock = options.clock ?? systemClock;
    this.random = options.random ?? Math.random;
    this.#account = account;
  }

  /** The same connections, with the identity of a ServiceAccount. */
  as(account: ServiceAccountName): CallSender {
    return new CallSender(this.#config, this.#options, this.#transport, account);
  }

  async close(): Promise<void> {
    await this.#transport.close();
  }

  /**
   * Retries until the call succeeds or retrying is useless.
   * @throws KubeError, or the reason of the signal
   */
  async send<Answer>(call: Call, signal: AbortSignal | undefined, parse: Parse<Answer>): Promise<Answer> {
    for (let attempt = 1; ; attempt++) {
      await this.#options.rateLimit?.take(signal);
      try {
        return await this.#sendOnce(call, signal, parse);
      } catch (error) {
        signal?.throwIfAborted();
        if (!(error instanceof KubeError) || attempt === TRIES) throw error;
        if (error.failure === 'unauthorized' && attempt === 1) {
          // The token may have expired since it was read.
          this.#config.forget();
          continue;
        }
        const isWorthIt = error.isTransient && (call.isRepeatable || error.isUnsent);
        const waitMs = error.retryAfterMs ?? FIRST_WAIT_MS * 2 ** (attempt - 1) * (0.5 + this.random());
        if (!isWorthIt || waitMs > LONGEST_WAIT_MS) throw error;
        await sleep(this.#clock, waitMs, signal);
      }
    }
  }

  /**
   * The lines of a streaming response, each as JSON; without retries.
   * @throws KubeError, or the reason of the signal
   */
  async *stream(call: Call, signal: AbortSignal): AsyncGenerator<unknown> {
    await this.#options.rateLimit?.take(signal);
    const { body } = await this.#request(call, signal, true);
    // A reader that stops closes the connection, which is not an error.
    body.on('error', () => {});
    try {
      for await (const line of splitLines(body, MAX_EVENT_BYTES)) {
        yield JSON.parse(line);
      }
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof SyntaxError || error instanceof LineTooLongError)
        throw new KubeError(`an event cannot be read: ${error.message}`, { failure: 'unexpected', call: call.name });
      throw this.#toUnreached(call, error);
    } finally {
      body.destroy();
    }
  }

  async #sendOnce<Answer>(call: Call, signal: AbortSignal | undefined, parse: Parse<Answer>): Promise<Answer> {
    const timeoutMs = this.#options.timeoutMs ?? call.timeoutMs ?? CALL_TIMEOUT_MS;
    using limit = new LinkedAbort([signal], timeoutMs);
    try {
      const { body } = await this.#request(call, limit.signal, false);
      const text = await readText(body, MAX_ANSWER_BYTES);
      if (text === undefined) {
        const message = `the answer is longer than ${MAX_ANSWER_BYTES} bytes`;
        throw new KubeError(message, { failure: 'unexpected', call: call.name });
      }
      return parse(call, text);
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof KubeError || isOurs(error)) throw error;
      if (!limit.isLate) throw this.#toUnreached(call, error);
      const message = `no answer of ${this.#transport.origin} within ${timeoutMs} ms`;
      throw new KubeError(message, { failure: 'unavailable', call: call.name });
    }
  }

  /**
   * Sends a request, and returns its response if the response is a success.
   * @throws KubeError, and any connection error
   */
  async #request(call: Call, signal: AbortSignal, isStream: boolean): Promise<Dispatcher.ResponseData> {
    const { calls, streams, authorization } = await this.#transport.line();
    const { method, body } = call;
    const server = new URL(this.#config.server);
    const counted = { method, host: server.host };
    let answer: Dispatcher.ResponseData;
    try {
      answer = await (isStream ? streams : calls).request({
        origin: this.#transport.origin,
        path: server.pathname.replace(/\/$/, '') + call.path + formatQuery(call.query),
        method,
        headers: {
          accept: 'application/json',
          'user-agent': this.#options.userAgent,
          ...(body === undefined ? {} : { 'content-type': call.type ?? 'application/json' }),
          ...(authorization === undefined ? {} : { authorization }),
          ...buildImpersonation(this.#account),
        },
        body: body === undefined ? null : JSON.stringify(body),
        signal,
        ...(isStream ? { headersTimeout: CALL_TIMEOUT_MS } : {}),
      });
    } catch (error) {
      this.#options.onRequest?.({ ...counted, code: '<error>' });
      if (!isStream || signal.aborted) throw error;
      throw this.#toUnreached(call, error);
    }
    this.#options.onRequest?.({ ...counted, code: String(answer.statusCode) });
    for (const text of parseWarnings(answer.headers.warning)) this.#options.onWarning?.(text, call.name);
    if (answer.statusCode < 300) return answer;
    const text = (await readText(answer.body, MAX_REFUSAL_BYTES)) ?? '';
    const retryAfter = answer.headers['retry-after'];
    throw createResponseError(
      call.name,
      answer.statusCode,
      text,
      typeof retryAfter === 'string' ? retryAfter : undefined,
      this.#clock.date().getTime(),
      this.#account,
    );
  }

  /** Converts a connection error. Error texts of the HTTP library may contain parts of responses; its codes do not. */
  #toUnreached(call: Call, error: unknown): Error {
    if (isOurs(error)) return error;
    const code = readErrorCode(error);
    const message = `cannot reach ${this.#transport.origin}: ${code}`;
    return new KubeError(message, { failure: 'unavailable', call: call.name, isUnsent: UNSENT.has(code) });
  }
}

/** Failures before any data was sent. */
const UNSENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** The headers for acting as a ServiceAccount. Without explicit groups, the API server adds the default groups of ServiceAccounts. */
function buildImpersonation(account: ServiceAccountName | undefined): { readonly [name: string]: string } {
  if (account === undefined) return {};
  return { 'impersonate-user': `system:serviceaccount:${account.namespace}:${account.name}` };
}

function formatQuery(query: Call['query'] = {}): string {
  const set = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return set.length === 0 ? '' : `?${new URLSearchParams(set)}`;
}

function readErrorCode(error: unknown): string {
  const { code, cause } = (error ?? {}) as { readonly code?: unknown; readonly cause?: unknown };
  if (typeof code === 'string') return code;
  return cause === undefined ? 'unknown cause' : readErrorCode(cause);
}

/** Whether an error is about the configuration of the connection: its message is complete and used as it is. */
function isOurs(error: unknown): error is Error {
  return error instanceof KubeConfigError || error instanceof KubeError || error instanceof TypeError;
}
