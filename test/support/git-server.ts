/** A git server over HTTP: git's own CGI program behind a Node server. */
import { spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { TEST_CERTIFICATE, TEST_KEY } from './tls-fixture.ts';

export interface GitServerOptions {
  /** Folder of the repositories. */
  readonly root: string;
  /** The only accepted `user:password`; without it all clients are accepted. */
  readonly user?: () => string;
  /** Acts like a server that is older than version 2 of the protocol. */
  readonly isOld?: boolean;
  /** Serves https with the tests' certificate. */
  readonly isTls?: boolean;
  /** PEM of the authorities for client certificates. */
  readonly clientAuthorities?: string;
  /** Answers a request in place of git, and returns true. */
  readonly intercept?: (request: IncomingMessage, response: ServerResponse) => boolean;
}

export interface SeenRequest {
  readonly url: string;
  readonly authorization: string | undefined;
}

/** A git server that listens on loopback; `await using` stops it. */
export class GitServer implements AsyncDisposable {
  /** All received requests, in order. */
  readonly requests: SeenRequest[] = [];
  readonly #server: Server;
  readonly #scheme: string;

  static async start(options: GitServerOptions): Promise<GitServer> {
    const server = new GitServer(options);
    await new Promise<void>(resolve => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  private constructor(options: GitServerOptions) {
    const { isTls = false, clientAuthorities: ca } = options;
    this.#scheme = isTls ? 'https' : 'http';
    const tls = { cert: TEST_CERTIFICATE, key: TEST_KEY, ...(ca !== undefined && { ca, requestCert: true }) };
    const listen = isTls ? createTlsServer.bind(null, tls) : createServer;
    this.#server = listen((request: IncomingMessage, response: ServerResponse) => {
      const { authorization } = request.headers;
      this.requests.push({ url: request.url ?? '', authorization });
      if (options.intercept?.(request, response) === true) return;
      if (options.user !== undefined && authorization !== basic(options.user())) {
        response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
        return;
      }
      serve(request, response, options);
    });
  }

  get origin(): string {
    return `${this.#scheme}://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Later connections get these certificates. */
  changeCertificates(context: { readonly cert?: string; readonly key?: string; readonly ca?: string }): void {
    (this.#server as TlsServer).setSecureContext({ cert: TEST_CERTIFICATE, key: TEST_KEY, ...context });
  }

  url(repository: string): string {
    return `${this.origin}/${repository}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise(resolve => this.#server.close(resolve));
  }
}

export function basic(user: string): string {
  return `Basic ${Buffer.from(user).toString('base64')}`;
}

/** Runs `git http-backend` for a request over CGI/1.1 (RFC 3875), as far as that program needs it. */
function serve(request: IncomingMessage, response: ServerResponse, { root, isOld = false }: GitServerOptions): void {
  const { pathname, search } = new URL(request.url ?? '', 'http://localhost');
  const version = request.headers['git-protocol'];
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env.PATH,
      HOME: root,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      REQUEST_METHOD: request.method,
      PATH_INFO: decodeURIComponent(pathname),
      QUERY_STRING: search.slice(1),
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      CONTENT_LENGTH: request.headers['content-length'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      ...(isOld || version === undefined ? {} : { GIT_PROTOCOL: String(version) }),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  request.pipe(child.stdin).on('error', () => {});
  let head = Buffer.alloc(0);
  child.stdout.on('data', (chunk: Buffer) => {
    if (response.headersSent) {
      response.write(chunk);
      return;
    }
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end === -1) return;
    const fields = head.subarray(0, end).toString('latin1').split('\r\n');
    const headers = fields.map(field => field.split(/: (.*)/s).slice(0, 2) as [string, string]);
    const status = headers.find(([name]) => name === 'Status')?.[1].slice(0, 3) ?? '200';
    response.writeHead(Number(status), headers.filter(([name]) => name !== 'Status').flat());
    response.write(head.subarray(end + 4));
  });
  child.once('close', () => response.end());
  response.once('close', () => child.kill());
}
