/** Sends one request and returns the complete answer as bytes. `request-text.ts` does the same for text. */
import type { IncomingHttpHeaders } from 'node:http';
import { AddressRefusedError } from './address-refused-error.ts';
import { TrustError } from './authority-file.ts';
import type { HttpClient } from './client.ts';
import { isNotHttp, readErrorCode } from './connection-failure.ts';
import { type Exchange, getHeader, startExchange, toHttpTarget } from './exchange.ts';

export interface WholeRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface ResponseLimits {
  /** Limit on the body of the answer, in bytes. */
  readonly maxBytes: number;
  /** Time limit from the first attempt to connect to the last byte; milliseconds. */
  readonly timeoutMs: number;
  /** Aborts the request. */
  readonly signal?: AbortSignal;
}

/** An answer with any status, including a redirect to another origin: see `startExchange`. */
export interface BytesResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export type RequestFailure =
  | 'aborted'
  | 'address_refused'
  | 'connection_failed'
  | 'not_http'
  | 'not_utf8'
  | 'timeout'
  | 'too_large'
  | 'untrusted';

/** There is no complete answer. The message names scheme, host, port, path and cause: never a query, a header or a body. */
export class RequestError extends Error {
  readonly reason: RequestFailure;
  constructor(reason: RequestFailure, url: URL, cause: string) {
    super(`${url.origin}${url.pathname}: ${cause}`);
    this.name = 'RequestError';
    this.reason = reason;
  }
}

/**
 * Sends a request and reads the answer to its end.
 *
 * @throws RequestError
 */
export function requestBytes(
  client: HttpClient,
  { method, url, headers, body }: WholeRequest,
  { maxBytes, timeoutMs, signal }: ResponseLimits,
): Promise<BytesResponse> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => fail('aborted', 'given up');
    if (signal?.aborted === true) {
      reject(new RequestError('aborted', url, 'given up'));
      return;
    }
    const chunks: Buffer[] = [];
    let length = 0;
    let head: Pick<BytesResponse, 'status' | 'headers'> | undefined;
    const settle = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', giveUp);
    };
    const fail = (reason: RequestFailure, cause: string): void => {
      settle();
      exchange.abort();
      reject(new RequestError(reason, url, cause));
    };
    const tooLarge = (): void => fail('too_large', `the answer has more than ${maxBytes} bytes`);
    const timer = setTimeout(() => fail('timeout', `no complete answer within ${timeoutMs} ms`), timeoutMs);
    signal?.addEventListener('abort', giveUp, { once: true });
    const exchange: Exchange = startExchange(
      client.requests,
      {
        target: toHttpTarget(url),
        method,
        headers: Object.entries(headers).flat(),
        ...(body === undefined ? {} : { body }),
      },
      {
        head(status, answered) {
          head = { status, headers: answered };
          if (Number(getHeader(answered, 'content-length')) > maxBytes) tooLarge();
        },
        data(chunk) {
          length += chunk.length;
          if (length > maxBytes) tooLarge();
          else chunks.push(chunk);
        },
        end() {
          settle();
          resolve({ ...(head as NonNullable<typeof head>), body: Buffer.concat(chunks, length) });
        },
        failed(error) {
          if (error instanceof AddressRefusedError) fail('address_refused', error.message);
          else if (error instanceof TrustError) fail('untrusted', error.message);
          else if (isNotHttp(error)) fail('not_http', 'the answer is not HTTP');
          else fail('connection_failed', `the connection failed (${readErrorCode(error)})`);
        },
      },
    );
  });
}
