/** A plain proxy without session affinity: each request goes to the next server. */
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How long a client may take to read data that has arrived; before it has read an event, it cannot resume the stream. */
const READ_MS = 500;

export interface ProxiedServer {
  readonly url: string;
}

export class RoundRobin<S extends ProxiedServer> implements AsyncDisposable {
  /** The proxy's URL, with the path of the first server's. */
  readonly url: string;
  readonly #http: Server;
  readonly #traffic: Traffic<S>;

  /** @param servers the current targets of requests; there is at least one */
  static async start<S extends ProxiedServer>(servers: readonly S[]): Promise<RoundRobin<S>> {
    let next = 0;
    const traffic: Traffic<S> = { underWay: new Map(), streams: new Map(), resumptions: 0 };
    const http = createServer((req, res) => forward(servers[next++ % servers.length] as S, traffic, req, res));
    // A client may send on an idle connection just when it is closed; this proxy must not cause such a lost call.
    http.keepAliveTimeout = 0;
    await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve));
    const path = new URL((servers[0] as S).url).pathname;
    return new RoundRobin(`http://127.0.0.1:${(http.address() as AddressInfo).port}${path}`, http, traffic);
  }

  private constructor(url: string, http: Server, traffic: Traffic<S>) {
    this.url = url;
    this.#http = http;
    this.#traffic = traffic;
  }

  underWay(server: S): number {
    return this.#traffic.underWay.get(server) ?? 0;
  }

  /** The number of requests that resumed a stream. */
  get resumptions(): number {
    return this.#traffic.resumptions;
  }

  /** Breaks the event streams of running responses, except those whose client may not have read an event yet. */
  breakStreams(): void {
    const before = performance.now() - READ_MS;
    for (const [res, since] of this.#traffic.streams) if (since < before) res.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#http.closeAllConnections();
    this.#http.close();
  }
}

interface Traffic<S> {
  /** The number of running requests at each server, without notification streams. */
  readonly underWay: Map<S, number>;
  /** The streams of running responses, and the time of the first data on each; milliseconds of `performance.now`. */
  readonly streams: Map<ServerResponse, number>;
  resumptions: number;
}

function forward<S extends ProxiedServer>(
  server: S,
  traffic: Traffic<S>,
  req: IncomingMessage,
  res: ServerResponse,
): void {
  const { underWay, streams } = traffic;
  const { host: _host, ...headers } = req.headers;
  traffic.resumptions += Number(headers['last-event-id'] !== undefined);
  if (req.method !== 'GET') {
    const count = (change: number) => underWay.set(server, (underWay.get(server) ?? 0) + change);
    count(1);
    res.on('close', () => count(-1));
  }
  const url = new URL(req.url ?? '/', server.url);
  const onward = request(url, { method: req.method ?? 'GET', headers, agent: false }, answer => {
    res.writeHead(answer.statusCode ?? 502, answer.headers);
    res.flushHeaders();
    if (req.method === 'POST' && answer.headers['content-type']?.startsWith('text/event-stream') === true) {
      answer.once('data', () => streams.set(res, performance.now()));
      res.on('close', () => streams.delete(res));
    }
    answer.on('error', () => res.destroy());
    answer.on('aborted', () => res.destroy());
    answer.pipe(res);
  });
  // The client gets the error of the connection.
  onward.on('error', (error: NodeJS.ErrnoException) =>
    res.headersSent ? res.destroy() : res.writeHead(502).end(`${error.code ?? ''} ${error.message}`),
  );
  res.on('close', () => onward.destroy());
  req.pipe(onward);
}
