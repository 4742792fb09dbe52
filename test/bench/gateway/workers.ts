/** Measures calls through a gateway with two workers, compared with as many through two single-process gateways, and half as many through one. */
import { childProcesses } from '../../support/child-processes.ts';
import { type CostOptions, sessionHeads } from './call-cost.ts';
import { sessionCall } from './calls.ts';
import { Load } from './load.ts';
import { median } from './median.ts';
import { cpuUs, type Server, startBackend, startGateway } from './processes.ts';

const NAMES = new Map([['json', 'json/mcp']]);

/** Rounds before the measurement, so that V8 has optimized the code of all of them. */
const WARM_ROUNDS = 8;

/** CPU times of all processes of the gateways, in microseconds for each call. */
export interface WorkerSlice {
  readonly perSecond: number;
  readonly cpuUs: number;
  /** CPU time of the load generators and the backend, which the workers cannot use. */
  readonly othersUs: number;
  /** The CPU time of the processes that the gateway itself started: with workers, all but the primary. */
  readonly startedUs: number;
}

export interface WorkerCosts {
  readonly one: readonly WorkerSlice[];
  readonly workers: readonly WorkerSlice[];
  readonly gateways: readonly WorkerSlice[];
}

interface Target {
  /** One for each load generator. */
  readonly urls: readonly string[];
  readonly heads: readonly string[][];
  readonly started: readonly number[];
  readonly pids: readonly number[];
}

/** Measures the gateways alternately. Each load generator has 16 connections, so that each serving process has the same load. */
export async function measureWorkers({ rounds, sliceMs, folder }: CostOptions): Promise<WorkerCosts> {
  await using backend = await startBackend();
  await using one = await startGateway(folder, backend, NAMES);
  await using other = await startGateway(folder, backend, NAMES);
  await using both = await startGateway(folder, backend, NAMES, { options: ['--workers', '2'] });
  using firstLoad = new Load();
  using secondLoad = new Load();
  const loads = [firstLoad, secondLoad];
  const targets = [await targetOf(one), await targetOf(both, both), await targetOf(one, other)];
  const slices: WorkerSlice[][] = targets.map(() => []);
  const others = [backend.pid, ...loads.map(({ pid }) => pid)];
  for (let round = 0; round < WARM_ROUNDS + rounds; round++) {
    for (const [at, { urls, heads, started, pids }] of targets.entries()) {
      const times = () => Promise.all([pids, others, started].map(cpuOf));
      const before = await times();
      const runs = urls.map((url, load) => {
        const own = heads[load] ?? [];
        const job = { url, heads: own, body: sessionCall('json_tool_0'), connections: own.length, ms: 2 * sliceMs };
        return (loads[load] as Load).run(job, one.pid);
      });
      const results = await Promise.all(runs);
      const after = await times();
      const requests = results.reduce((sum, result) => sum + result.requests, 0);
      const [own = 0, ofOthers = 0, ofStarted = 0] = after.map((us, clock) => (us - (before[clock] ?? 0)) / requests);
      if (round < WARM_ROUNDS) continue;
      const perSecond = results.reduce((sum, result) => sum + result.perSecond, 0);
      slices[at]?.push({ perSecond, cpuUs: own, othersUs: ofOthers, startedUs: ofStarted });
    }
  }
  const [ofOne = [], ofWorkers = [], ofGateways = []] = slices;
  return { one: ofOne, workers: ofWorkers, gateways: ofGateways };
}

/** Median of the ratios of adjacent slices. */
export function computeRatio(
  slices: readonly WorkerSlice[],
  beside: readonly WorkerSlice[],
  figure: keyof WorkerSlice,
): number {
  return median(slices.map((slice, at) => slice[figure] / (beside[at]?.[figure] ?? Number.NaN)));
}

async function targetOf(...gateways: readonly Server[]): Promise<Target> {
  const started = [...new Set(gateways.map(({ pid }) => pid))];
  return {
    urls: gateways.map(({ url }) => url),
    heads: await Promise.all(gateways.map(({ url }) => sessionHeads(url))),
    started,
    pids: started.flatMap(pid => [pid, ...childProcesses(pid).map(child => child.pid)]),
  };
}

async function cpuOf(pids: readonly number[]): Promise<number> {
  return (await Promise.all(pids.map(cpuUs))).reduce((sum, us) => sum + us, 0);
}
