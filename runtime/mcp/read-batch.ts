import type { Envelope } from './envelope.ts';
import { CLOSE_BRACKET, COMMA, OPEN_BRACKET, skipSpace } from './json/characters.ts';
import { createSyntaxError, skipValue } from './json/scan-text.ts';
import { readEnvelope } from './read-envelope.ts';
import { WIRE_CODE, WireError } from './wire-error.ts';

/** Limit on the messages of one batch. */
export const MAX_BATCH_MESSAGES = 100;

/** The only revision with batches. */
export const BATCH_REVISION = '2025-03-26';

/** Whether the text can only be a batch. */
export function isBatch(text: string): boolean {
  return text.charCodeAt(skipSpace(text, 0)) === OPEN_BRACKET;
}

/**
 * Reads a batch, each message separately: an invalid message becomes an error in its place, and does not affect the others.
 * @throws WireError -32700 for text that is not JSON, -32600 for an empty batch or one that is too long
 * @see https://www.jsonrpc.org/specification#batch
 */
export function readBatch(text: string): (Envelope | WireError)[] {
  const members: string[] = [];
  let at = skipSpace(text, skipSpace(text, 0) + 1);
  if (text.charCodeAt(at) === CLOSE_BRACKET) checkEnd(text, at);
  else {
    for (;;) {
      const end = skipValue(text, at, 1);
      if (members.length <= MAX_BATCH_MESSAGES) members.push(text.slice(at, end));
      at = skipSpace(text, end);
      if (text.charCodeAt(at) === CLOSE_BRACKET) break;
      if (text.charCodeAt(at) !== COMMA) throw createSyntaxError(at);
      at = skipSpace(text, at + 1);
    }
    checkEnd(text, at);
  }
  if (members.length === 0) throw new WireError(WIRE_CODE.invalidRequest, 'a batch must not be empty');
  if (members.length > MAX_BATCH_MESSAGES) {
    throw new WireError(WIRE_CODE.invalidRequest, `a batch has at most ${MAX_BATCH_MESSAGES} messages`);
  }
  return members.map(readMember);
}

/** After the closing bracket at `at` only space may follow. */
function checkEnd(text: string, at: number): void {
  const end = skipSpace(text, at + 1);
  if (end !== text.length) throw createSyntaxError(end);
}

function readMember(text: string): Envelope | WireError {
  try {
    const envelope = readEnvelope(text);
    if (envelope.method !== 'initialize') return envelope;
    return new WireError(WIRE_CODE.invalidRequest, 'initialize must not be part of a batch').withId(envelope.id);
  } catch (error) {
    if (error instanceof WireError) return error;
    throw error;
  }
}
