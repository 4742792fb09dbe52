/** Fetches documents of upstream registries and files over HTTP. */

import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { VERSION } from '#schemas';
import type { HttpClient } from '../../http/client.ts';
import { getHeader } from '../../http/exchange.ts';
import { type BytesResponse, type ResponseLimits, requestBytes } from '../../http/request-bytes.ts';
import { ReadingError } from './reading.ts';

export interface FetchedDocument {
  readonly status: 200 | 304;
  readonly headers: IncomingHttpHeaders;
  /** The decompressed body; empty for 304. */
  readonly body: Buffer;
}

const unzip = promisify(gunzip);

export interface DocumentRequest {
  readonly url: URL;
  /** Headers that authenticate the request. Redirects to other origins are not followed, so no other server gets them. */
  readonly credentials?: Readonly<Record<string, string>>;
  /** Headers of a conditional request; only a request with such headers may be answered with 304. */
  readonly conditions?: Readonly<Record<string, string>>;
}

/**
 * Fetches a whole document. The limit on bytes applies to the received and to the decompressed bytes.
 * @throws ReadingError, RequestError
 */
export async function fetchDocument(
  client: HttpClient,
  { url, credentials = {}, conditions = {} }: DocumentRequest,
  limits: ResponseLimits,
): Promise<FetchedDocument> {
  const headers = {
    accept: 'application/json',
    'accept-encoding': 'gzip',
    'user-agent': `lintel/${VERSION}`,
    ...credentials,
    ...conditions,
  };
  const answer = await requestBytes(client, { method: 'GET', url, headers }, limits);
  const { status } = answer;
  if (status === 304 && Object.keys(conditions).length > 0)
    return { status, headers: answer.headers, body: Buffer.alloc(0) };
  if (status !== 200) {
    const remark = remarkOn(answer, url, Object.keys(credentials).length > 0);
    throw new ReadingError(formatLocation(url), `it answered ${status}${remark}`);
  }
  return { status, headers: answer.headers, body: await decodeBody(answer, url, limits.maxBytes) };
}

/** A URL for messages: without user, query and fragment, which can hold secrets. */
export function formatLocation({ origin, pathname }: URL): string {
  return origin + pathname;
}

/** The location of a fetched document for messages; with its media type unless that is JSON, so that a person sees if it is an HTML page. */
export function formatFinalLocation(url: URL, headers: IncomingHttpHeaders): string {
  const type = getHeader(headers, 'content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const isShown = /^[a-z]+\/[a-z0-9.+-]{1,60}$/.test(type) && !type.endsWith('json');
  return formatLocation(url) + (isShown ? ` (${type})` : '');
}

/** A hint for operators about an HTTP status, for a message. */
function remarkOn({ status, headers }: Omit<BytesResponse, 'body'>, url: URL, hasCredentials: boolean): string {
  if (status === 401 || status === 403)
    return hasCredentials
      ? '; it does not accept the credentials of the source'
      : '; the source has no credentials (auth)';
  if (status < 300 || status > 399 || status === 304) return '';
  const location = getHeader(headers, 'location');
  const target = location === undefined ? null : URL.parse(location, url.href);
  if (target === null || !/^https?:$/.test(target.protocol)) return ', a redirect without a valid address';
  const why =
    target.origin === url.origin
      ? 'more than three redirects are not followed'
      : 'redirects to another origin are not followed: configure the other address';
  return ` and leads to ${formatLocation(target)}; ${why}`;
}

async function decodeBody(
  { headers, body }: Omit<BytesResponse, 'status'>,
  url: URL,
  maxBytes: number,
): Promise<Buffer> {
  const coding = getHeader(headers, 'content-encoding')?.trim().toLowerCase() ?? '';
  if (coding === '' || coding === 'identity') return body;
  if (coding !== 'gzip' && coding !== 'x-gzip')
    throw new ReadingError(formatLocation(url), 'the answer has a content coding that was not asked for');
  try {
    return await unzip(body, { maxOutputLength: maxBytes });
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    const cause = isTooLarge
      ? `the answer unpacks to more than ${maxBytes} bytes`
      : 'the answer is not whole gzip data';
    throw new ReadingError(formatLocation(url), cause);
  }
}
