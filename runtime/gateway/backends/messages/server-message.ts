/**
 * Reads a backend's notifications and requests once and in one place. Only valid messages continue: an invalid one must neither end other
 * requests nor reach a client. The gateway decides by the parsed values that are read here, not by their spelling in JSON.
 */
import type { Envelope } from '../../../mcp/envelope.ts';
import { readEnvelope } from '../../../mcp/read-envelope.ts';
import { WireError } from '../../../mcp/wire-error.ts';
import type { Logger } from '../../../observe/log.ts';

/** The backend that sent a message, and the log for a message that is not forwarded. */
export interface MessageOrigin {
  readonly backend: string;
  readonly log: Logger;
}

/**
 * Reads a notification or request of a backend (JSON text); undefined, and a line in the log, for an invalid one.
 * @param type the kind that `findMessageKind` returned
 */
export function readServerMessage(
  { backend, log }: MessageOrigin,
  json: string,
  type: 'notification' | 'request',
): Envelope | undefined {
  let violation = `it is not a ${type}`; // An id above the length limit belongs to no request.
  try {
    const message = readEnvelope(json);
    if (message.kind === type) return message;
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    violation = error.message; // The message of the error names a position or a member of MCP, and never the backend's own text.
  }
  log.debug({ backend, flaw: violation }, 'a message of a backend was not forwarded: it is malformed');
  return undefined;
}
