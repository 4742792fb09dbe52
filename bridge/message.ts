/** JSON-RPC messages, as far as the bridge reads them; it forwards the rest of a message unchanged. */

export interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

export type MessageKind = 'request' | 'notification' | 'response';

/** The kind of a message; undefined for anything that is not a JSON-RPC 2.0 message. */
export function classifyMessage(value: unknown): MessageKind | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { id, method, result, error } = value as Message;
  const hasId = typeof id === 'string' || typeof id === 'number';
  if (typeof method === 'string') return hasId ? 'request' : id === undefined ? 'notification' : undefined;
  return hasId && (result !== undefined || error !== undefined) ? 'response' : undefined;
}

/** An id as a key of a map: `1` and `"1"` are different ids. */
export function toIdKey(id: unknown): string {
  return JSON.stringify(id);
}

/** The progress token of a request, or the token that a progress notification reports on. */
export function readProgressToken({ method, params }: Message): unknown {
  const { progressToken, _meta } = (params ?? {}) as { progressToken?: unknown; _meta?: { progressToken?: unknown } };
  return method === 'notifications/progress' ? progressToken : _meta?.progressToken;
}

/** Lintel's own error codes, in the range that JSON-RPC reserves for servers. */
export const CONNECTION_CLOSED = -32000;
export const REQUEST_TIMEOUT = -32001;
/** An error code of MCP 2026-07-28. */
export const UNSUPPORTED_REVISION = -32022;
export const METHOD_NOT_FOUND = -32601;
export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;

export function formatError(id: unknown, code: number, message: string, data?: unknown): string {
  return JSON.stringify({
    jsonrpc: '2.0',
    id: id ?? null,
    error: { code, message, ...(data !== undefined && { data }) },
  });
}

/** Removes line breaks: outside of strings they are white space, and JSON allows none inside of strings. */
export function toOneLine(text: string): string {
  return /[\r\n]/.test(text) ? text.replace(/[\r\n]+/g, ' ') : text;
}
