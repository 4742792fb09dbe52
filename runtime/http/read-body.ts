import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';

/** Limit on a request body, in bytes. */
export const MAX_BODY_BYTES: number = 8 * 1024 * 1024;

/** Why a body could not be read. */
export type BodyFailure = 'too_large' | 'encoded' | 'not_utf8' | 'byte_order_mark' | 'aborted';

/** An unusable body. `aborted` needs no answer, because the client has disconnected. */
export class BodyError extends Error {
  readonly reason: BodyFailure;
  readonly httpStatus: number;
  constructor(reason: BodyFailure, httpStatus: number, message: string) {
    super(message);
    this.name = 'BodyError';
    this.reason = reason;
    this.httpStatus = httpStatus;
  }
}

/** Receives a body or an error; one of the two is called, once. */
export interface BodyReader {
  /** Limit in bytes; default {@link MAX_BODY_BYTES}. */
  readonly limit?: number;
  readonly onText: (text: string) => void;
  readonly onError: (error: BodyError) => void;
}

/**
 * Reads the body of a request as text. It uses callbacks instead of a promise, because each tool call passes here. Errors: 413 above the limit, 415
 * for a Content-Encoding, 400 for text that is not UTF-8 or that begins with a byte order mark, which some parsers skip and others refuse
 * (RFC 8259, section 8.1). After an error the rest of the body is unread: see {@link discardBody}.
 */
export function readBody(req: IncomingMessage, { limit = MAX_BODY_BYTES, onText, onError }: BodyReader): void {
  const encoding = req.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    onError(new BodyError('encoded', 415, 'a Content-Encoding is not supported'));
    return;
  }
  if (Number(req.headers['content-length']) > limit) {
    onError(createTooLarge(limit));
    return;
  }
  if (req.destroyed && !req.complete) {
    onError(new BodyError('aborted', 400, 'the client went away'));
    return;
  }
  const chunks: Buffer[] = [];
  let length = 0;
  let isOver = false;
  const fail = (error: BodyError): void => {
    if (isOver) return;
    isOver = true;
    onError(error);
  };
  const onData = (chunk: Buffer): void => {
    length += chunk.length;
    if (length > limit) {
      req.off('data', onData);
      req.pause();
      fail(createTooLarge(limit));
      return;
    }
    chunks.push(chunk);
  };
  const onEnd = (): void => {
    if (isOver) return;
    const body = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, length);
    // The request keeps its listeners until its answer has ended, which may take hours.
    chunks.length = 0;
    if (!isUtf8(body)) {
      fail(new BodyError('not_utf8', 400, 'the body is not UTF-8'));
      return;
    }
    if (beginsWithMark(body)) {
      fail(new BodyError('byte_order_mark', 400, 'the body begins with a byte order mark; send it without'));
      return;
    }
    isOver = true;
    onText(body.toString('utf8'));
  };
  // `close` without `end` means that the connection broke; `error` is always followed by `close`.
  const onClose = (): void => {
    if (!isOver) fail(new BodyError('aborted', 400, 'the client went away'));
  };
  req.on('data', onData).on('end', onEnd).on('close', onClose).on('error', ignore);
}

function beginsWithMark(body: Buffer): boolean {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf;
}

function createTooLarge(limit: number): BodyError {
  return new BodyError('too_large', 413, `the body exceeds ${limit} bytes`);
}

/**
 * Reads and drops the rest of a body, so that a client that is still sending can read the refusal; closing the connection would discard the
 * refusal. It reads at most `limit` further bytes.
 */
export function discardBody(req: IncomingMessage, limit: number): void {
  let length = 0;
  req.on('error', ignore);
  req.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > limit) req.destroy();
  });
  req.resume();
}

function ignore(): void {}
