/** Classifies the head of an HTTP answer: a JSON body, an event stream, an error with a body, or an unusable answer. */

import type { IncomingHttpHeaders } from 'node:http';
import { getHeader } from '../../../../http/exchange.ts';
import type { BackendError } from '../../../../mcp/backend-error.ts';
import { type BackendContext, getMediaType } from '../../context.ts';
import { createProtocolError, createStatusFailure, createTooLarge } from '../../failure.ts';

export type AnswerHead =
  | { readonly body: 'json'; readonly length: number | undefined }
  | { readonly body: 'stream' }
  /** An error status with a body that may be the backend's own JSON-RPC error. */
  | { readonly body: 'error'; readonly status: number };

const STREAM: AnswerHead = { body: 'stream' };

/** How to read the body, or the failure when the body is unusable. */
export function readHead(
  context: BackendContext,
  status: number,
  headers: IncomingHttpHeaders,
): AnswerHead | BackendError {
  const { backend, client } = context;
  const type = getMediaType(getHeader(headers, 'content-type'));
  if (status < 200 || status >= 300) {
    const isExplained = status >= 400 && status !== 401 && status !== 403 && type === 'application/json';
    return isExplained ? { body: 'error', status } : createStatusFailure(context, status);
  }
  if (status !== 200)
    return createProtocolError(backend, `accepted the request, but did not answer it (HTTP ${status})`);
  if (isEncoded(headers)) return createProtocolError(backend, 'answered in a content encoding that was not asked for');
  if (type === 'text/event-stream') return STREAM;
  if (type !== 'application/json')
    return createProtocolError(backend, 'answered with neither JSON nor an event stream');
  const header = getHeader(headers, 'content-length');
  const length = header === undefined ? undefined : Number(header);
  return length !== undefined && length > client.maxResponseBytes ? createTooLarge(backend) : { body: 'json', length };
}

function isEncoded(headers: IncomingHttpHeaders): boolean {
  const encoding = getHeader(headers, 'content-encoding');
  return encoding !== undefined && encoding !== '' && encoding.toLowerCase() !== 'identity';
}
