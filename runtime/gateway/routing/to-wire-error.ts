import { WIRE_CODE, WireError } from '../../mcp/wire-error.ts';

/** Converts an error to the form for clients: internal details are not sent. */
export function toWireError(error: unknown): WireError {
  return error instanceof WireError ? error : new WireError(WIRE_CODE.internalError, 'internal error');
}

/** The error for a request whose id or `requestState` another replica may have sealed, while that cannot be found out. */
export function storeAway(): WireError {
  return new WireError(WIRE_CODE.internalError, 'the session store cannot be reached; try again later', {
    httpStatus: 503,
    data: { reason: 'store_away' },
  });
}
