/** Measures what a feature costs a call, compared with a gateway without the feature. */
import { sessionHead } from './calls.ts';
import { type CallJob, Load, type Slice } from './load.ts';
import type { Server } from './processes.ts';
import { CONNECTIONS, openSession } from './throughput.ts';

const MAX_CONNECTIONS = Math.max(...CONNECTIONS);

export interface CallCost {
  readonly name: string;
  readonly connections: number;
  /** CPU time of the gateway without the feature, and what this one needs more; microseconds for each call, from adjacent slices. */
  readonly slices: { readonly baselineUs: number; readonly moreUs: number }[];
}

export interface CostOptions {
  readonly rounds: number;
  readonly sliceMs: number;
  /** The folder into which the gateways' bundles are written. */
  readonly folder: string;
}

export interface Target {
  readonly name: string;
  readonly gateway: Server;
  readonly job: Pick<CallJob, 'url' | 'heads' | 'body' | 'tokens'>;
}

/** Measures the targets against the baseline. The first round is not counted. Each slice of a target follows one of the baseline. */
export async function measureCost(
  baseline: Target,
  targets: readonly Target[],
  { rounds, sliceMs }: CostOptions,
): Promise<readonly CallCost[]> {
  using load = new Load();
  const run = ({ gateway, job }: Target, connections: number): Promise<Slice> =>
    load.run({ ...job, connections, ms: sliceMs }, gateway.pid);
  const costs = targets.flatMap(({ name }) =>
    CONNECTIONS.map((connections): CallCost => ({ name, connections, slices: [] })),
  );
  for (let round = 0; round <= rounds; round++) {
    for (const connections of CONNECTIONS) {
      for (const target of targets) {
        const { cpuUs: baselineUs } = await run(baseline, connections);
        const { cpuUs } = await run(target, connections);
        const cost = costs.find(c => c.name === target.name && c.connections === connections);
        if (round > 0) cost?.slices.push({ baselineUs, moreUs: cpuUs - baselineUs });
      }
    }
  }
  return costs;
}

/** One session for each connection, because request ids must be unique in a session. */
export async function sessionHeads(url: string, token?: string): Promise<string[]> {
  const open = async () => sessionHead(await openSession(url, token)) + authorization(token);
  return Promise.all(Array.from({ length: MAX_CONNECTIONS }, open));
}

export const authorization = (token: string | undefined): string =>
  token === undefined ? '' : `Authorization: Bearer ${token}\r\n`;
