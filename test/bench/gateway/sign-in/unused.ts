/** A gateway without an authorization server, next to the same program from which the room was taken out. */
import { cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { CostOptions } from '../beside.ts';
import { sessionHeads } from '../beside.ts';
import { sessionCall } from '../calls.ts';
import { Load } from '../load.ts';
import { median } from '../median.ts';
import { memoryMb, ROOT, type Server, startBackend, startGateway } from '../processes.ts';

const CONNECTIONS = 16;

interface Figures {
  readonly listeningMs: number;
  readonly restMb: number;
  readonly cpuUs: number;
}

/** Medians of gateways that take turns: as it ships, and without the file of the room. */
export interface UnusedRoom {
  readonly shipped: Figures;
  readonly without: Figures;
}

export async function measureUnusedRoom({ rounds, sliceMs, folder }: CostOptions): Promise<UnusedRoom> {
  // Below the root, so that what is imported by name is found.
  const copy = join(ROOT, 'node_modules', '.cache', 'bench-without-auth-server');
  await rm(copy, { recursive: true, force: true });
  await mkdir(copy, { recursive: true });
  await cp(join(ROOT, 'dist'), copy, {
    recursive: true,
    filter: source => !/auth-server\.cjs$|\/types/.test(source),
  });
  await cp(join(ROOT, 'package.json'), join(copy, 'package.json'));
  await using backend = await startBackend();
  using load = new Load();
  const measure = async (program: string): Promise<Figures> => {
    await using gateway: Server = await startGateway(folder, backend, new Map([['json', 'json/mcp']]), { program });
    const heads = await sessionHeads(gateway.url);
    await new Promise(done => setTimeout(done, 1_000));
    const restMb = (await memoryMb(gateway.pid)).now;
    const job = { url: gateway.url, heads, body: sessionCall('json_tool_0'), connections: CONNECTIONS };
    await load.run({ ...job, ms: 2 * sliceMs }, gateway.pid);
    const { cpuUs } = await load.run({ ...job, ms: 2 * sliceMs }, gateway.pid);
    return { listeningMs: gateway.listeningMs, restMb, cpuUs };
  };
  const programs = { shipped: join(ROOT, 'dist', 'lintel-runtime.js'), without: join(copy, 'lintel-runtime.js') };
  const measured: Record<keyof UnusedRoom, Figures[]> = { shipped: [], without: [] };
  try {
    for (let round = 0; round < rounds; round++) {
      for (const name of ['shipped', 'without'] as const) measured[name].push(await measure(programs[name]));
    }
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
  const medians = (figures: readonly Figures[]): Figures => ({
    listeningMs: median(figures.map(({ listeningMs }) => listeningMs)),
    restMb: median(figures.map(({ restMb }) => restMb)),
    cpuUs: median(figures.map(({ cpuUs }) => cpuUs)),
  });
  return { shipped: medians(measured.shipped), without: medians(measured.without) };
}
