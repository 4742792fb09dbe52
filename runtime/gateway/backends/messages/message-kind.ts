/**
 * What kind of JSON-RPC message some bytes are, found from the top-level keys alone: nested values are stepped over, not
 * parsed, so the answer of a tool costs one quick pass at most and usually a few dozen bytes. The text is not validated.
 */
import { MAX_ID_LENGTH } from '../../../mcp/client-limits.ts';
import { idKey } from '../../../mcp/envelope.ts';
import {
  afterString,
  afterValue,
  CLOSE_BRACE,
  COLON,
  COMMA,
  isTextAt,
  OPEN_BRACE,
  QUOTE,
  skipSpace,
} from './json-bytes.ts';

/** `id` is JSON text, of a string, a number or null; two spellings of one id give the same text. */
export type MessageKind =
  | { readonly type: 'response'; readonly id: string }
  | { readonly type: 'request'; readonly id: string; readonly method: string }
  | { readonly type: 'notification'; readonly method: string };

/** Longer keys, with every character escaped, are none of those looked for. */
const LONGEST_KEY = 'method'.length * '\\u0000'.length;

/** Limits on what is decoded; longer ids and methods are never used. A backend may write each character of an id as `\u0061`. */
const LONGEST_ID = MAX_ID_LENGTH * '\\u0000'.length;
const LONGEST_METHOD = 1024;

/** The kind of a message, or undefined when the bytes are not one JSON-RPC message. */
export function messageKind(json: Buffer): MessageKind | undefined {
  if (isTextAt(json, 0, USUAL_NOTIFICATION)) return usualNotification(json);
  let at = skipSpace(json, 0);
  if (json[at] !== OPEN_BRACE) return undefined;
  let id: string | undefined;
  let method: string | undefined;
  let hasOutcome = false;
  do {
    at = skipSpace(json, at + 1);
    if (json[at] === CLOSE_BRACE) break;
    const keyEnd = stringEnd(json, at);
    if (keyEnd === -1) return undefined;
    const key = keyText(json, at, keyEnd);
    at = skipSpace(json, keyEnd);
    if (json[at] !== COLON) return undefined;
    at = skipSpace(json, at + 1);
    if (key === 'result' || key === 'error') {
      hasOutcome = true;
      if (id !== undefined) break;
    }
    const end = afterValue(json, at);
    if (end === -1) return undefined;
    if (key === 'id' && end - at <= LONGEST_ID) id = idText(json, at, end);
    else if (key === 'method' && end - at <= LONGEST_METHOD) method = parsedString(json, at, end);
    if (id !== undefined && method !== undefined) break;
    at = skipSpace(json, end);
  } while (json[at] === COMMA);
  if (method !== undefined)
    return id === undefined ? { type: 'notification', method } : { type: 'request', id, method };
  return id !== undefined && hasOutcome ? { type: 'response', id } : undefined;
}

/** How nearly all notifications begin: what says so of itself is not searched for an id. `readServerMessage` refuses one that has any. */
const USUAL_NOTIFICATION = '{"jsonrpc":"2.0","method":"notifications/';
const METHOD_START = '{"jsonrpc":"2.0","method":'.length;

function usualNotification(json: Buffer): MessageKind | undefined {
  const end = stringEnd(json, METHOD_START);
  const method = end === -1 || end - METHOD_START > LONGEST_METHOD ? undefined : parsedString(json, METHOD_START, end);
  return method === undefined ? undefined : { type: 'notification', method };
}

/**
 * Whether a message that begins like this is a response to the request `id` (JSON text), decided by what has arrived of it.
 * A result whose id is yet to come counts as one: on the stream of one request there is no other. An error may have none.
 */
export function beginsResponseTo(beginning: Buffer, id: string): boolean {
  let at = skipSpace(beginning, 0);
  if (beginning[at] !== OPEN_BRACE) return false;
  let hasId = false;
  do {
    at = skipSpace(beginning, at + 1);
    const keyEnd = stringEnd(beginning, at);
    if (keyEnd === -1) return false;
    const key = keyText(beginning, at, keyEnd);
    at = skipSpace(beginning, keyEnd);
    if (beginning[at] !== COLON || key === 'method') return false;
    if (key === 'result') return true;
    if (key === 'error') return hasId;
    at = skipSpace(beginning, at + 1);
    const end = afterValue(beginning, at);
    if (end === -1) return false;
    if (key === 'id') {
      if (idText(beginning, at, end) !== idKey(id)) return false;
      hasId = true;
    }
    at = skipSpace(beginning, end);
  } while (beginning[at] === COMMA);
  return false;
}

function keyText(json: Buffer, start: number, end: number): string | undefined {
  if (end - start > LONGEST_KEY + 2) return undefined;
  const text = json.toString('utf8', start + 1, end - 1);
  return text.includes('\\') ? parsedString(json, start, end) : text;
}

/** An id as nearly all are: its own spelling is the only one. */
const USUAL_ID = /^(?:"[ !#-[\]-~]*"|-?(?:0|[1-9]\d*))$/;

/** Undefined for what is no id: it would go back to the backend as it came, into an answer that is not JSON-RPC then. */
function idText(json: Buffer, start: number, end: number): string | undefined {
  const text = json.toString('utf8', start, end);
  if (USUAL_ID.test(text)) return text;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' || typeof value === 'number' || value === null ? idKey(text) : undefined;
  } catch {
    return undefined;
  }
}

function parsedString(json: Buffer, start: number, end: number): string | undefined {
  try {
    const value: unknown = JSON.parse(json.toString('utf8', start, end));
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The position after the string whose opening quote stands at `start`, or -1. */
function stringEnd(json: Buffer, start: number): number {
  return json[start] === QUOTE ? afterString(json, start + 1) : -1;
}
