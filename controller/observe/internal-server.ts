/** The pages for probes and Prometheus, on an address of their own: they need no token. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostFlaw } from '#schemas';
import { ListenError } from './listen-error.ts';
import type { ControllerMetrics } from './metrics.ts';

export interface Address {
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
}

export interface InternalServerOptions {
  readonly address: Address;
  readonly metrics: Pick<ControllerMetrics, 'page'>;
  /** What this process still waits for; empty when it is ready. A controller that does not lead is ready, too: it could at once. */
  readonly missing: () => readonly string[];
}

export class InternalServer implements AsyncDisposable {
  readonly #server: Server;
  readonly url: string;

  /** @throws ListenError */
  static async start(options: InternalServerOptions): Promise<InternalServer> {
    const { host, port } = options.address;
    const server = createServer({ requestTimeout: 10_000, headersTimeout: 5_000 }, (request, response) => {
      request.resume();
      const path = (request.url ?? '').replace(/\?.*/s, '');
      const flaw = hostFlaw(request.rawHeaders);
      if (flaw !== undefined) answer(response.setHeader('connection', 'close'), 400, `${flaw}\n`);
      else if (request.method !== 'GET' && request.method !== 'HEAD') answer(response, 405, 'only GET and HEAD\n');
      else void page(path, options, response).catch(() => answer(response, 500, 'internal error\n'));
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error: NodeJS.ErrnoException) => {
        const cause = error.code === 'EADDRINUSE' ? 'the address is in use' : (error.code ?? 'unknown cause');
        reject(
          new ListenError(
            `cannot listen on ${bracketed(host)}:${port}: ${cause}; choose another with --metrics-address`,
          ),
        );
      });
      server.listen(port, host, resolve);
    });
    return new InternalServer(server, host);
  }

  private constructor(server: Server, host: string) {
    this.#server = server;
    this.url = `http://${bracketed(host)}:${(server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise(resolve => this.#server.close(resolve));
  }
}

async function page(
  path: string,
  { metrics, missing }: InternalServerOptions,
  response: ServerResponse,
): Promise<void> {
  if (path === '/metrics') {
    const { type, text } = await metrics.page();
    answer(response, 200, text, type);
  } else if (path === '/healthz') answer(response, 200, 'ok\n');
  else if (path === '/readyz') {
    const names = missing();
    if (names.length === 0) answer(response, 200, 'ok\n');
    else answer(response, 503, `waiting for ${names.join(', ')}\n`);
  } else answer(response, 404, 'not found\n');
}

function answer(response: ServerResponse, status: number, text: string, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(text);
}

/** A host as it stands before a port: IPv6 addresses have colons of their own. */
function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
