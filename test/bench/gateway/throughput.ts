/** Measures calls through the gateway, compared with the same calls through the bare proxy and to the backend itself. */
import { RawClient } from '../../support/raw-client.ts';
import { sessionCall, sessionHead, speaksStateless, statelessCall, statelessHead } from './calls.ts';
import { type CallJob, Load, type Slice } from './load.ts';
import {
  memoryMb,
  type Server,
  startBackend,
  startBareProxy,
  startGateway,
  startLeanProxyAsImage,
} from './processes.ts';

export const FRAMINGS = ['json', 'sse'] as const;
export const CONNECTIONS = [1, 16] as const;

export type Framing = (typeof FRAMINGS)[number];

/** The baseline: a conventional proxy, as lean as possible. */
export const BARE = 'bare proxy';
export const LEAN = 'lean proxy';
const LEAN_AS_IMAGE = "lean proxy with the image's settings";

export interface Target {
  readonly name: string;
  readonly pid: number;
  /** The calls of a slice; undefined if the target does not support this kind of call. */
  job(framing: Framing): Pick<CallJob, 'url' | 'heads' | 'body'> | undefined;
}

export interface Cell {
  readonly target: string;
  readonly framing: Framing;
  readonly connections: number;
  /** Empty if the target does not support this kind of call. */
  readonly slices: Slice[];
}

export interface Throughput {
  readonly cells: readonly Cell[];
  /** Resident memory in megabytes at rest and after the load. */
  readonly memory: ReadonlyMap<string, { readonly rest: number; readonly load: number }>;
}

export interface ThroughputOptions {
  readonly rounds: number;
  readonly sliceMs: number;
  /** The folder into which the gateway's bundle is written. */
  readonly folder: string;
}

export async function measureThroughput(options: ThroughputOptions): Promise<Throughput> {
  await using backend = await startBackend();
  await using bare = await startBareProxy(backend);
  await using lean = await startBareProxy(backend, '--lean');
  await using leanAsImage = await startLeanProxyAsImage(backend);
  const names = new Map(FRAMINGS.map(framing => [framing, pathOf(framing)]));
  await using gateway = await startGateway(options.folder, backend, names);
  const { targets, rest } = await targetsOf(backend, { bare, lean, leanAsImage }, gateway);
  using load = new Load();
  const cells = targets.flatMap(({ name }) =>
    FRAMINGS.flatMap(framing =>
      CONNECTIONS.map((connections): Cell => ({ target: name, framing, connections, slices: [] })),
    ),
  );
  // The first round is not counted. Targets alternate, so that a slow moment affects all of them.
  for (let round = 0; round <= options.rounds; round++) {
    for (const connections of CONNECTIONS) {
      for (const framing of FRAMINGS) {
        for (const { name, pid, job } of targets) {
          const own = job(framing);
          if (own === undefined) continue;
          const slice = await load.run({ ...own, connections, ms: options.sliceMs }, pid);
          const cell = cells.find(c => c.target === name && c.framing === framing && c.connections === connections);
          if (round > 0) cell?.slices.push(slice);
        }
      }
    }
  }
  const memory = new Map<string, { rest: number; load: number }>();
  for (const { name, pid } of targets) {
    memory.set(name, { rest: rest.get(pid) ?? Number.NaN, load: (await memoryMb(pid)).now });
  }
  return { cells, memory };
}

const pathOf = (framing: Framing): string => (framing === 'json' ? 'json/mcp' : 'sse/mcp');

async function targetsOf(
  backend: Server,
  { bare, lean, leanAsImage }: Readonly<Record<'bare' | 'lean' | 'leanAsImage', Server>>,
  gateway: Server,
) {
  const toolOf = (framing: Framing) => `${framing}_tool_0`;
  const sessions = await Promise.all(Array.from({ length: Math.max(...CONNECTIONS) }, () => openSession(gateway.url)));
  const rest = new Map<number, number>();
  await new Promise(done => setTimeout(done, 2_500));
  for (const { pid } of [backend, bare, lean, leanAsImage, gateway]) rest.set(pid, (await memoryMb(pid)).now);
  const isStateless = await speaksStateless(gateway.url, toolOf('json'));
  const targets: Target[] = [
    {
      name: 'backend direct',
      pid: backend.pid,
      job: framing => ({ url: `${backend.url}${pathOf(framing)}`, heads: [''], body: sessionCall('tool_0') }),
    },
    ...(
      [
        [BARE, bare],
        [LEAN, lean],
        [LEAN_AS_IMAGE, leanAsImage],
      ] as const
    ).map(
      ([name, { pid, url }]): Target => ({
        name,
        pid,
        job: framing => ({ url, heads: [''], body: sessionCall(toolOf(framing)) }),
      }),
    ),
    {
      name: 'gateway, sessions',
      pid: gateway.pid,
      job: framing => ({ url: gateway.url, heads: sessions.map(sessionHead), body: sessionCall(toolOf(framing)) }),
    },
    {
      name: 'gateway, stateless',
      pid: gateway.pid,
      job: framing =>
        isStateless
          ? { url: gateway.url, heads: [statelessHead(toolOf(framing))], body: statelessCall(toolOf(framing)) }
          : undefined,
    },
  ];
  return { targets, rest };
}

/** @param token of the caller, where the gateway requires one */
export async function openSession(url: string, token?: string): Promise<string> {
  const client = new RawClient(url, token);
  await client.open();
  if (client.sessionId === undefined) throw new Error('the gateway gave no session');
  return client.sessionId;
}
