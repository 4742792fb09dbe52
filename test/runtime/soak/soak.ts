/** Clients of all kinds call backends with every fault; then the test measures which sessions and memory are left when the clients are gone. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type BundleOptions, backendPlan } from '../../support/gateway.ts';
import { eventually } from '../../support/process.ts';
import { GatewayProcess, type Memory } from './gateway-process.ts';
import { load } from './load.ts';
import { STALL_LIMIT_MS } from './peers/moods.ts';
import { DyingPeer, type PeerKind, PeerProcess } from './peers/processes.ts';
import { Tally } from './tally.ts';
import { whileRunning } from './while-running.ts';

export interface SoakOptions {
  readonly clients: number;
  readonly sdkClients: number;
  /** Calls of each client. */
  readonly calls: number;
  /** Calls of each client before memory is first measured, so that code is compiled and pools are full. */
  readonly warmUpCalls: number;
  /** How long the killed backend lives; milliseconds. */
  readonly lifeMs: number;
  /** No more calls begin after this time; milliseconds. */
  readonly limitMs: number;
  /** Sessions that each backend may have at the end. Those that are kept for stateless clients end a minute after their last call. */
  readonly backendSessionsAllowed: number;
  /** Sockets that the gateway may have before it counts as idle. Idle connections close after a few seconds. */
  readonly socketsAllowed: number;
  /** How long the gateway idles before its memory is measured, so that idle connections have closed; milliseconds. */
  readonly restMs: number;
}

export interface SoakReport {
  readonly calls: number;
  readonly seconds: number;
  /** Processor time of the gateway for these calls. */
  readonly cpuSeconds: number;
  readonly endings: { readonly [what: string]: number };
  readonly violationCount: number;
  readonly violations: readonly string[];
  readonly deaths: number;
  /** Client sessions, and sessions at each backend, when all clients have disconnected. */
  readonly sessionsLeft: number;
  readonly backendSessionsLeft: { readonly [backend: string]: number };
  readonly before: Memory;
  readonly after: Memory;
  readonly peakRssBytes: number;
  readonly socketsBefore: number;
  readonly socketsAfter: number;
  /** Errors that peers report; usually none. */
  readonly complaints: string;
}

/** How long sessions and connections may take to end once the clients are gone. */
const SETTLE_MS = 90_000;

const PEERS: { readonly [name: string]: readonly [PeerKind, number] } = {
  json: ['streamable', 0],
  stream: ['streamable', 0],
  pair: ['sse', 0],
  stateless: ['stateless', 0],
  stalling: ['streamable', 0],
  garbling: ['streamable', 0],
  cutting: ['streamable', 0],
  forgetful: ['streamable', 0],
  moving: ['streamable', 0],
  asking: ['streamable', 0],
};

/** Backends whose calls may time out have a short time limit. */
const SHORT_LIMIT: ReadonlySet<string> = new Set(['stalling', 'pair', 'stateless']);

export async function soak(options: SoakOptions): Promise<SoakReport> {
  await using dying = await DyingPeer.start('dying', 'streamable');
  await using peers = await PeerProcess.start(PEERS);
  await using gateway = await GatewayProcess.start(bundleOf(peers, dying));
  dying.die(options.lifeMs);
  const programs = { gateway: gateway.program, 'process of the backends': peers.program };
  return await whileRunning(programs, measured(options, { dying, peers, gateway }));
}

interface Processes {
  readonly dying: DyingPeer;
  readonly peers: PeerProcess;
  readonly gateway: GatewayProcess;
}

async function measured(options: SoakOptions, { dying, peers, gateway }: Processes): Promise<SoakReport> {
  const { clients, sdkClients, limitMs, calls, warmUpCalls } = options;
  const every = { url: gateway.url, clients, sdkClients, limitMs };
  const warmUp = new Tally();
  await load({ ...every, goesOn: n => n < warmUpCalls }, warmUp);
  await settled(peers, gateway, options);
  const [before, socketsBefore] = [await gateway.memory(), await gateway.sockets()];

  const tally = new Tally();
  const peak = new Peak(gateway);
  const [startedAt, cpuBefore] = [performance.now(), await gateway.cpuSeconds()];
  await load({ ...every, goesOn: n => n < calls }, tally);
  const seconds = (performance.now() - startedAt) / 1000;
  const cpuSeconds = (await gateway.cpuSeconds()) - cpuBefore;
  const peakRssBytes = peak.stop();
  await dying.live();
  const backendSessionsLeft = await settled(peers, gateway, options);
  return {
    calls: tally.calls,
    seconds,
    cpuSeconds,
    endings: tally.endings,
    violationCount: warmUp.violationCount + tally.violationCount,
    violations: [...warmUp.violations, ...tally.violations],
    deaths: dying.deaths,
    sessionsLeft: (await gateway.status()).sessions,
    backendSessionsLeft,
    before,
    after: await gateway.memory(),
    peakRssBytes,
    socketsBefore,
    socketsAfter: await gateway.sockets(),
    complaints: peers.program.stderr.text,
  };
}

function bundleOf(peers: PeerProcess, dying: DyingPeer): BundleOptions {
  const plans = Object.entries(PEERS).map(([name, [kind]]) =>
    backendPlan(name, peers.url(name), {
      transport: kind === 'sse' ? 'sse' : 'streamable-http',
      timeoutMs: SHORT_LIMIT.has(name) ? STALL_LIMIT_MS : 30_000,
    }),
  );
  return {
    backends: [...plans, backendPlan('dying', dying.url)],
    // On a busy machine a probe may be slow, but a backend that never stops must not count as unavailable.
    operational: { health: { intervalMs: 2_000, timeoutMs: 20_000, unhealthyThreshold: 3 } },
  };
}

/** Waits until each backend has no more sessions than allowed, besides the monitor's; returns the number that is left. */
async function settled(
  peers: PeerProcess,
  gateway: GatewayProcess,
  { backendSessionsAllowed, socketsAllowed, restMs }: SoakOptions,
): Promise<{ readonly [backend: string]: number }> {
  const left = async () =>
    Object.fromEntries(
      Object.entries(await peers.openSessions()).map(([name, count]) => [name, Math.max(0, count - 1)]),
    );
  await eventually(
    async () => Object.values(await left()).every(count => count <= backendSessionsAllowed),
    SETTLE_MS,
  ).catch(() => {});
  await eventually(async () => (await gateway.sockets()) <= socketsAllowed, SETTLE_MS).catch(() => {});
  await sleep(restMs);
  return left();
}

/** The most memory that was measured. */
class Peak {
  #bytes = 0;
  readonly #timer: NodeJS.Timeout;

  constructor(gateway: GatewayProcess) {
    this.#timer = setInterval(async () => {
      this.#bytes = Math.max(this.#bytes, await gateway.rssBytes().catch(() => 0));
    }, 500);
  }

  stop(): number {
    clearInterval(this.#timer);
    return this.#bytes;
  }
}
