/**
 * Reads the inputs that a backend requires from its `input_required` result.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */

import { type ClientTraits, hasAnnounced } from '../../../mcp/client-traits.ts';
import { decodeString } from '../../../mcp/json/member-names.ts';
import { findMember, findMessageStart, iterateMembers } from '../../../mcp/json/members.ts';
import { isTextAt } from '../../../mcp/json/scan-bytes.ts';
import { BEFORE_FIRST_ID } from '../messages/response-validator.ts';

/** Maximum number of inputs that one answer may require. */
const MAX_INPUTS = 32;

const INPUT_REQUIRED = Buffer.from('input_required');

/** Up to this size, a search of the whole answer takes no longer than a comparison of its beginning. 4 KiB. */
const SHORT_BYTES = 4 * 1024;

/** The beginning of a final answer, after the id or without it, when its type comes first. */
const COMPLETE_AFTER_ID = ',"result":{"resultType":"complete"';
const COMPLETE_FIRST = '{"result":{"resultType":"complete"';

/**
 * Whether an answer with this beginning may be an `input_required` result. It decides without parsing, because most answers are final.
 * @param id id of the request, as JSON text
 * @param isWhole whether the answer is complete
 */
export function mayRequireInput(beginning: Buffer, id: string, isWhole: boolean): boolean {
  const isShort = isWhole && beginning.length <= SHORT_BYTES;
  if (!isShort && beginsComplete(beginning, id)) return false;
  return !isWhole || beginning.includes(INPUT_REQUIRED);
}

function beginsComplete(json: Buffer, id: string): boolean {
  if (isTextAt(json, 0, COMPLETE_FIRST)) return true;
  const afterId = BEFORE_FIRST_ID.length + id.length;
  return (
    isTextAt(json, 0, BEFORE_FIRST_ID) &&
    isTextAt(json, BEFORE_FIRST_ID.length, id) &&
    isTextAt(json, afterId, COMPLETE_AFTER_ID)
  );
}

export interface InputRequest {
  /** The backend's key of the input. */
  readonly key: string;
  readonly method: string;
  /** The params as JSON text; undefined when there are none. */
  readonly params: string | undefined;
}

export interface InputRequired {
  readonly requests: readonly InputRequest[];
  /** JSON text, returned to the backend unchanged. */
  readonly requestState: string | undefined;
}

/** An answer requires an input that it may not require. */
export class InputError extends Error {}

/**
 * The inputs that the answer `json` requires; undefined for a final answer, or for one that cannot be read.
 * @throws InputError when it requires inputs that the client has not announced
 */
export function readInputRequired(json: Buffer, caller: ClientTraits): InputRequired | undefined {
  // The search saves parsing most final answers.
  if (!json.includes(INPUT_REQUIRED)) return undefined;
  const text = json.toString('utf8');
  const members = readResultMembers(text);
  if (members?.get('resultType') !== '"input_required"') return undefined;
  const requests = readRequests(members.get('inputRequests') ?? '{}', caller.capabilities);
  return { requests, requestState: members.get('requestState') };
}

/** The members of `result` as JSON texts; undefined when the text has none or is not JSON. */
function readResultMembers(text: string): ReadonlyMap<string, string> | undefined {
  try {
    const result = findMember(text, findMessageStart(text), 'result');
    return (
      result &&
      new Map([...iterateMembers(text, result.start)].map(({ name, start, end }) => [name, text.slice(start, end)]))
    );
  } catch {
    return undefined;
  }
}

function readRequests(text: string, capabilities: { readonly [name: string]: unknown }): InputRequest[] {
  if (!text.startsWith('{')) throw new InputError('sends inputRequests that are not JSON objects');
  const requests = [...iterateMembers(text, 0)].map(({ name, start, end }) =>
    readRequest(name, text.slice(start, end)),
  );
  if (requests.length > MAX_INPUTS) throw new InputError(`asks for more than ${MAX_INPUTS} inputs at once`);
  for (const { method, params } of requests) {
    if (!hasAnnounced(capabilities, method, params)) {
      throw new InputError('asks for input that the client of the call cannot give');
    }
  }
  return requests;
}

function readRequest(key: string, text: string): InputRequest {
  if (!text.startsWith('{')) throw new InputError('sends inputRequests that are not JSON objects');
  const method = findMember(text, 0, 'method');
  const params = findMember(text, 0, 'params');
  return {
    key,
    method: method !== undefined && text[method.start] === '"' ? decodeString(text, method.start, method.end) : '',
    params: params && text.slice(params.start, params.end),
  };
}
