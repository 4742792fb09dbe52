/** Measures what a part of the program costs a gateway that does not use it, compared with a program from which the part was removed. */
import { cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { ofExecutables } from '../../../build/bundling.ts';
import type { CostOptions } from './call-cost.ts';
import { sessionHeads } from './call-cost.ts';
import { sessionCall } from './calls.ts';
import { Load } from './load.ts';
import { median } from './median.ts';
import { memoryMb, ROOT, type Server, startBackend, startGateway } from './processes.ts';

const CONNECTIONS = 16;

interface Figures {
  readonly listeningMs: number;
  readonly restMb: number;
  readonly cpuUs: number;
}

/** Medians of gateways that alternate: as built, and without the part. */
export interface UnusedPart {
  readonly shipped: Figures;
  readonly without: Figures;
}

/** Measures the cost of the authorization server's module. */
export function measureUnusedAuthServer(options: CostOptions): Promise<UnusedPart> {
  return measureUnused('auth-server', options, copy => rm(join(copy, 'auth-server.cjs')));
}

/** Measures the cost of the modules that only the first call of a workflow loads, or only a bundle with an optimizer. */
export function measureUnusedWorkflows(options: CostOptions): Promise<UnusedPart> {
  return measureUnused('workflows', options, async copy => {
    await build({
      ...ofExecutables,
      absWorkingDir: ROOT,
      plugins: [...(ofExecutables.plugins ?? []), withoutWorkflows],
      outdir: copy,
      entryPoints: { 'lintel-runtime': 'runtime/main.ts' },
    });
  });
}

const withoutWorkflows: Plugin = {
  name: 'without-workflows',
  setup({ onLoad }) {
    onLoad({ filter: /\/runtime\/gateway\/(?:workflow\/engine\/index|optimizer\/open-optimizer)\.ts$/ }, () => ({
      contents: `const none = () => { throw new Error('it was taken out'); };
        export { none as openOptimizer, none as openEmbedder, none as runWorkflow };`,
    }));
  },
};

async function measureUnused(
  part: string,
  { rounds, sliceMs, folder }: CostOptions,
  takeOut: (copy: string) => Promise<void>,
): Promise<UnusedPart> {
  // Below the root of the repository, so that imported packages are found.
  const copy = join(ROOT, 'node_modules', '.cache', `bench-without-${part}`);
  await rm(copy, { recursive: true, force: true });
  await mkdir(copy, { recursive: true });
  await cp(join(ROOT, 'dist'), copy, { recursive: true, filter: source => !source.includes('/types') });
  await cp(join(ROOT, 'package.json'), join(copy, 'package.json'));
  await takeOut(copy);
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
  const measured: Record<keyof UnusedPart, Figures[]> = { shipped: [], without: [] };
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
