/** Several replicas of one gateway that share sessions in a Redis, behind a proxy that sends each request to the next one. */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { canonicalJson, type RedisPlan } from '#schemas';
import { type BundleOptions, gatewayBundle } from '../../support/gateway.ts';
import { eventually, PROGRAM, type Program, start, temporaryFolder } from '../../support/process.ts';
import { RedisServer, redisPlan } from '../../support/redis-server.ts';

interface SessionStorage {
  readonly provider: string;
  readonly ready: boolean;
  readonly problem: string | null;
}

/** What the page of one replica says of the store. */
export async function storeOf(internalUrl: string): Promise<SessionStorage> {
  const page = (await (await fetch(`${internalUrl}/status`)).json()) as { sessionStorage: SessionStorage };
  return page.sessionStorage;
}

interface Announcement {
  readonly url: string;
  readonly internal: string;
}

export interface Replica {
  readonly url: string;
  readonly internalUrl: string;
  readonly program: Program;
}

export interface ReplicasOptions {
  /** Default: a server of their own, `Replicas.redis`. */
  readonly redis?: RedisPlan;
  /** Default 3. */
  readonly count?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Whether they reach the store from the start. Default: true. */
  readonly isStoreThere?: boolean;
}

export class Replicas implements AsyncDisposable {
  readonly replicas: Replica[] = [];
  readonly #redis: RedisServer | undefined;
  /** Of the proxy. */
  url = '';
  readonly #stack: AsyncDisposableStack;
  readonly #bundle: string;
  readonly #options: ReplicasOptions;
  /** Requests that each replica works on for the proxy, without standing streams. */
  readonly #underWay: Map<Replica, number> = new Map();
  #next = 0;

  static async start(bundle: BundleOptions, options: ReplicasOptions = {}): Promise<Replicas> {
    const stack = new AsyncDisposableStack();
    const server = options.redis === undefined ? stack.use(await RedisServer.start()) : undefined;
    const redis = options.redis ?? redisPlan({ addresses: [server?.address ?? ''] });
    const folder = stack.use(await temporaryFolder());
    const text = canonicalJson(gatewayBundle({ ...bundle, sessionStorage: { redis, keyPrefix: '' } }));
    await folder.write({ 'bundle.json': text });
    const all = new Replicas(server, folder.file('bundle.json'), options, stack);
    for (let at = 0; at < (options.count ?? 3); at++) await all.add();
    await all.#proxy();
    return all;
  }

  private constructor(
    redis: RedisServer | undefined,
    bundle: string,
    options: ReplicasOptions,
    stack: AsyncDisposableStack,
  ) {
    this.#redis = redis;
    this.#bundle = bundle;
    this.#options = options;
    this.#stack = stack;
  }

  /** The server of their own. */
  get redis(): RedisServer {
    if (this.#redis === undefined) throw new Error('the test brings a Redis of its own');
    return this.#redis;
  }

  /** Where each is reached without the proxy. */
  get urls(): readonly string[] {
    return this.replicas.map(({ url }) => url);
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
    const { env = {}, isStoreThere = true } = this.#options;
    const program = this.#stack.use(start(PROGRAM.runtime, options, { env }));
    const { url, internal: internalUrl } = await program.announcement<Announcement>();
    await eventually(async () => (await fetch(`${internalUrl}/readyz`)).ok);
    if (isStoreThere) await eventually(async () => (await storeOf(internalUrl)).ready);
    this.replicas.push({ url, internalUrl, program });
  }

  /** Ends one as a rolling update does: new requests go to others, and then it is asked to stop. */
  async retire(at: number): Promise<void> {
    const [replica] = this.replicas.splice(at, 1) as [Replica];
    // What was sent to it before, it has got by then: the pause that `preStop` makes for the same reason.
    await eventually(() => (this.#underWay.get(replica) ?? 0) === 0);
    replica.program.kill('SIGTERM');
    await replica.program.ending;
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
    if (req.method !== 'GET') {
      const count = (change: number) => this.#underWay.set(replica, (this.#underWay.get(replica) ?? 0) + change);
      count(1);
      res.on('close', () => count(-1));
    }
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
