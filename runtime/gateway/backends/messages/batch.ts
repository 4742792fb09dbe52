/**
 * Batches of backends: only in revision 2025-03-26 may a server's body or event be an array of messages. The gateway handles each message as if
 * it had arrived alone, in its own bytes.
 * @see https://modelcontextprotocol.io/specification/2025-03-26/basic/transports#sending-messages-to-the-server
 */
import { StreamEvent } from '../../../mcp/event-stream-parser.ts';
import { CLOSE_BRACKET, COMMA, OPEN_BRACKET, skipSpace } from '../../../mcp/json/characters.ts';
import { findValueEnd } from '../../../mcp/json/scan-bytes.ts';
import { BATCH_REVISION, MAX_BATCH_MESSAGES } from '../../../mcp/read-batch.ts';
import { findMessageKind } from './message-kind.ts';

/** Whether a backend may send batches in a session of this revision. */
export function mayBatch(protocolVersion: string): boolean {
  return protocolVersion === BATCH_REVISION;
}

/** Whether a body can be a batch, according to the first character of its first chunk. */
export function beginsBatch(chunk: Buffer): boolean {
  return chunk[skipSpace(chunk, 0)] === OPEN_BRACKET;
}

/**
 * The messages of a batch, responses last: JSON-RPC does not order a batch, and messages after the answer to a request have no receiver.
 * Undefined when the bytes are not a batch, or a batch that is empty or has more than `MAX_BATCH_MESSAGES`.
 * @see https://www.jsonrpc.org/specification#batch
 */
export function splitBatch(json: Buffer): readonly Buffer[] | undefined {
  const members = splitMembers(json);
  if (members === undefined) return undefined;
  const responses = members.filter(isResponse);
  return [...members.filter(member => !responses.includes(member)), ...responses];
}

/** Splits each event that is a batch into one event per message, and forwards every other event unchanged. */
export function splitBatches(onEvent: (event: StreamEvent) => void): (event: StreamEvent) => void {
  return event => {
    const members = splitBatch(event.bytes);
    if (members === undefined) onEvent(event);
    else for (const member of members) onEvent(new StreamEvent(event.event, member, event.id));
  };
}

function isResponse(message: Buffer): boolean {
  return findMessageKind(message)?.type === 'response';
}

/** Splits an array into its values by brackets, quotes and commas; the values' readers check that each is JSON. */
function splitMembers(json: Buffer): readonly Buffer[] | undefined {
  const members: Buffer[] = [];
  let at = skipSpace(json, 0);
  if (json[at] !== OPEN_BRACKET) return undefined;
  do {
    const start = skipSpace(json, at + 1);
    const end = findValueEnd(json, start);
    if (end <= start || members.length === MAX_BATCH_MESSAGES) return undefined;
    members.push(json.subarray(start, end));
    at = skipSpace(json, end);
  } while (json[at] === COMMA);
  return json[at] === CLOSE_BRACKET && skipSpace(json, at + 1) === json.length ? members : undefined;
}
