/** Backends that are killed and restarted, and a bundle that is replaced continually, while clients call. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type BundleOptions, backendPlan } from '../../support/gateway.ts';
import { CALL_KINDS, type CallKind } from './calls.ts';
import { GatewayProcess } from './gateway-process.ts';
import { load } from './load.ts';
import { DyingPeer, PeerProcess } from './peers/processes.ts';
import { Tally } from './tally.ts';
import { whileRunning } from './while-running.ts';

export interface RestartsOptions {
  readonly clients: number;
  readonly sdkClients: number;
  /** How long the clients call: at least this long, and until every backend that is killed has been killed and has answered; milliseconds. */
  readonly durationMs: number;
  /** How long a backend lives. */
  readonly lifeMs: number;
  /** Time from one bundle to the next. */
  readonly swapMs: number;
}

export interface RestartsReport {
  readonly calls: number;
  readonly seconds: number;
  readonly endings: { readonly [what: string]: number };
  readonly violationCount: number;
  readonly violations: readonly string[];
  readonly deaths: number;
  /** Different bundles that were seen in use. */
  readonly swaps: number;
  readonly sessionsLeft: number;
}

/** How long the test waits for backends to be available again. */
const LIMIT_MS = 5 * 60_000;

const STEADY = ['json', 'stream', 'pair', 'asking', 'stateless'];

/** Every kind of call that is answered at once. */
const KINDS: readonly CallKind[] = CALL_KINDS.filter(
  ({ backend, mood }) => STEADY.includes(backend) && !['late', 'too-late', 'stall'].includes(mood),
);

const AWAY: readonly CallKind[] = ['dying', 'dying-pair'].map(backend => ({
  backend,
  mood: 'plain',
  share: 1,
  outcomes: ['answer or away'],
}));

export async function restarts(options: RestartsOptions): Promise<RestartsReport> {
  await using steady = await PeerProcess.start({
    json: ['streamable', 0],
    stream: ['streamable', 0],
    pair: ['sse', 0],
    asking: ['streamable', 0],
    stateless: ['stateless', 0],
  });
  await using dying = await DyingPeer.start('dying', 'streamable');
  await using dyingPair = await DyingPeer.start('dying-pair', 'sse');
  const bundle = (round: number) => bundleOf(steady, [dying, dyingPair], round);
  await using gateway = await GatewayProcess.start(bundle(0));
  const { url } = gateway;
  const { clients, sdkClients, durationMs, lifeMs, swapMs } = options;
  const tally = new Tally();
  const isBack = ({ name, deaths }: DyingPeer) => deaths > 0 && tally.count(`${name} plain: answer`) > 0;
  const stop = new AbortController();
  dying.die(lifeMs);
  dyingPair.die(lifeMs * 1.3);
  const swapping = swap(gateway, bundle, swapMs, stop.signal);
  const startedAt = performance.now();
  const goesOn = () => performance.now() - startedAt < durationMs || ![dying, dyingPair].every(isBack);
  await whileRunning(
    { gateway: gateway.program, 'process of the backends': steady.program },
    load({ url, clients, sdkClients, goesOn, limitMs: LIMIT_MS, kindAt }, tally),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  stop.abort();
  const swaps = await swapping;
  return {
    calls: tally.calls,
    seconds,
    endings: tally.endings,
    violationCount: tally.violationCount,
    violations: tally.violations,
    deaths: dying.deaths + dyingPair.deaths,
    swaps,
    sessionsLeft: (await gateway.status()).sessions,
  };
}

/** A quarter of the calls goes to the backends that are killed. */
function kindAt(place: number): CallKind {
  const kinds = place < 0.25 ? AWAY : KINDS;
  const within = place < 0.25 ? place * 4 : (place - 0.25) / 0.75;
  return kinds[Math.floor(within * kinds.length)] as CallKind;
}

/** The bundle of a round. From one round to the next it has other texts, another connection to a backend, and one backend more or less. */
function bundleOf(steady: PeerProcess, dying: readonly DyingPeer[], round: number): BundleOptions {
  const overrides = { echo: { description: `round ${round}` } };
  const [away, awayPair] = dying as [DyingPeer, DyingPeer];
  return {
    backends: [
      backendPlan('json', steady.url('json'), {
        timeoutMs: 30_000,
        tools: { prefix: 'json_', advertise: { type: 'all' }, overrides },
      }),
      backendPlan('stream', steady.url('stream'), { timeoutMs: 30_000 + (round % 2) }),
      backendPlan('pair', steady.url('pair'), { transport: 'sse', timeoutMs: 30_000 + (round % 2) }),
      backendPlan('asking', steady.url('asking'), { timeoutMs: 30_000 + (round % 3) }),
      backendPlan('stateless', steady.url('stateless'), { timeoutMs: 30_000 + (round % 2) }),
      backendPlan('dying', away.url),
      backendPlan('dying-pair', awayPair.url, { transport: 'sse' }),
      ...(round % 3 === 0 ? [backendPlan('gone', 'http://127.0.0.1:9/mcp')] : []),
    ],
    operational: { health: { intervalMs: 1_000 + (round % 2), timeoutMs: 20_000, unhealthyThreshold: 3 } },
  };
}

async function swap(
  gateway: GatewayProcess,
  bundle: (round: number) => BundleOptions,
  swapMs: number,
  signal: AbortSignal,
): Promise<number> {
  const digests = new Set<string>();
  let dueAt = performance.now();
  for (let round = 1; !signal.aborted; round++) {
    await gateway.replace(bundle(round));
    dueAt += swapMs;
    await sleep(Math.max(0, dueAt - performance.now()), undefined, { signal }).catch(() => {});
    digests.add((await gateway.status()).bundle.digest);
  }
  return digests.size;
}
