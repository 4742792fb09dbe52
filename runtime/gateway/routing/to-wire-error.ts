import { WIRE_CODE, WireError } from '../../mcp/wire-error.ts';

/** An error as a client gets it: what is not meant for it stays here. */
export function toWireError(error: unknown): WireError {
  return error instanceof WireError ? error : new WireError(WIRE_CODE.internalError, 'internal error');
}

/** Whether an id or a `requestState` was sealed by another replica is not known. */
export function storeAway(): WireError {
  return new WireError(WIRE_CODE.internalError, 'the store of sessions cannot be reached; try again later', {
    httpStatus: 503,
    data: { reason: 'store_away' },
  });
}
