/** Messages that we send on our own account while requests are under way. */
import { type Envelope, idKey } from '../../../mcp/envelope.ts';
import { errorResponse, resultResponse, WIRE_CODE, WireError } from '../../../mcp/wire-error.ts';

/**
 * The response, as JSON text, to a backend's request. No client takes it, so only `ping` is owed more than a
 * refusal. `id` is JSON text.
 */
export function respondToServerRequest(id: string, method: string): string {
  if (method === 'ping') return resultResponse(id, '{}');
  return errorResponse(id, new WireError(WIRE_CODE.methodNotFound, 'Method not found'));
}

/** `notifications/cancelled` for the request whose id is the JSON text `id`. */
export function formatCancellation(id: string, reason: string): string {
  const params = `{"requestId":${id},"reason":${JSON.stringify(reason)}}`;
  return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":${params}}`;
}

/** The question that a notification of a backend takes back, by its id in the spelling of `messageKind`. */
export function readCancelledRequest({ method, requestId }: Envelope): string | undefined {
  return method === 'notifications/cancelled' && requestId !== undefined ? idKey(requestId) : undefined;
}
