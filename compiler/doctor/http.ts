/** Sends requests as an MCP client would, with limits and readable errors. */
import { findRefusedHost, VERSION } from '#schemas';
import { redactUrl } from '../analysis/exposure/redact-url.ts';
import { describeFetchError } from '../diagnostics/fetch-error.ts';

/** Limit on one answer, in bytes. */
const MAX_ANSWER_BYTES = 256 * 1024;

/** Maximum number of redirects. `fetch` itself would follow 20, which takes too long when redirects form a loop. */
const MAX_REDIRECTS = 5;

/** There was no answer. The message says why, and contains no secret. */
export class NoResponseError extends Error {
  override readonly name = 'NoResponseError';
}

export interface HttpRequest {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Whether to follow redirects, as clients do when they fetch documents, and only then. */
  readonly follows?: boolean;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Headers;
  /** Empty for an event stream. */
  readonly text: string;
}

export class HttpClient {
  readonly #timeoutMs: number;
  /** The host that the operator named, which may be at any address. */
  readonly #named: string;

  constructor(options: { readonly timeoutMs: number; readonly named: URL }) {
    this.#timeoutMs = options.timeoutMs;
    this.#named = options.named.host;
  }

  /** @throws NoResponseError */
  async send(
    url: URL,
    { method = 'GET', headers = {}, body, follows = false }: HttpRequest = {},
  ): Promise<HttpResponse> {
    let at = url;
    for (let remaining = MAX_REDIRECTS; remaining >= 0; remaining--) {
      const answer = await this.#fetchOnce(at, { method, headers, body: body ?? null });
      const location = answer.headers.get('location');
      if (!follows || answer.status < 300 || answer.status > 399 || location === null) return answer;
      const next = URL.parse(location, at.href);
      if (next === null) return answer;
      at = next;
    }
    throw new NoResponseError(`${redactUrl(url.href)} redirects more than ${MAX_REDIRECTS} times`);
  }

  async #fetchOnce(url: URL, init: { method: string; headers: object; body: string | null }): Promise<HttpResponse> {
    const shown = redactUrl(url.href);
    if (!/^https?:$/.test(url.protocol)) throw new NoResponseError(`${shown} is not an http or https URL`);
    // Requests to URLs that a server names come from the operator's machine: none may reach that machine's credentials.
    const refusal = url.host === this.#named ? undefined : findRefusedHost(url.hostname, 'any');
    if (refusal !== undefined) throw new NoResponseError(`${shown} is not asked: ${refusal}`);
    try {
      const response = await fetch(url, {
        method: init.method,
        headers: { 'user-agent': `lintel-doctor/${VERSION}`, accept: 'application/json', ...init.headers },
        ...(init.body === null ? {} : { body: init.body }),
        redirect: 'manual',
        signal: AbortSignal.timeout(this.#timeoutMs),
      });
      const { status, headers } = response;
      return { status, headers, text: await readBodyText(response) };
    } catch (error) {
      throw new NoResponseError(`${shown} does not answer: ${describeFetchError(error, url, this.#timeoutMs)}`);
    }
  }
}

async function readBodyText(response: Response): Promise<string> {
  const { body, headers } = response;
  if (body === null) return '';
  if (/^text\/event-stream\b/i.test(headers.get('content-type') ?? '')) {
    await body.cancel();
    return '';
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > MAX_ANSWER_BYTES) throw new Error(`its answer has more than ${MAX_ANSWER_BYTES / 1024} KiB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
