/** Several replicas of one gateway that share sessions in a Redis, behind a proxy that sends each request to the next one. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { RedisPlan, SessionStoragePlan } from '#schemas';
import type { BundleOptions } from '../../support/gateway.ts';
import { BundleFile, type GatewayProgram, startGatewayProgram } from '../../support/gateway-program.ts';
import { eventually } from '../../support/process.ts';
import { readPrometheus } from '../../support/prometheus.ts';
import { RedisServer, redisPlan } from '../../support/redis-server.ts';
import { RoundRobin } from '../../support/round-robin.ts';

interface SessionStorage {
  readonly provider: string;
  readonly ready: boolean;
  readonly problem: string | null;
}

/** What one replica's page reports of the store. */
export async function fetchStoreStatus(internalUrl: string): Promise<SessionStorage> {
  const page = (await (await fetch(`${internalUrl}/status`)).json()) as { sessionStorage: SessionStorage };
  return page.sessionStorage;
}

/** The value of the gauge for the alert about the store. */
export async function fetchStoreGauge(internalUrl: string): Promise<number | undefined> {
  const metrics = readPrometheus(await (await fetch(`${internalUrl}/metrics`)).text());
  return metrics.get('lintel_gateway_session_store_ready')?.samples[0]?.value;
}

export type Replica = GatewayProgram;

/** Waits until a replica has found all backends healthy, which may be later than its readiness. */
export async function backendsAreReady({ internalUrl }: Replica): Promise<void> {
  await eventually(async () => {
    const page = (await (await fetch(`${internalUrl}/status`)).json()) as { backends: { status: string }[] };
    return page.backends.every(({ status }) => status === 'ready');
  });
}

export interface ReplicasOptions {
  /** The Redis that the replicas share; by default a server of their own, `Replicas.redis`. */
  readonly redis?: RedisPlan;
  /** The number of replicas; by default 3. */
  readonly count?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Options for Node itself. */
  readonly nodeOptions?: readonly string[];
  /** Whether the store is reachable from the start. By default true. */
  readonly isStoreThere?: boolean;
}

export class Replicas implements AsyncDisposable {
  readonly replicas: Replica[] = [];
  readonly #redis: RedisServer | undefined;
  readonly #stack: AsyncDisposableStack;
  readonly #bundle: BundleFile;
  readonly #storage: SessionStoragePlan;
  readonly #options: ReplicasOptions;
  #proxy: RoundRobin<Replica> | undefined;

  static async start(bundle: BundleOptions, options: ReplicasOptions = {}): Promise<Replicas> {
    await using starting = new AsyncDisposableStack();
    const stack = starting.use(new AsyncDisposableStack());
    const server = options.redis === undefined ? stack.use(await RedisServer.start()) : undefined;
    const redis = options.redis ?? redisPlan({ addresses: [server?.address ?? ''] });
    const storage = { redis, keyPrefix: '' };
    const file = stack.use(await BundleFile.write({ ...bundle, sessionStorage: storage }));
    const all = new Replicas({ server, file, storage }, options, stack);
    for (let at = 0; at < (options.count ?? 3); at++) await all.add();
    all.#proxy = stack.use(await RoundRobin.start(all.replicas));
    starting.move(); // Nothing has failed: the processes stay until `all` is disposed of.
    return all;
  }

  private constructor(
    {
      server,
      file,
      storage,
    }: {
      readonly server: RedisServer | undefined;
      readonly file: BundleFile;
      readonly storage: SessionStoragePlan;
    },
    options: ReplicasOptions,
    stack: AsyncDisposableStack,
  ) {
    this.#redis = server;
    this.#bundle = file;
    this.#storage = storage;
    this.#options = options;
    this.#stack = stack;
  }

  /** The replicas' own Redis server. */
  get redis(): RedisServer {
    if (this.#redis === undefined) throw new Error('the test brings a Redis of its own');
    return this.#redis;
  }

  /** The URL of the proxy. */
  get url(): string {
    return this.#started.url;
  }

  /** The URL of each replica without the proxy. */
  get urls(): readonly string[] {
    return this.replicas.map(({ url }) => url);
  }

  /**
   * Starts one more replica; resolves when it is ready.
   *
   * @param well is awaited before the proxy sends requests to the new replica
   */
  async add(well: (replica: Replica) => Promise<void> = async () => {}): Promise<void> {
    const { env = {}, nodeOptions = [], isStoreThere = true } = this.#options;
    const replica = await startGatewayProgram(this.#stack, this.#bundle, { env, nodeOptions });
    if (isStoreThere) await eventually(async () => (await fetchStoreStatus(replica.internalUrl)).ready);
    await well(replica);
    this.replicas.push(replica);
  }

  /** Gives all replicas another bundle. */
  async replace(bundle: BundleOptions): Promise<void> {
    await this.#bundle.replace({ ...bundle, sessionStorage: this.#storage });
  }

  /** Stops a replica as a rolling update does: first new requests go to the others, then the replica is stopped. */
  async retire(at: number): Promise<void> {
    const [replica] = this.replicas.splice(at, 1) as [Replica];
    // Requests that were sent to it before have arrived by then: the same reason as for the pause of `preStop`.
    await eventually(() => this.#started.underWay(replica) === 0);
    replica.program.kill('SIGTERM');
    await replica.program.ending;
  }

  /** Kills a replica, like a machine failure. */
  async kill(at: number): Promise<void> {
    const [replica] = this.replicas.splice(at, 1) as [Replica];
    replica.program.kill('SIGKILL');
    await replica.program.ending;
  }

  /** Breaks the event streams of running responses; clients reconnect for the rest. */
  breakStreams(): void {
    this.#started.breakStreams();
  }

  /** How many client requests have resumed a stream. */
  get resumptions(): number {
    return this.#started.resumptions;
  }

  /** An official SDK client, connected through the proxy. */
  async connect(client = new Client({ name: 'test', version: '1' })): Promise<Client> {
    const transport = new StreamableHTTPClientTransport(new URL(this.url));
    await client.connect(transport);
    return client;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }

  get #started(): RoundRobin<Replica> {
    if (this.#proxy === undefined) throw new Error('nothing is started yet');
    return this.#proxy;
  }
}
