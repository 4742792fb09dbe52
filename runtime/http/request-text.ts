/** One request whose whole answer is wanted as text: documents of identity providers, token endpoints. */
import type { IncomingHttpHeaders } from 'node:http';
import { AddressRefusedError } from './address-policy.ts';
import type { HttpClient } from './client.ts';
import { codeOf, isNotHttp } from './connection-failure.ts';
import { type Exchange, startExchange, targetOf } from './exchange.ts';
import { TrustError } from './trust.ts';

export interface TextRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface TextLimits {
  /** Ceiling on the body of the answer, in bytes. */
  readonly maxBytes: number;
  /** For all of it, from the first attempt to connect to the last byte; milliseconds. */
  readonly timeoutMs: number;
}

/** An answer with any status. A redirect to another origin is one, too: see `startExchange`. */
export interface TextAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type RequestFailure =
  | 'address_refused'
  | 'connection_failed'
  | 'not_http'
  | 'not_utf8'
  | 'timeout'
  | 'too_large'
  | 'untrusted';

/** No complete answer. The message names scheme, host, port, path and cause: never a query, a header or a body. */
export class RequestError extends Error {
  readonly reason: RequestFailure;
  constructor(reason: RequestFailure, url: URL, cause: string) {
    super(`${url.origin}${url.pathname}: ${cause}`);
    this.name = 'RequestError';
    this.reason = reason;
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Sends a request and reads the answer to its end.
 *
 * @throws RequestError
 */
export function requestText(
  client: HttpClient,
  { method, url, headers, body }: TextRequest,
  { maxBytes, timeoutMs }: TextLimits,
): Promise<TextAnswer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    let head: Pick<TextAnswer, 'status' | 'headers'> | undefined;
    const fail = (reason: RequestFailure, cause: string): void => {
      clearTimeout(timer);
      exchange.abort();
      reject(new RequestError(reason, url, cause));
    };
    const timer = setTimeout(() => fail('timeout', `no complete answer within ${timeoutMs} ms`), timeoutMs);
    const exchange: Exchange = startExchange(
      client.requests,
      {
        target: targetOf(url),
        method,
        headers: Object.entries(headers).flat(),
        ...(body === undefined ? {} : { body }),
      },
      {
        head(status, answered) {
          head = { status, headers: answered };
        },
        data(chunk) {
          length += chunk.length;
          if (length > maxBytes) fail('too_large', `the answer has more than ${maxBytes} bytes`);
          else chunks.push(chunk);
        },
        end() {
          clearTimeout(timer);
          const { status, headers: answered } = head as NonNullable<typeof head>;
          try {
            resolve({ status, headers: answered, body: UTF8.decode(Buffer.concat(chunks, length)) });
          } catch {
            reject(new RequestError('not_utf8', url, 'the answer is not UTF-8'));
          }
        },
        failed(error) {
          if (error instanceof AddressRefusedError) fail('address_refused', error.message);
          else if (error instanceof TrustError) fail('untrusted', error.message);
          else if (isNotHttp(error)) fail('not_http', 'what it answered is not HTTP');
          else fail('connection_failed', `the connection failed (${codeOf(error)})`);
        },
      },
    );
  });
}
