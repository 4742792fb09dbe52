/** Calls to a forge's REST API: with limits on time and size, and without following links to another origin. */

import { Agent, type Dispatcher } from 'undici';
import { LinkedAbort } from '#shared/util';
import { ForgeError, type ForgeFailure } from './forge-error.ts';

/** Timeout of one call, in milliseconds. */
const CALL_TIMEOUT_MS = 15_000;

const CONNECT_TIMEOUT_MS = 10_000;

/** Limit on one response, in bytes: a page of the longest comments. */
const MAX_ANSWER_BYTES: number = 16 * 1024 * 1024;

/** Maximum number of pages of a list, each with a hundred items. */
const MAX_PAGES = 50;

/** The longest accepted `Retry-After`, in milliseconds. */
const MAX_RETRY_AFTER_MS: number = 60 * 60 * 1000;

/** GitHub's documented wait for a refusal without `Retry-After`. */
const DEFAULT_RETRY_AFTER_MS = 60_000;

const CONNECTIONS = 4;

export interface ApiOptions {
  /** Root of the API, without a trailing slash. */
  readonly root: string;
  /** Including the token. */
  readonly headers: { readonly [name: string]: string };
  /** Certificate authorities as PEM, replacing the defaults. */
  readonly authorities?: string | undefined;
  /** Default 15 seconds. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Relative to the root, such as `/repos/a/b`, already encoded; may include a query. */
  readonly path: string;
  readonly body?: object;
  /** For messages, such as `set the status of a commit`. */
  readonly what: string;
}

interface ForgeResponse {
  readonly status: number;
  readonly headers: Dispatcher.ResponseData['headers'];
  readonly json: unknown;
}

export class ForgeApi {
  readonly #options: ApiOptions;
  readonly #agent: Agent;

  constructor(options: ApiOptions) {
    this.#options = options;
    const { authorities } = options;
    this.#agent = new Agent({
      connections: CONNECTIONS,
      connect: { timeout: CONNECT_TIMEOUT_MS, ...(authorities === undefined ? {} : { ca: authorities }) },
      maxResponseSize: MAX_ANSWER_BYTES,
    });
  }

  /** @throws ForgeError */
  async call(call: Call, signal: AbortSignal): Promise<unknown> {
    return (await this.#send(call, this.#options.root + call.path, signal)).json;
  }

  /**
   * All items of a list, page after page, as `Link` (RFC 8288) says.
   *
   * @throws ForgeError, also when `Link` names another origin, which would receive the token
   */
  async list(call: Call, signal: AbortSignal): Promise<readonly unknown[]> {
    const items: unknown[] = [];
    let url: string | undefined = this.#options.root + call.path;
    for (let page = 0; url !== undefined && page < MAX_PAGES; page += 1) {
      const { json, headers }: ForgeResponse = await this.#send(call, url, signal);
      if (!Array.isArray(json))
        throw new ForgeError('unexpected', `${this.#formatCannot(call)}: the answer is not a list`);
      items.push(...json);
      url = findNextPage(headers.link, url);
      if (url !== undefined && new URL(url).origin !== new URL(this.#options.root).origin)
        throw new ForgeError('unexpected', `${this.#formatCannot(call)}: the next page is at another host`);
    }
    return items;
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  async #send(call: Call, url: string, signal: AbortSignal): Promise<ForgeResponse> {
    signal.throwIfAborted();
    const { headers, timeoutMs = CALL_TIMEOUT_MS } = this.#options;
    const { origin, pathname, search } = new URL(url);
    using limit = new LinkedAbort([signal], timeoutMs);
    try {
      const {
        statusCode,
        headers: answered,
        body,
      } = await this.#agent.request({
        origin,
        path: pathname + search,
        method: call.method,
        headers: {
          accept: 'application/json',
          'user-agent': 'lintel-controller',
          ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        body: call.body === undefined ? null : JSON.stringify(call.body),
        signal: limit.signal,
      });
      const text = await body.text();
      if (statusCode >= 200 && statusCode < 300)
        return { status: statusCode, headers: answered, json: this.#parseJson(call, text) };
      throw this.#createRefusal(call, statusCode, answered, text);
    } catch (error) {
      if (error instanceof ForgeError) throw error;
      signal.throwIfAborted();
      // The cause is not in the message, because it may contain request data.
      const why = limit.isLate ? `no answer within ${timeoutMs / 1000} s` : readReason(error);
      throw new ForgeError('unavailable', `${this.#formatCannot(call)}: ${why}`, { cause: error });
    }
  }

  #parseJson(call: Call, text: string): unknown {
    if (text === '') return undefined;
    try {
      return JSON.parse(text);
    } catch {
      throw new ForgeError(
        'unexpected',
        `${this.#formatCannot(call)}: the answer is not JSON; check whether the URL is the root of an API`,
      );
    }
  }

  #createRefusal(call: Call, status: number, headers: ForgeResponse['headers'], text: string): ForgeError {
    const detail = readDetail(text);
    const retryAfterMs = this.#retryAfterMs(status, headers, detail);
    const failure = toFailure(status, retryAfterMs !== undefined);
    const message = `${this.#formatCannot(call)}: ${ADVICE[failure] ?? 'the forge refuses the request'} (${status})`;
    return new ForgeError(failure, message, { status, detail, retryAfterMs });
  }

  /**
   * How long to wait after a refusal because of a rate limit; undefined for other refusals. GitHub also uses 403 for rate limits, marked by a header
   * or in the text.
   */
  #retryAfterMs(status: number, headers: ForgeResponse['headers'], detail: string): number | undefined {
    const [after, left, reset] = ['retry-after', 'x-ratelimit-remaining', 'x-ratelimit-reset'].map(name =>
      getFirstHeader(headers[name]),
    );
    const isSpent = left === '0' || getFirstHeader(headers['ratelimit-remaining']) === '0';
    const isAboutRate =
      status === 429 || (status === 403 && (after !== undefined || isSpent || /rate limit/i.test(detail)));
    if (!isAboutRate && !(status >= 500 && after !== undefined)) return undefined;
    const now = this.#options.now();
    const at = reset ?? getFirstHeader(headers['ratelimit-reset']);
    const waits = [parseSecondsOrDate(after, now), isSpent && at !== undefined ? Number(at) * 1000 - now : undefined];
    const wait = waits.find(ms => ms !== undefined && Number.isFinite(ms)) ?? DEFAULT_RETRY_AFTER_MS;
    return Math.min(Math.max(wait, 1000), MAX_RETRY_AFTER_MS);
  }

  #formatCannot({ what }: Call): string {
    return `the forge at ${new URL(this.#options.root).host} did not ${what}`;
  }
}

const ADVICE: { readonly [F in ForgeFailure]?: string } = {
  unauthorized: 'the token is not valid; put a valid token under "token" of the Secret',
  forbidden: 'the token lacks the permission; grant the permission, or use another token',
  notFound:
    'the repository or the commit does not exist, or the token may not see it; check the URL of the repository and the permissions of the token',
  rateLimited: 'the forge received too many requests',
  unavailable: 'the forge has an internal error',
};

function toFailure(status: number, isAboutRate: boolean): ForgeFailure {
  if (status >= 500) return 'unavailable';
  if (isAboutRate) return 'rateLimited';
  if (status === 401) return 'unauthorized';
  if (status === 403) return 'forbidden';
  if (status === 404 || status === 410) return 'notFound';
  return 'invalid';
}

/** `Retry-After`: seconds, or a date (RFC 9110, section 10.2.3). */
function parseSecondsOrDate(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : date - now;
}

function getFirstHeader(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}

/** The target of `rel="next"`. */
function findNextPage(header: string | string[] | undefined, from: string): string | undefined {
  const text = Array.isArray(header) ? header.join(',') : (header ?? '');
  for (const [, target = '', parameters = ''] of text.matchAll(/<([^>]*)>([^<]*)/g)) {
    if (/;\s*rel="?[^";]*\bnext\b/i.test(parameters) && URL.canParse(target, from)) return new URL(target, from).href;
  }
  return undefined;
}

/** The text in a forge's `message` or `error`, which may have another type. */
function readDetail(text: string): string {
  try {
    const { message, error } = JSON.parse(text) as { message?: unknown; error?: unknown };
    const reason = message ?? error ?? '';
    return (typeof reason === 'string' ? reason : JSON.stringify(reason)).slice(0, 500);
  } catch {
    return '';
  }
}

/** The system's or TLS's error code: enough to look it up, without request data. */
function readReason(error: unknown): string {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
  const known = typeof cause?.code === 'string' ? cause.code : code;
  return typeof known === 'string' ? `it cannot be reached (${known})` : 'it cannot be reached';
}
