import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { validateHost } from '#schemas';
import type { Logger } from '../observe/log.ts';
import { Connections } from './connections.ts';
import { respondJson } from './respond.ts';

/** How long running requests may take when draining begins, unless the caller sets another limit; milliseconds. */
export const DRAIN_MS = 10_000;

/** How long a connection without a request stays open when draining begins, because the client may just be sending a request; milliseconds. */
const LEAVE_MS = 1_000;

/** Handles the requests for one path. */
export type Route = (req: IncomingMessage, res: ServerResponse) => void | Promise<void>;

export interface ListenerOptions {
  /** Address to bind, such as `127.0.0.1` or `0.0.0.0`. */
  readonly host: string;
  /** TCP port; 0 picks a free one. */
  readonly port: number;
  /** Handlers by exact path, without a query. Looked up for each request, so the map may change. */
  readonly routes: Pick<ReadonlyMap<string, Route>, 'get'>;
  readonly log: Logger;
  /** Called first for each request; the listener waits for a returned promise. */
  readonly onRequest?: (req: IncomingMessage, res: ServerResponse) => Promise<void> | undefined;
  /** Time limits, for tests. Default {@link LISTENER_TIMES}. */
  readonly times?: ListenerTimes;
  /** Called when draining begins, to end event streams that would otherwise stay open. */
  readonly onDrain?: () => void;
}

/** A running HTTP server. */
export interface Listener extends HandedListener {
  readonly address: AddressInfo;
}

/** A running HTTP server that gets its connections from another process and listens on no address. */
export interface HandedListener {
  /** Serves a connection that another process has accepted. */
  take(connection: Socket): void;
  /**
   * Stops accepting, answers requests on open connections with `Connection: close`, lets running requests finish, and closes the remaining
   * connections.
   * @param drainMs how long running requests may take, in milliseconds. Default {@link DRAIN_MS}
   * @param leaveMs how long connections without a request stay open, in milliseconds. Default one second, at most `drainMs`
   */
  close(drainMs?: number, leaveMs?: number): Promise<void>;
}

/** Time limits after which a connection is closed, in milliseconds. */
export interface ListenerTimes {
  /** Timeout for the complete headers of a request. It starts when the connection opens, so it also applies to a client that sends nothing. */
  readonly headersMs: number;
  /** Timeout of the whole request including its body. An answer may take any time, as event streams do. */
  readonly requestMs: number;
  /** Timeout of an idle connection, until the next request. */
  readonly idleMs: number;
  /** Timeout of a client that reads none of its unread bytes. */
  readonly unreadMs: number;
}

export const LISTENER_TIMES: ListenerTimes = {
  headersMs: 10_000,
  requestMs: 30_000,
  idleMs: 120_000,
  unreadMs: 300_000,
};

const MAX_HEADER_BYTES = 1024 * 1024;

/** Maximum number of headers. Node would silently drop further headers, perhaps a second `Authorization` or `Host`; the listener refuses instead. */
const MAX_HEADERS = 1_000;

/** How many times requests are checked within the shortest time limit. */
const CHECKS_IN_A_LIMIT = 5;

/** Starts an HTTP server. Rejects when the address cannot be bound. */
export function startListener(options: ListenerOptions): Promise<Listener> {
  const { server, ...served } = createServerFor(options);
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, () => {
      server.off('error', reject);
      server.on('error', error => options.log.error({ err: error }, 'the listener failed'));
      resolve({ address: server.address() as AddressInfo, ...served });
    });
  });
}

/** Starts an HTTP server for connections that other processes pass to it. */
export function startHanded(options: Omit<ListenerOptions, 'host' | 'port'>): HandedListener {
  const { server, ...served } = createServerFor(options);
  // When the server emits this event, Node starts to check the time limits of requests.
  server.emit('listening');
  return served;
}

function createServerFor(
  options: Omit<ListenerOptions, 'host' | 'port'>,
): HandedListener & { readonly server: Server } {
  const { routes, log } = options;
  const unwritten = (error: Error): void => log.debug({ err: error }, 'a response could not be written');
  const { headersMs, requestMs, idleMs, unreadMs } = options.times ?? LISTENER_TIMES;
  const limits = {
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    keepAliveTimeout: idleMs,
    connectionsCheckingInterval: headersMs / CHECKS_IN_A_LIMIT,
  };
  const server = createServer(limits, (req, res) => {
    connections.begin(req, res);
    res.on('error', unwritten);
    const pending = options.onRequest?.(req, res);
    if (pending === undefined) answer(req, res);
    else void pending.then(() => answer(req, res));
  });
  // One more than the limit: if Node returns that many headers, there were too many.
  server.maxHeadersCount = MAX_HEADERS + 1;
  const answer = (req: IncomingMessage, res: ServerResponse): void => {
    if (res.destroyed) return;
    if (connections.isDraining) {
      if (connections.isBehindAnother(req) || wantsStream(req)) {
        refuse(res, 503, 'shutting_down', { Connection: 'close' });
        return;
      }
      res.setHeader('Connection', 'close');
    }
    if (req.rawHeaders.length > 2 * MAX_HEADERS) {
      refuse(res, 431, 'too_many_headers', { Connection: 'close' });
      return;
    }
    const violation = validateHost(req.rawHeaders);
    if (violation !== undefined) {
      refuse(res, 400, violation, { Connection: 'close' });
      return;
    }
    if (req.url?.startsWith('/') === false) useOriginForm(req);
    const route = routes.get(readPath(req.url));
    if (route === undefined) refuse(res, 404, 'not_found');
    else run(route, req, res, log);
  };
  const connections = new Connections(server, unreadMs);
  const close = (drainMs = DRAIN_MS, leaveMs = LEAVE_MS): Promise<void> =>
    connections.drain({ drainMs, leaveMs: Math.min(leaveMs, drainMs) }, options.onDrain);
  const take = (connection: Socket): void => {
    // As in Node's own server: a client that has sent everything may still read.
    connection.allowHalfOpen = true;
    server.emit('connection', connection);
  };
  return { server, take, close };
}

/**
 * Handles a request target that is a full URL: its host takes precedence over the `Host` header.
 * @see https://www.rfc-editor.org/rfc/rfc9112#section-3.2.2
 */
function useOriginForm(req: IncomingMessage): void {
  const target = URL.parse(req.url ?? '');
  if (target === null || !/^https?:$/.test(target.protocol)) return;
  req.headers.host = target.host;
  req.url = `${target.pathname}${target.search}`;
}

/** Whether the request opens an event stream, which is refused while the process drains: the stream would end with it. */
function wantsStream({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.accept?.includes('text/event-stream') === true;
}

/** The path as sent, without decoding: a path that matches only after decoding is unknown. */
function readPath(url = ''): string {
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}

/** Calls a handler. If it throws, the client gets a general error, and the log gets the details. */
function run(route: Route, req: IncomingMessage, res: ServerResponse, log: Logger): void {
  const fail = (error: unknown): void => {
    log.error({ err: error, path: readPath(req.url) }, 'a request handler failed');
    if (res.headersSent) res.destroy();
    else refuse(res, 500, 'internal_error');
  };
  try {
    route(req, res)?.catch(fail);
  } catch (error) {
    fail(error);
  }
}

function refuse(res: ServerResponse, status: number, error: string, headers?: { readonly Connection: 'close' }): void {
  respondJson(res, status, JSON.stringify({ error }), headers);
}
