/** Several replicas of one gateway that share sessions in a Redis, behind a proxy that sends each request to the next one. */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { canonicalJson } from '#schemas';
import { type BundleOptions, gatewayBundle } from '../../support/gateway.ts';
import { eventually, PROGRAM, type Program, start, temporaryFolder } from '../../support/process.ts';
import { RedisServer, redisPlan } from '../../support/redis-server.ts';

interface Announcement {
  readonly url: string;
  readonly internal: string;
}

export interface Replica {
  readonly url: string;
  readonly internalUrl: string;
  readonly program: Program;
}

export class Replicas implements AsyncDisposable {
  readonly replicas: Replica[] = [];
  readonly redis: RedisServer;
  /** Of the proxy. */
  url = '';
  readonly #stack: AsyncDisposableStack;
  readonly #bundle: string;
  #next = 0;

  static async start(options: BundleOptions, count = 3): Promise<Replicas> {
    const stack = new AsyncDisposableStack();
    const redis = stack.use(await RedisServer.start());
    const sessionStorage = { redis: redisPlan({ addresses: [redis.address] }), keyPrefix: '' };
    const folder = stack.use(await temporaryFolder());
    await folder.write({ 'bundle.json': canonicalJson(gatewayBundle({ ...options, sessionStorage })) });
    const all = new Replicas(redis, folder.file('bundle.json'), stack);
    for (let at = 0; at < count; at++) await all.add();
    await all.#proxy();
    return all;
  }

  private constructor(redis: RedisServer, bundle: string, stack: AsyncDisposableStack) {
    this.redis = redis;
    this.#bundle = bundle;
    this.#stack = stack;
  }

  /** Starts one more; resolves when it is ready. */
  async add(): Promise<void> {
    const options = [
      '--bundle',
      this.#bundle,
      '--host',
      '127.0.0.1',
      '--port',
      '0',
      '--internal-address',
      '127.0.0.1:0',
    ];
    const program = this.#stack.use(start(PROGRAM.runtime, options));
    const { url, internal: internalUrl } = await program.announcement<Announcement>();
    await eventually(async () => (await fetch(`${internalUrl}/readyz`)).ok);
    await eventually(async () => {
      const page = (await (await fetch(`${internalUrl}/status`)).json()) as { sessionStorage: { ready: boolean } };
      return page.sessionStorage.ready;
    });
    this.replicas.push({ url, internalUrl, program });
  }

  /** Kills one as a machine that dies does. */
  async kill(at: number): Promise<void> {
    const [replica] = this.replicas.splice(at, 1) as [Replica];
    replica.program.kill('SIGKILL');
    await replica.program.ending;
  }

  /** A client of the official SDK behind the proxy, connected. */
  async connect(client = new Client({ name: 'test', version: '1' })): Promise<Client> {
    const transport = new StreamableHTTPClientTransport(new URL(this.url));
    await client.connect(transport);
    return client;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }

  async #proxy(): Promise<void> {
    const server = createServer((req, res) => this.#forward(req, res));
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    this.#stack.defer(() => {
      server.closeAllConnections();
      server.close();
    });
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  }

  #forward(req: IncomingMessage, res: ServerResponse): void {
    const replica = this.replicas[this.#next++ % this.replicas.length] as Replica;
    const { host: _host, ...headers } = req.headers;
    const onward = request(replica.url, { method: req.method ?? 'GET', headers, agent: false }, answer => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      res.flushHeaders();
      answer.on('error', () => res.destroy());
      answer.on('aborted', () => res.destroy());
      answer.pipe(res);
    });
    onward.on('error', () => (res.headersSent ? res.destroy() : res.writeHead(502).end()));
    res.on('close', () => onward.destroy());
    req.pipe(onward);
  }
}
