import { WIRE_CODE, WireError } from '../mcp/wire-error.ts';

/** An error as a client gets it: what is not meant for it stays here. */
export function wireErrorOf(error: unknown): WireError {
  return error instanceof WireError ? error : new WireError(WIRE_CODE.internalError, 'internal error');
}
