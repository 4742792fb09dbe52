/**
 * Three replicas without session affinity, and sessions that continue while replicas, Redis and backends are killed and bundles are replaced.
 */
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { backendPlan } from '../../../support/gateway.ts';
import { eventually } from '../../../support/process.ts';
import { RedisSentinelSet, redisPlan } from '../../../support/redis-server.ts';
import { type SdkServer, startSdkServer } from '../../../support/sdk-server.ts';
import { fetchStoreStatus, type Replica, Replicas } from '../../scale-out/replicas.ts';
import { type Failure, SoakSession } from './session.ts';

export interface ReplicasSoakOptions {
  readonly sessions: number;
  /** How long the sessions make calls: at least this long, and until each kind of event has occurred; milliseconds. */
  readonly durationMs: number;
  /** Average time between two calls of one session; milliseconds. */
  readonly pauseMs: number;
  /** Time between two events. */
  readonly eventMs: number;
}

export interface ReplicasSoakReport {
  readonly calls: number;
  /** Outcomes of calls, by kind. */
  readonly endings: Readonly<Record<string, number>>;
  readonly violations: readonly string[];
  readonly violationCount: number;
  readonly events: Readonly<Record<EventKind, number>>;
  /** The number of calls that succeeded although meanwhile a new bundle changed the connection to their backend. */
  readonly answeredOverSwaps: number;
  /** Requests that resumed a stream. */
  readonly resumptions: number;
  /** Resident memory, without garbage, of the replica that is never stopped: after a third of the time, and at the end; bytes. */
  readonly memory: readonly [after: number, atEnd: number];
}

export type EventKind = 'kill' | 'retire' | 'cut' | 'failover' | 'backend' | 'swap';

/** How running calls may fail during each event. None may fail during a rolling update or a new bundle. */
const EXCUSES: Readonly<Record<EventKind, readonly Failure[]>> = {
  kill: ['connection', 'replica_lost', 'timeout'],
  retire: [],
  cut: ['connection', 'timeout'],
  failover: ['store_away', 'replica_lost'],
  backend: ['backend'],
  swap: [],
};

const EVENTS = Object.keys(EXCUSES) as readonly EventKind[];

/** How long replicas may take to find all backends healthy, and a Redis to follow a new primary, on a busy machine; milliseconds. */
const WELL_MS = 300_000;

/** Lets a signal trigger garbage collection. */
const COLLECTS_GARBAGE = [
  '--expose-gc',
  '--import',
  'data:text/javascript,process.on("SIGUSR2",()=>gc({type:"major",flavor:"last-resort"}))',
];

/** Limit on reported violations; the others are counted. */
const MAX_REPORTED = 20;

interface Happened {
  readonly kind: EventKind;
  readonly from: number;
  /** The end of the event; infinite while the event is not over. */
  to: number;
}

export async function soakReplicas(options: ReplicasSoakOptions): Promise<ReplicasSoakReport> {
  await using world = await World.start();
  return await new Soak(world, options).run();
}

/** The running processes: backends, sentinels with their Redis, replicas. */
class World implements AsyncDisposable {
  readonly replicas: Replicas;
  readonly #steady: SdkServer;
  readonly #sentinels: RedisSentinelSet;
  readonly #stack: AsyncDisposableStack;
  #dying: SdkServer;
  #round = 0;

  static async start(): Promise<World> {
    const stack = new AsyncDisposableStack();
    const sentinels = stack.use(await RedisSentinelSet.start());
    const addresses = sentinels.sentinels.map(({ address }) => address);
    const redis = redisPlan({ mode: 'sentinel', masterName: 'main', addresses });
    const steady = await startSdkServer({ transport: 'streamable-http' });
    stack.defer(() => steady.close());
    const dying = await startSdkServer({ transport: 'streamable-http' });
    const bundle = bundleOf(steady, dying, 0);
    const replicas = stack.use(await Replicas.start(bundle, { redis, nodeOptions: COLLECTS_GARBAGE }));
    return new World({ stack, sentinels, steady, dying, replicas });
  }

  private constructor(parts: {
    readonly stack: AsyncDisposableStack;
    readonly sentinels: RedisSentinelSet;
    readonly steady: SdkServer;
    readonly dying: SdkServer;
    readonly replicas: Replicas;
  }) {
    this.#stack = parts.stack;
    this.#sentinels = parts.sentinels;
    this.#steady = parts.steady;
    this.#dying = parts.dying;
    this.replicas = parts.replicas;
  }

  /** Causes an event; resolves when everything is available again. The first replica is never stopped. */
  async happen(kind: EventKind): Promise<void> {
    const { replicas } = this;
    switch (kind) {
      case 'kill':
        await replicas.kill(1);
        await replicas.add(replica => backendsAreWell(replica, Date.now()));
        // Until then other replicas may count it as alive, and reconnecting clients wait for it.
        await sleep(7_000);
        return;
      case 'retire':
        await replicas.add(replica => backendsAreWell(replica, Date.now()));
        await replicas.retire(1);
        return;
      case 'cut':
        replicas.breakStreams();
        return;
      case 'failover':
        await this.#failOver();
        return;
      case 'backend':
        await this.#dying.close();
        await sleep(500);
        this.#dying = await startSdkServer({ transport: 'streamable-http', port: this.#dying.port });
        await this.#backendsThere();
        return;
      case 'swap':
        await this.#swap();
    }
  }

  /** Replaces the bundle; resolves when all replicas serve the next one. */
  async #swap(): Promise<void> {
    const { replicas } = this;
    const before = await Promise.all(replicas.replicas.map(digestAt));
    await replicas.replace(bundleOf(this.#steady, this.#dying, ++this.#round));
    for (const [at, replica] of replicas.replicas.entries())
      await eventually(async () => (await digestAt(replica)) !== before[at]);
  }

  /** Both have resources of these names; the backend at which the client subscribed notifies it. */
  async update(uri: string): Promise<void> {
    await this.#steady.update(uri);
    await this.#dying.update(uri);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
    await this.#dying.close();
  }

  async #failOver(): Promise<void> {
    const former = await this.#sentinels.primary();
    await this.#sentinels.failOver();
    await former.up();
    await eventually(async () => {
      // A sentinel that makes it a replica closes its connections.
      const [role, , , link] = (await former.tell('ROLE').catch(() => [])) as string[];
      return role === 'slave' && link === 'connected';
      // Sentinels that detect a slow machine do nothing for 30 s at a time.
    }, WELL_MS);
    for (const { internalUrl } of this.replicas.replicas)
      await eventually(async () => (await fetchStoreStatus(internalUrl)).ready);
    await sleep(1_000);
  }

  /** Waits until each replica has found all backends healthy from now on. */
  async #backendsThere(): Promise<void> {
    const since = Date.now();
    for (const replica of this.replicas.replicas) await backendsAreWell(replica, since);
  }
}

class Soak {
  readonly #world: World;
  readonly #options: ReplicasSoakOptions;
  readonly #happened: Happened[] = [];
  readonly #endings: Record<string, number> = {};
  readonly #violations: string[] = [];
  #violationCount = 0;
  #calls = 0;
  #answeredOverSwaps = 0;
  #isOver = false;

  constructor(world: World, options: ReplicasSoakOptions) {
    this.#world = world;
    this.#options = options;
  }

  async run(): Promise<ReplicasSoakReport> {
    const { replicas } = this.#world;
    const { sessions: count } = this.#options;
    const wrong = (what: string) => this.#wrong(what);
    const sessions = Array.from({ length: count }, (_, at) => new SoakSession(`c${at}`, replicas.url, wrong));
    for (let at = 0; at < count; at += 10) await Promise.all(sessions.slice(at, at + 10).map(one => one.open()));
    const [oldest] = replicas.replicas as [Replica];
    const calling = Promise.all(sessions.map(session => this.#use(session)));
    const after = await this.#trouble(oldest);
    this.#isOver = true;
    await calling;
    // Finally, each session still gets the updates of its resource.
    for (const session of sessions) {
      const before = session.updates;
      await eventually(async () => {
        await this.#world.update(session.uri);
        return session.updates > before;
      });
      for (const backend of ['steady', 'dying']) await this.#checked(() => session.echo(backend));
    }
    const atEnd = await memoryOf(oldest);
    await Promise.all(sessions.map(session => session.close()));
    for (const { internalUrl } of replicas.replicas)
      await eventually(async () => (await sessionsAt(internalUrl)) === 0);
    return {
      calls: this.#calls,
      endings: this.#endings,
      violations: this.#violations,
      violationCount: this.#violationCount,
      events: Object.fromEntries(
        EVENTS.map(kind => [kind, this.#happened.filter(event => event.kind === kind).length]),
      ) as Record<EventKind, number>,
      answeredOverSwaps: this.#answeredOverSwaps,
      resumptions: replicas.resumptions,
      memory: [after, atEnd],
    };
  }

  /** Runs one event after another. Returns the memory of a replica after a third of the time. */
  async #trouble(oldest: Replica): Promise<number> {
    const { durationMs, eventMs } = this.#options;
    const startedAt = performance.now();
    let memory: number | undefined;
    for (let at = 0; at < EVENTS.length || performance.now() - startedAt < durationMs; at++) {
      await sleep(eventMs);
      const event: Happened = { kind: EVENTS[at % EVENTS.length] as EventKind, from: performance.now(), to: Infinity };
      this.#happened.push(event);
      await this.#world.happen(event.kind);
      event.to = performance.now();
      if (memory === undefined && performance.now() - startedAt > durationMs / 3) memory = await memoryOf(oldest);
    }
    await sleep(eventMs);
    return memory ?? (await memoryOf(oldest));
  }

  async #use(session: SoakSession): Promise<void> {
    while (!this.#isOver) {
      await sleep(Math.random() * 2 * this.#options.pauseMs);
      const backend = Math.random() < 0.2 ? 'dying' : 'steady';
      const isAsking = Math.random() < 0.4;
      await this.#checked(() => (isAsking ? session.ask(backend) : session.echo(backend)));
      if (Math.random() < 0.2) await this.#world.update(session.uri);
    }
  }

  async #checked(use: () => ReturnType<SoakSession['echo']>): Promise<void> {
    const from = performance.now();
    const outcome = await use();
    const to = performance.now();
    this.#calls++;
    const key = outcome.kind === 'done' ? 'answer' : outcome.failure;
    this.#endings[key] = (this.#endings[key] ?? 0) + 1;
    if (outcome.kind === 'done') {
      const isOverSwap = this.#happened.some(event => event.kind === 'swap' && event.from > from && event.from < to);
      this.#answeredOverSwaps += Number(isOverSwap);
      return;
    }
    const { failure, text } = outcome;
    const isExcused = this.#happened.some(
      event => event.from <= to && event.to >= from && EXCUSES[event.kind].includes(failure),
    );
    if (!isExcused) this.#wrong(`${failure} while ${this.#eventsAt(from, to)} happened: ${text}`);
  }

  #eventsAt(from: number, to: number): string {
    const kinds = this.#happened.filter(event => event.from <= to && event.to >= from).map(({ kind }) => kind);
    return kinds.join(' and ') || 'nothing';
  }

  #wrong(what: string): void {
    this.#violationCount++;
    if (this.#violations.length < MAX_REPORTED) this.#violations.push(what);
  }
}

/** Each round reaches both backends differently, so that their connections are replaced. */
function bundleOf(steady: SdkServer, dying: SdkServer, round: number) {
  const timeoutMs = 60_000 + round;
  return {
    backends: [backendPlan('steady', steady.url, { timeoutMs }), backendPlan('dying', dying.url, { timeoutMs })],
    operational: { health: { intervalMs: 1_000 + round, timeoutMs: 20_000, unhealthyThreshold: 3 } },
  };
}

/** Waits until a replica has found all backends healthy after a given time. */
async function backendsAreWell({ internalUrl }: Replica, since: number): Promise<void> {
  await eventually(async () => {
    const page = (await (await fetch(`${internalUrl}/status`)).json()) as {
      backends: { status: string; lastHealthCheck: string | null }[];
    };
    return page.backends.every(
      ({ status, lastHealthCheck }) => status === 'ready' && Date.parse(lastHealthCheck ?? '') > since,
    );
  }, WELL_MS);
}

async function digestAt({ internalUrl }: Replica): Promise<string> {
  return ((await (await fetch(`${internalUrl}/status`)).json()) as { bundle: { digest: string } }).bundle.digest;
}

async function sessionsAt(internalUrl: string): Promise<number> {
  return ((await (await fetch(`${internalUrl}/status`)).json()) as { sessions: number }).sessions;
}

/** Resident memory without garbage, in bytes. */
async function memoryOf({ program }: Replica): Promise<number> {
  program.kill('SIGUSR2');
  await sleep(1_500);
  const status = await readFile(`/proc/${program.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}
