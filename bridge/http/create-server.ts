import { createServer, type RequestListener, type Server } from 'node:http';

/** After how many milliseconds a connection is closed. */
export interface ServerTimes {
  /** Without the whole head of a request; from the connection on, so for one that says nothing, too. */
  readonly headersMs: number;
  /** Without the whole request, its body included. An answer may take as long as it wants. */
  readonly requestMs: number;
  /** Without a next request. */
  readonly idleMs: number;
}

export const SERVER_TIMES: ServerTimes = {
  headersMs: 10_000,
  requestMs: 30_000,
  // Longer than clients keep a connection: one that we close may have a request under way.
  idleMs: 120_000,
};

/** How late a time limit may be noticed: a part of the shortest. */
const CHECKS_IN_A_LIMIT = 5;

/** No client holds a connection by sending its request a byte now and then. */
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
