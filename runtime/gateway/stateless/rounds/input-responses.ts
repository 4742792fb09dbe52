/** Reads the answers with which a client returns. */
import type { Envelope, Span } from '../../../mcp/envelope.ts';
import { findMember, iterateMembers } from '../../../mcp/json/members.ts';
import { WIRE_CODE, WireError } from '../../../mcp/wire-error.ts';

/**
 * `requestState` of a request; undefined without one.
 * @throws WireError -32602 for a value that is not a string
 */
export function readRequestState(envelope: Envelope): string | undefined {
  const { requestState: span } = envelope;
  if (span === undefined) return undefined;
  const state = envelope.valueAt(span);
  if (typeof state === 'string') return state;
  throw new WireError(WIRE_CODE.invalidParams, 'params.requestState must be the string that came with input_required');
}

export function createUnknownState(): WireError {
  return new WireError(
    WIRE_CODE.invalidParams,
    'requestState is not valid: it belongs to another call or caller, has expired, was used already, or is from before a restart of a gateway that ' +
      'keeps its state in memory; send the request again without it, which may repeat what it has done',
  );
}

/**
 * `inputResponses` of the params at `params`. Answers are forwarded as written, because numbers may have more digits than JavaScript's.
 * @throws WireError -32602 for an invalid answer
 */
export function readInputResponses(text: string, params: Span): ReadonlyMap<string, string> {
  const responses = new Map<string, string>();
  const span = findMember(text, params.start, 'inputResponses');
  if (span === undefined) return responses;
  if (text[span.start] !== '{') throw new WireError(WIRE_CODE.invalidParams, 'params.inputResponses must be an object');
  for (const { name, start, end } of iterateMembers(text, span.start)) {
    if (text[start] !== '{') {
      throw new WireError(WIRE_CODE.invalidParams, 'params.inputResponses must have an object for each question');
    }
    responses.set(name, text.slice(start, end));
  }
  return responses;
}
