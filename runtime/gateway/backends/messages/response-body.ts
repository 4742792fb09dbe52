/** Fast checks of a body that need no parsing. */
import { formatIdKey } from '../../../mcp/envelope.ts';
import { OPEN_BRACE, skipSpace } from '../../../mcp/json/characters.ts';
import { findMember, findMessageStart } from '../../../mcp/json/members.ts';
import { findMessageKind } from './message-kind.ts';

/** Limit on a body that the gateway parses to find out whether it is an error: 64 KB. */
export const MAX_ERROR_BODY_BYTES: number = 64 * 1024;

const ERROR_NAME = Buffer.from('error"');

/** Whether a body can be a JSON-RPC message, according to the first character of its first chunk. */
export function beginsObject(chunk: Buffer): boolean {
  const first = chunk[skipSpace(chunk, 0)];
  return first === undefined || first === OPEN_BRACE;
}

/** Whether a small body is a JSON-RPC error for the request with this id (JSON text). */
export function isErrorResponse(body: Buffer, id: string): boolean {
  const kind = findMessageKind(body);
  if (kind?.type !== 'response' || kind.id !== formatIdKey(id)) return false;
  try {
    const { error } = JSON.parse(body.toString('utf8')) as { error?: unknown };
    return typeof error === 'object' && error !== null;
  } catch {
    return false;
  }
}

/**
 * Gives a small JSON-RPC error without an id, or with the id null, the id of the request `id` (JSON text); undefined for any other body. Only
 * for bodies that can concern no other request.
 * @see https://www.jsonrpc.org/specification#response_object
 */
export function replaceErrorId(body: Buffer, id: string): Buffer | undefined {
  if (body.length > MAX_ERROR_BODY_BYTES || !body.includes(ERROR_NAME)) return undefined;
  const value = parseMessage(body);
  if (value === undefined || (value.id ?? null) !== null || 'method' in value || 'result' in value) return undefined;
  const { code, message } = (value.error ?? {}) as { code?: unknown; message?: unknown };
  if (!Number.isInteger(code) || typeof message !== 'string') return undefined;
  const text = body.toString('utf8');
  const error = findMember(text, findMessageStart(text), 'error');
  return error && Buffer.from(`{"jsonrpc":"2.0","id":${id},"error":${text.slice(error.start, error.end)}}`);
}

/** Whether a body is a JSON-RPC message. It may also be an error to which the gateway could not add the id of its request. */
export function isJsonRpc(body: Buffer | undefined): boolean {
  return body !== undefined && parseMessage(body)?.jsonrpc === '2.0';
}

/** The code of a JSON-RPC error for any request. */
export function readErrorCode(body: Buffer | undefined): unknown {
  return readError(body)?.code;
}

/** The data of a JSON-RPC error. */
export function readErrorData(body: Buffer | undefined): unknown {
  return readError(body)?.data;
}

function readError(body: Buffer | undefined): { readonly code?: unknown; readonly data?: unknown } | undefined {
  const error = body === undefined ? undefined : parseMessage(body)?.error;
  return typeof error === 'object' && error !== null ? error : undefined;
}

interface Message {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly error?: unknown;
}

function parseMessage(body: Buffer): Message | undefined {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
