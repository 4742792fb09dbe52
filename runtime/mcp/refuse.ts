import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AuthenticationError } from '../auth/incoming/authenticator.ts';
import { BodyError, discardBody } from '../http/read-body.ts';
import { respondJson } from '../http/respond.ts';
import { formatErrorResponse, WIRE_CODE, WireError } from './wire-error.ts';

/** How long a client should wait after a 503, in seconds. */
const RETRY_AFTER_SECONDS = 30;

export interface RefusalOptions {
  /** How many bytes of an unread body the listener still reads, so that the client can read the answer. */
  readonly maxBodyBytes: number;
  /** The methods of this address, as in the header `Allow`. */
  readonly allow: string;
}

/** Refuses an HTTP request with a JSON-RPC error at the error's own HTTP status. */
export function refuse(req: IncomingMessage, res: ServerResponse, error: WireError, options: RefusalOptions): void {
  if (!req.complete) discardBody(req, options.maxBodyBytes);
  respondJson(res, error.httpStatus, formatErrorResponse(error.id, error), {
    ...(error.httpStatus === 405 && { Allow: options.allow }),
    ...(error.httpStatus === 503 && { 'Retry-After': RETRY_AFTER_SECONDS }),
  });
}

/**
 * Refuses a caller that is not admitted: with the challenge that describes how to authenticate, and not as JSON-RPC, because the message has not
 * been read.
 * @see https://www.rfc-editor.org/rfc/rfc6750#section-3
 */
export function refuseCaller(
  req: IncomingMessage,
  res: ServerResponse,
  { status, challenge, body }: AuthenticationError,
  maxBodyBytes: number,
): void {
  if (!req.complete) discardBody(req, maxBodyBytes);
  respondJson(res, status, body, {
    ...(challenge !== undefined && { 'WWW-Authenticate': challenge }),
    ...(status === 503 && { 'Retry-After': RETRY_AFTER_SECONDS }),
  });
}

/** The error for a request that violates a rule of the transport. */
export function createInvalidRequest(httpStatus: number, message: string, id?: string): WireError {
  return new WireError(WIRE_CODE.invalidRequest, message, { httpStatus }).withId(id);
}

/** The JSON-RPC error for a body's failure; undefined for other errors. */
export function toWireError(error: unknown): WireError | undefined {
  if (!(error instanceof BodyError)) return undefined;
  const isNoJson = error.reason === 'not_utf8' || error.reason === 'byte_order_mark';
  const code = isNoJson ? WIRE_CODE.parseError : WIRE_CODE.invalidRequest;
  return new WireError(code, error.message, { httpStatus: error.httpStatus });
}
