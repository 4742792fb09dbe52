/** Starts Debian's Redis on loopback with its own ports: a single server, a set with sentinels, or a cluster. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis as Client } from 'ioredis';
import type { RedisPlan } from '#schemas';
import { listenOnOwnPort } from './own-port.ts';
import { eventually, isListening } from './process.ts';
import { ISSUED_CERTIFICATE, ISSUED_KEY, TEST_AUTHORITY } from './tls-fixture.ts';

export interface RedisServerOptions {
  readonly port?: number;
  /** Lines of the server's configuration. */
  readonly settings?: readonly string[];
  /** Whether the server accepts only TLS, with a certificate for localhost and 127.0.0.1. */
  readonly tls?: boolean;
  /** The password for the test's own connections, if the settings demand one. */
  readonly password?: string;
  readonly program?: 'redis-server' | 'redis-sentinel';
}

/** One process of Redis. `await using` stops it. */
export class RedisServer implements AsyncDisposable {
  readonly port: number;
  readonly folder: string;
  readonly #options: RedisServerOptions;
  #child: ChildProcess | undefined;

  static async start(options: RedisServerOptions = {}): Promise<RedisServer> {
    const port = options.port ?? (await ownPort());
    const server = new RedisServer(port, await mkdtemp(join(tmpdir(), 'lintel-redis-')), options);
    await server.up();
    return server;
  }

  private constructor(port: number, folder: string, options: RedisServerOptions) {
    this.port = port;
    this.folder = folder;
    this.#options = options;
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  get caFile(): string {
    return join(this.folder, 'ca.crt');
  }

  /** Starts the process, for the first time or again without its data. Resolves when it listens. */
  async up(): Promise<void> {
    const { settings = [], tls = false, program = 'redis-server' } = this.#options;
    const own = tls
      ? [
          'port 0',
          `tls-port ${this.port}`,
          `tls-cert-file ${await this.#file('server.crt', ISSUED_CERTIFICATE)}`,
          `tls-key-file ${await this.#file('server.key', ISSUED_KEY)}`,
          `tls-ca-cert-file ${await this.#file('ca.crt', TEST_AUTHORITY)}`,
          'tls-auth-clients no',
          'tls-replication yes',
        ]
      : [`port ${this.port}`];
    const lines = [...own, 'bind 127.0.0.1', `dir ${this.folder}`, 'save ""', ...settings];
    // A sentinel writes its findings into its configuration file.
    const file = await this.#file('redis.conf', `${lines.join('\n')}\n`);
    this.#child = spawn(program, [file], { stdio: 'ignore' });
    await eventually(() => isListening(`http://${this.address}`));
  }

  /** Kills the process, like a machine failure. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    child.kill('SIGCONT');
    await once(child, 'exit');
  }

  /** Stops the process so that it keeps its connections and answers nothing. */
  hang(): void {
    this.#child?.kill('SIGSTOP');
  }

  goOn(): void {
    this.#child?.kill('SIGCONT');
  }

  /** Sends one command over a separate connection. */
  async tell(command: string, ...args: readonly string[]): Promise<unknown> {
    const { tls, password } = this.#options;
    const client = new Client({
      host: '127.0.0.1',
      port: this.port,
      lazyConnect: true,
      retryStrategy: null,
      enableReadyCheck: false,
      disableClientInfo: true,
      ...(password === undefined ? {} : { password }),
      ...(tls === true ? { tls: { ca: TEST_AUTHORITY } } : {}),
    });
    client.on('error', () => {});
    try {
      await client.connect();
      return await client.call(command, ...args);
    } finally {
      client.disconnect();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }

  async #file(name: string, text: string): Promise<string> {
    const file = join(this.folder, name);
    await writeFile(file, text);
    return file;
  }
}

/** A primary with a replica, and three sentinels that watch them as `main`. */
export class RedisSentinelSet implements AsyncDisposable {
  readonly servers: readonly RedisServer[];
  readonly sentinels: readonly RedisServer[];

  static async start({ tls = false, settings = [] }: RedisServerOptions = {}): Promise<RedisSentinelSet> {
    // Starts the first synchronization at once: by default the primary waits five seconds for more replicas.
    const primary = await RedisServer.start({ tls, settings: [...settings, 'repl-diskless-sync-delay 0'] });
    const replica = await RedisServer.start({ tls, settings: [...settings, `replicaof 127.0.0.1 ${primary.port}`] });
    const watching = [
      `sentinel monitor main 127.0.0.1 ${primary.port} 2`,
      'sentinel down-after-milliseconds main 500',
      'sentinel failover-timeout main 3000',
    ];
    const sentinels = await Promise.all(
      [1, 2, 3].map(() => RedisServer.start({ program: 'redis-sentinel', settings: watching, tls })),
    );
    const set = new RedisSentinelSet([primary, replica], sentinels);
    await eventually(async () => {
      const states = await Promise.all(sentinels.map(sentinel => sentinel.tell('SENTINEL', 'MASTER', 'main')));
      return states.every(
        state => valueIn(state, 'num-other-sentinels') === '2' && valueIn(state, 'num-slaves') === '1',
      );
    });
    await set.replicated();
    return set;
  }

  private constructor(servers: readonly RedisServer[], sentinels: readonly RedisServer[]) {
    this.servers = servers;
    this.sentinels = sentinels;
  }

  async primary(): Promise<RedisServer> {
    const [sentinel] = this.sentinels as [RedisServer];
    const [, port] = (await sentinel.tell('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'main')) as [string, string];
    return this.servers.find(server => String(server.port) === port) as RedisServer;
  }

  /** Waits until the replica has every write of the primary. A primary responds before that, and a write that only it has is lost with it. */
  async replicated(): Promise<void> {
    const primary = await this.primary();
    await eventually(async () => {
      const state = String(await primary.tell('INFO', 'replication'));
      const [, written] = /^master_repl_offset:(\d+)/m.exec(state) ?? [];
      const [, read] = /^slave0:.*state=online,offset=(\d+)/m.exec(state) ?? [];
      return read !== undefined && read === written;
    });
  }

  /** Kills the primary once its replica has every write, and waits until the replica was promoted. */
  async failOver(): Promise<void> {
    const former = await this.primary();
    await this.replicated();
    await former.kill();
    await eventually(async () => {
      const next = await this.primary();
      return next !== former && ((await next.tell('ROLE')) as string[])[0] === 'master';
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of [...this.sentinels, ...this.servers]) await server[Symbol.asyncDispose]();
  }
}

const SLOTS = 16_384;

/** A Redis cluster of three nodes, each with a third of the slots. */
export class RedisCluster implements AsyncDisposable {
  readonly nodes: readonly RedisServer[];

  static async start(): Promise<RedisCluster> {
    const started = await Promise.all([startNode(), startNode(), startNode()]);
    const nodes = started.map(({ server }) => server);
    const [{ server: first, busPort }] = started;
    for (const [at, node] of nodes.entries()) {
      const from = Math.ceil((SLOTS * at) / nodes.length);
      const to = Math.ceil((SLOTS * (at + 1)) / nodes.length) - 1;
      await node.tell('CLUSTER', 'ADDSLOTSRANGE', String(from), String(to));
      await node.tell('CLUSTER', 'SET-CONFIG-EPOCH', String(at + 1));
      if (node !== first) await node.tell('CLUSTER', 'MEET', '127.0.0.1', String(first.port), String(busPort));
    }
    await eventually(async () => {
      const states = await Promise.all(nodes.map(node => node.tell('CLUSTER', 'INFO')));
      return states.every(state => /cluster_state:ok[\s\S]*cluster_known_nodes:3/.test(String(state)));
    });
    return new RedisCluster(nodes);
  }

  private constructor(nodes: readonly RedisServer[]) {
    this.nodes = nodes;
  }

  get addresses(): string[] {
    return this.nodes.map(({ address }) => address);
  }

  /** Moves a key's slot and its content to the next node. */
  async move(key: string): Promise<void> {
    const [any] = this.nodes as [RedisServer];
    const slot = String(await any.tell('CLUSTER', 'KEYSLOT', key));
    const ids = await Promise.all(this.nodes.map(async node => String(await node.tell('CLUSTER', 'MYID'))));
    const owner = await this.#ownerOf(Number(slot));
    const next = (owner + 1) % this.nodes.length;
    const [from, to] = [this.nodes[owner], this.nodes[next]] as [RedisServer, RedisServer];
    await to.tell('CLUSTER', 'SETSLOT', slot, 'IMPORTING', ids[owner] as string);
    await from.tell('CLUSTER', 'SETSLOT', slot, 'MIGRATING', ids[next] as string);
    const keys = (await from.tell('CLUSTER', 'GETKEYSINSLOT', slot, '1000')) as string[];
    if (keys.length > 0) {
      await from.tell('MIGRATE', '127.0.0.1', String(to.port), '', '0', '5000', 'KEYS', ...keys);
    }
    for (const node of [to, from, ...this.nodes])
      await node.tell('CLUSTER', 'SETSLOT', slot, 'NODE', ids[next] as string);
  }

  async #ownerOf(slot: number): Promise<number> {
    const [any] = this.nodes as [RedisServer];
    const ranges = (await any.tell('CLUSTER', 'SLOTS')) as [from: number, to: number, [host: string, port: number]][];
    const port = ranges.find(([from, to]) => from <= slot && slot <= to)?.[2][1];
    return this.nodes.findIndex(node => node.port === port);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const node of this.nodes) await node[Symbol.asyncDispose]();
  }
}

/** The plan of a server without a password, in plain text. */
export function redisPlan(plan: Partial<RedisPlan> & Pick<RedisPlan, 'addresses'>): RedisPlan {
  return {
    mode: 'standalone',
    masterName: null,
    db: 0,
    username: null,
    password: null,
    mayLackPassword: false,
    tls: null,
    sentinelTls: null,
    timeouts: { dialMs: 5_000, readMs: 3_000, writeMs: 3_000 },
    ...plan,
  };
}

interface Node {
  readonly server: RedisServer;
  /** The port for communication between nodes. */
  readonly busPort: number;
}

async function startNode(): Promise<Node> {
  const busPort = await ownPort();
  const settings = ['cluster-enabled yes', `cluster-port ${busPort}`];
  return { server: await RedisServer.start({ settings }), busPort };
}

function valueIn(pairs: unknown, name: string): string | undefined {
  const list = pairs as string[];
  return list[list.indexOf(name) + 1];
}

async function ownPort(): Promise<number> {
  const server = createServer();
  await listenOnOwnPort(server);
  const { port } = server.address() as { port: number };
  await new Promise(resolve => server.close(resolve));
  return port;
}
