import { createServer, type RequestListener, type Server } from 'node:http';

/** The time limits after which a connection is closed. */
export interface ServerTimes {
  /**
   * Milliseconds until the whole head of a request must have arrived. They count from the start of the connection, so the limit applies to a silent
   * client as well.
   */
  readonly headersMs: number;
  /** Milliseconds until the whole request, including its body, must have arrived. An answer may take any time. */
  readonly requestMs: number;
  /** Milliseconds that a connection may be idle. */
  readonly idleMs: number;
}

export const SERVER_TIMES: ServerTimes = {
  headersMs: 10_000,
  requestMs: 30_000,
  // Longer than clients keep an idle connection open: if the server closed it first, a request might already be on its way.
  idleMs: 120_000,
};

/** How many times Node checks connections within the shortest time limit: the more checks, the sooner an exceeded limit is noticed. */
const CHECKS_IN_A_LIMIT = 5;

/** An HTTP server whose time limits prevent a client from holding a connection by sending its request very slowly. */
export function createHttpServer(listener?: RequestListener, times: ServerTimes = SERVER_TIMES): Server {
  const { headersMs, requestMs, idleMs } = times;
  const limits = {
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    keepAliveTimeout: idleMs,
    connectionsCheckingInterval: headersMs / CHECKS_IN_A_LIMIT,
  };
  return createServer(limits, listener);
}
