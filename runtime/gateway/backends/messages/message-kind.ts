/**
 * Determines the kind of a JSON-RPC message from its top-level keys alone. It skips nested values without parsing, so that a tool's answer costs
 * one fast pass at most and usually a few dozen bytes. It does not validate the text.
 */
import { MAX_ID_LENGTH } from '../../../mcp/client-limits.ts';
import { formatIdKey } from '../../../mcp/envelope.ts';
import { CLOSE_BRACE, COLON, COMMA, OPEN_BRACE, QUOTE, skipSpace } from '../../../mcp/json/characters.ts';
import { findStringEnd, findValueEnd, isTextAt } from '../../../mcp/json/scan-bytes.ts';

/** `id` is the JSON text of a string, a number or null; two spellings of one id give the same text. */
export type MessageKind =
  | { readonly type: 'response'; readonly id: string }
  | { readonly type: 'request'; readonly id: string; readonly method: string }
  | { readonly type: 'notification'; readonly method: string };

/** Keys longer than this are none of the known ones, even if each character is escaped. */
const LONGEST_KEY = 'method'.length * '\\u0000'.length;

/** Limits on the text that is decoded; longer ids and methods never occur. A backend may write each character of an id as `\u0061`. */
const LONGEST_ID = MAX_ID_LENGTH * '\\u0000'.length;
const LONGEST_METHOD = 1024;

/** The kind of a message, or undefined when the bytes are not one JSON-RPC message. */
export function findMessageKind(json: Buffer): MessageKind | undefined {
  if (isTextAt(json, 0, USUAL_NOTIFICATION)) return matchNotification(json);
  let at = skipSpace(json, 0);
  if (json[at] !== OPEN_BRACE) return undefined;
  let id: string | undefined;
  let method: string | undefined;
  let hasOutcome = false;
  do {
    at = skipSpace(json, at + 1);
    if (json[at] === CLOSE_BRACE) break;
    const keyEnd = findNameEnd(json, at);
    if (keyEnd === -1) return undefined;
    const key = readKey(json, at, keyEnd);
    at = skipSpace(json, keyEnd);
    if (json[at] !== COLON) return undefined;
    at = skipSpace(json, at + 1);
    if (key === 'result' || key === 'error') {
      hasOutcome = true;
      if (id !== undefined) break;
    }
    const end = findValueEnd(json, at);
    if (end === -1) return undefined;
    if (key === 'id' && end - at <= LONGEST_ID) id = readId(json, at, end);
    else if (key === 'method' && end - at <= LONGEST_METHOD) method = readString(json, at, end);
    if (id !== undefined && method !== undefined) break;
    at = skipSpace(json, end);
  } while (json[at] === COMMA);
  if (method !== undefined)
    return id === undefined ? { type: 'notification', method } : { type: 'request', id, method };
  return id !== undefined && hasOutcome ? { type: 'response', id } : undefined;
}

/**
 * The beginning of nearly all notifications: for these the reader does not search an id. `readServerMessage` refuses a notification with an id.
 */
const USUAL_NOTIFICATION = '{"jsonrpc":"2.0","method":"notifications/';
const METHOD_START = '{"jsonrpc":"2.0","method":'.length;

function matchNotification(json: Buffer): MessageKind | undefined {
  const end = findNameEnd(json, METHOD_START);
  const method = end === -1 || end - METHOD_START > LONGEST_METHOD ? undefined : readString(json, METHOD_START, end);
  return method === undefined ? undefined : { type: 'notification', method };
}

/**
 * Whether a message with this beginning is a response to the request `id` (JSON text). A result whose id has not arrived yet counts as a
 * response, because the stream of one request contains no other result; an error may have no id.
 */
export function beginsResponseTo(beginning: Buffer, id: string): boolean {
  let at = skipSpace(beginning, 0);
  if (beginning[at] !== OPEN_BRACE) return false;
  let hasId = false;
  do {
    at = skipSpace(beginning, at + 1);
    const keyEnd = findNameEnd(beginning, at);
    if (keyEnd === -1) return false;
    const key = readKey(beginning, at, keyEnd);
    at = skipSpace(beginning, keyEnd);
    if (beginning[at] !== COLON || key === 'method') return false;
    if (key === 'result') return true;
    if (key === 'error') return hasId;
    at = skipSpace(beginning, at + 1);
    const end = findValueEnd(beginning, at);
    if (end === -1) return false;
    if (key === 'id') {
      if (readId(beginning, at, end) !== formatIdKey(id)) return false;
      hasId = true;
    }
    at = skipSpace(beginning, end);
  } while (beginning[at] === COMMA);
  return false;
}

function readKey(json: Buffer, start: number, end: number): string | undefined {
  if (end - start > LONGEST_KEY + 2) return undefined;
  const text = json.toString('utf8', start + 1, end - 1);
  return text.includes('\\') ? readString(json, start, end) : text;
}

/** The form of nearly all ids; its spelling is unique. */
const USUAL_ID = /^(?:"[ !#-[\]-~]*"|-?(?:0|[1-9]\d*))$/;

/** The id as JSON text; undefined for an invalid one: the gateway would return it to the backend in an answer that is then not JSON-RPC. */
function readId(json: Buffer, start: number, end: number): string | undefined {
  const text = json.toString('utf8', start, end);
  if (USUAL_ID.test(text)) return text;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' || typeof value === 'number' || value === null ? formatIdKey(text) : undefined;
  } catch {
    return undefined;
  }
}

function readString(json: Buffer, start: number, end: number): string | undefined {
  try {
    const value: unknown = JSON.parse(json.toString('utf8', start, end));
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The position after a string whose opening quote is at `start`, or -1. */
function findNameEnd(json: Buffer, start: number): number {
  return json[start] === QUOTE ? findStringEnd(json, start + 1) : -1;
}
