/**
 * A faster `ResponseRewriter` for complete responses in the form that nearly all servers write: comparing text with the usual forms takes a
 * fraction of the time of scanning it.
 */

import { CLOSE_BRACE, QUOTE } from '../../mcp/json/characters.ts';
import { isTextAt } from '../../mcp/json/scan-bytes.ts';
import type { AddedMembers } from '../backends/messages/added-members.ts';
import { BEFORE_FIRST_ID } from '../backends/messages/response-validator.ts';

/** The text around the members of `result` and the id, in either order; `BEFORE_FIRST_ID` precedes it when the id is first. */
const RESULT_AFTER_ID = ',"result":{';
const RESULT_FIRST = '{"result":{';
const BEFORE_LAST_ID = ',"jsonrpc":"2.0","id":';

/**
 * The answer with another id and more members, or undefined when it is not in a usual form, or when it may already have members of these names.
 * @param answer an answer to the request `id` that `validateResponse` accepts
 * @param id the id that the backend got, as JSON text
 * @param newId the id that replaces it
 */
export function rewriteCommonResponse(
  answer: Buffer,
  id: string,
  newId: string,
  members: AddedMembers,
): Uint8Array | undefined {
  if (isTextAt(answer, 0, BEFORE_FIRST_ID)) return rewriteIdFirst(answer, id, newId, members);
  return isTextAt(answer, 0, RESULT_FIRST) ? rewriteIdLast(answer, id, newId, members) : undefined;
}

function rewriteIdFirst(answer: Buffer, id: string, newId: string, added: AddedMembers): Uint8Array | undefined {
  const idStart = BEFORE_FIRST_ID.length;
  const idEnd = idStart + id.length;
  if (!isTextAt(answer, idStart, id) || !isTextAt(answer, idEnd, RESULT_AFTER_ID)) return undefined;
  const start = idEnd + RESULT_AFTER_ID.length;
  const comma = findCommaBefore(answer[start]);
  if (comma === undefined || added.mayStandIn(answer)) return undefined;
  const members = added.json;
  const growth = Buffer.byteLength(newId) + members.length + comma.length - id.length;
  const out = Buffer.allocUnsafe(answer.length + growth);
  let at = put(out, 0, BEFORE_FIRST_ID);
  at = put(out, at, newId);
  at = put(out, at, RESULT_AFTER_ID);
  at = put(out, at, members);
  at = put(out, at, comma);
  out.set(answer.subarray(start), at);
  return out;
}

function rewriteIdLast(answer: Buffer, id: string, newId: string, added: AddedMembers): Uint8Array | undefined {
  const end = answer.length - 1 - id.length - BEFORE_LAST_ID.length;
  const isUsual =
    end > RESULT_FIRST.length &&
    answer[answer.length - 1] === CLOSE_BRACE &&
    isTextAt(answer, answer.length - 1 - id.length, id) &&
    isTextAt(answer, end, BEFORE_LAST_ID);
  const comma = isUsual ? findCommaBefore(answer[RESULT_FIRST.length]) : undefined;
  if (comma === undefined || added.mayStandIn(answer)) return undefined;
  const members = added.json;
  const growth = Buffer.byteLength(newId) + members.length + comma.length - id.length;
  const out = Buffer.allocUnsafe(answer.length + growth);
  let at = put(out, 0, RESULT_FIRST);
  at = put(out, at, members);
  at = put(out, at, comma);
  out.set(answer.subarray(RESULT_FIRST.length, end), at);
  at = put(out, at + end - RESULT_FIRST.length, BEFORE_LAST_ID);
  at = put(out, at, newId);
  out[at] = CLOSE_BRACE;
  return out;
}

/** The text between the inserted members and the next member of `result`; undefined when neither a member nor the end follows. */
function findCommaBefore(next: number | undefined): string | undefined {
  if (next === QUOTE) return ',';
  return next === CLOSE_BRACE ? '' : undefined;
}

/** Writes a text and returns its end. For short texts, for which a loop is faster than a native call. */
function put(out: Buffer, start: number, text: string): number {
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c > 0x7f) return start + out.write(text, start);
    out[start + i] = c;
  }
  return start + text.length;
}
