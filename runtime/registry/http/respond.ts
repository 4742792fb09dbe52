/** Answers of the main address: prepared bytes, and errors in the form of the official registry. */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import type { AuthenticationError } from '../../auth/incoming/authenticator.ts';
import { discardBody } from '../../http/read-body.ts';
import { respondJson } from '../../http/respond.ts';
import type { PreparedBody } from '../api.ts';
import { type Coding, parseAcceptedCodings } from './content-coding.ts';
import { isKnownToClient } from './entity-tag.ts';

/** Maximum number of body bytes that the server reads and ignores. No route needs a body. */
const MAX_BODY_BYTES = 64 * 1024;

/** When a client may try again after a 503, in seconds. */
const RETRY_AFTER_SECONDS = 30;

/** The cache headers of an answer. Caches may store the answer, but must revalidate it before each use. */
export interface CacheScope {
  readonly cacheControl: string;
  readonly vary: string;
}

/** For an answer that is the same for every client. */
export const CACHE_PUBLIC: CacheScope = { cacheControl: 'public, no-cache', vary: 'Accept-Encoding, Origin' };

/** For an answer that depends on the caller. */
export const CACHE_PRIVATE: CacheScope = {
  cacheControl: 'private, no-cache',
  vary: 'Accept-Encoding, Authorization, Origin',
};

/**
 * Answers a GET or HEAD with a prepared body: 200; 304 for a client that already has it; 406 for a client that accepts none of the content codings.
 */
export function respondPrepared(
  req: IncomingMessage,
  res: ServerResponse,
  body: PreparedBody,
  sharing: CacheScope,
): void | Promise<void> {
  const { best, acceptsPlain } = parseAcceptedCodings(req.headers['accept-encoding']);
  if (isKnownToClient(req.headers['if-none-match'], body.etag)) {
    respondUnchanged(res, formatTag(best ?? 'identity', body), sharing);
    return;
  }
  if (best === undefined) {
    respondError(req, res, 406, 'the client accepts no content coding that this server has', { Vary: sharing.vary });
    return;
  }
  const { coding, bytes } = encodeBody(body, best, acceptsPlain);
  if (bytes instanceof Promise) return bytes.then(done => send(req, res, done, coding, body, sharing));
  send(req, res, bytes, coding, body, sharing);
}

function encodeBody(
  body: PreparedBody,
  best: Coding,
  acceptsPlain: boolean,
): { readonly coding: Coding; readonly bytes: Buffer | Promise<Buffer> } {
  if (best === 'identity') return { coding: best, bytes: body.bytes };
  const bytes = body.encoded(best);
  if (bytes !== undefined) return { coding: best, bytes };
  if (acceptsPlain) return { coding: 'identity', bytes: body.bytes };
  // Compression saves nothing for such a small response, but the client does not accept the plain text.
  return { coding: best, bytes: ENCODERS[best](body.bytes) };
}

const ENCODERS = { br: promisify<Buffer, Buffer>(brotliCompress), gzip: promisify<Buffer, Buffer>(gzip) };

function send(
  req: IncomingMessage,
  res: ServerResponse,
  bytes: Buffer,
  coding: Coding,
  body: PreparedBody,
  { cacheControl, vary }: CacheScope,
): void {
  if (res.destroyed) return;
  const headers: OutgoingHttpHeaders = {
    'Content-Type': body.mediaType,
    'Content-Length': bytes.length,
    ETag: formatTag(coding, body),
    'Cache-Control': cacheControl,
    Vary: vary,
    'X-Content-Type-Options': 'nosniff',
  };
  if (coding !== 'identity') headers['Content-Encoding'] = coding;
  res.writeHead(200, headers);
  if (req.method === 'HEAD') res.end();
  else res.end(bytes);
}

function respondUnchanged(res: ServerResponse, etag: string, { cacheControl, vary }: CacheScope): void {
  if (res.destroyed) return;
  res.writeHead(304, { ETag: etag, 'Cache-Control': cacheControl, Vary: vary }).end();
}

/** The entity tag of an answer. A strong tag identifies exact bytes, so a compressed body gets a weak tag (RFC 9110, section 8.8.1). */
function formatTag(coding: Coding, { etag }: PreparedBody): string {
  return coding === 'identity' ? etag : `W/${etag}`;
}

/** Answers with `{"error": text}`. */
export function respondError(
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  text: string,
  headers?: OutgoingHttpHeaders,
): void {
  if (!req.complete) discardBody(req, MAX_BODY_BYTES);
  respondJson(res, status, JSON.stringify({ error: text }), headers);
}

/**
 * Refuses a caller that is not admitted. Malformed credentials get 401 like invalid ones, where RFC 6750 (section 3.1) recommends 400, because
 * clients of registries react to 401 only. The challenge still distinguishes the cases.
 */
export function respondUnauthorized(
  req: IncomingMessage,
  res: ServerResponse,
  { status, message, challenge }: AuthenticationError,
): void {
  respondError(req, res, status === 400 ? 401 : status, message, {
    ...(challenge !== undefined && { 'WWW-Authenticate': challenge }),
    ...(status === 503 && { 'Retry-After': RETRY_AFTER_SECONDS }),
  });
}
