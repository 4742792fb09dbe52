/** Messages that the gateway itself sends while requests are running. */
import { type Envelope, formatIdKey } from '../../../mcp/envelope.ts';
import { formatErrorResponse, formatResultResponse, WIRE_CODE, WireError } from '../../../mcp/wire-error.ts';

/**
 * The response, as JSON text, to a backend's request that no client receives: an empty result for `ping`, otherwise a refusal. `id` is JSON
 * text.
 */
export function respondToServerRequest(id: string, method: string): string {
  if (method === 'ping') return formatResultResponse(id, '{}');
  return formatErrorResponse(id, new WireError(WIRE_CODE.methodNotFound, 'Method not found'));
}

/** `notifications/cancelled` for the request whose id is the JSON text `id`. */
export function formatCancellation(id: string, reason: string): string {
  const params = `{"requestId":${id},"reason":${JSON.stringify(reason)}}`;
  return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":${params}}`;
}

/** The question that a backend's notification withdraws, by its id in the spelling of `findMessageKind`. */
export function readCancelledRequest({ method, requestId }: Envelope): string | undefined {
  return method === 'notifications/cancelled' && requestId !== undefined ? formatIdKey(requestId) : undefined;
}
