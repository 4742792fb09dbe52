/** Cheap looks at a body, in place of parsing it. */
import { idKey } from '../../mcp/envelope.ts';
import { messageKind } from './message-kind.ts';

/** Whether a body can be a JSON-RPC message at all, judged by the first character of its first chunk. */
export function beginsObject(chunk: Buffer): boolean {
  for (const byte of chunk) {
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return byte === 0x7b;
  }
  return true;
}

/** Whether a small body is a JSON-RPC error for the request with this id (JSON text). */
export function isErrorResponse(body: Buffer, id: string): boolean {
  const kind = messageKind(body);
  if (kind?.type !== 'response' || kind.id !== idKey(id)) return false;
  try {
    const { error } = JSON.parse(body.toString('utf8')) as { error?: unknown };
    return typeof error === 'object' && error !== null;
  } catch {
    return false;
  }
}

/** Whether a body is a JSON-RPC message, even an error that could not be given the id of its request. */
export function isJsonRpc(body: Buffer | undefined): boolean {
  return body !== undefined && parsed(body)?.jsonrpc === '2.0';
}

/** The code of a JSON-RPC error, whoever's request it is about. */
export function errorCodeOf(body: Buffer | undefined): unknown {
  const error = body === undefined ? undefined : parsed(body)?.error;
  return (error as { code?: unknown } | null | undefined)?.code;
}

function parsed(body: Buffer): { readonly jsonrpc?: unknown; readonly error?: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
