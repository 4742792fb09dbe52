/**
 * What a backend says besides its answers, read once and in one place. Only sound messages go on: one flaw must not end what
 * others wait for, nor be handed to a client. Decisions are made on what is read here, whatever its spelling.
 */
import type { Envelope } from '../../../mcp/envelope.ts';
import { readEnvelope } from '../../../mcp/read-envelope.ts';
import { WireError } from '../../../mcp/wire-error.ts';
import type { BackendContext } from '../context.ts';

/**
 * A notification or request of a backend (JSON text); undefined, and a line in the log, for one that is not sound.
 *
 * @param type what `messageKind` takes it for
 */
export function readServerMessage(
  { backend, log }: Pick<BackendContext, 'backend' | 'log'>,
  json: string,
  type: 'notification' | 'request',
): Envelope | undefined {
  let violation = `it is no ${type}`; // An id that is too long belongs to no request.
  try {
    const message = readEnvelope(json);
    if (message.kind === type) return message;
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    violation = error.message; // Names a place, or a member of MCP, and never what the backend wrote.
  }
  log.debug({ backend, flaw: violation }, 'a message was withheld: it is not sound');
  return undefined;
}
