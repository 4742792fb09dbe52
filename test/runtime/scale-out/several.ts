/** One gateway that several processes serve, in both ways: replicas that share a Redis, and workers of one program. */
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { type BundleOptions, eventually } from '../../support/gateway.ts';
import { oneConnection, startTree } from '../workers/worker-tree.ts';
import { backendsAreReady, Replicas } from './replicas.ts';
import type { Fetch } from './wire.ts';

export interface Several extends AsyncDisposable {
  /** Each request to it reaches the next process, when it is sent by `fetch`. */
  readonly url: string;
  /** Addresses that lead to as many processes in turn; the first one holds what is asked there first. */
  readonly urls: readonly string[];
  readonly fetch: Fetch;
  /** A client of the official SDK whose requests reach the processes in turn, connected. */
  connect(client?: Client): Promise<Client>;
  /** Kills the process that has answered at the first address. */
  killFirst(): Promise<void>;
  /** Kills all processes but one, or each of them where others take their places. @returns how many have taken their places */
  killMost(): Promise<number>;
  /** Ends all of it as a deployment that is stopped, and starts it again. */
  restart(): Promise<void>;
}

export async function startReplicas(bundle: BundleOptions): Promise<Several> {
  const all = await Replicas.start(bundle);
  await Promise.all(all.replicas.map(backendsAreReady));
  return {
    get url() {
      return all.url;
    },
    get urls() {
      return all.urls;
    },
    fetch,
    connect: client => all.connect(client),
    killFirst: () => all.kill(0),
    killMost: async () => {
      while (all.replicas.length > 1) await all.kill(0);
      return 0;
    },
    restart: async () => {
      while (all.replicas.length > 0) await all.retire(0);
      for (let at = 0; at < 2; at++) await all.add();
    },
    [Symbol.asyncDispose]: () => all[Symbol.asyncDispose](),
  };
}

/** Two workers, which take the connections in turn. */
export async function startWorkers(bundle: BundleOptions): Promise<Several> {
  let tree = await startTree(bundle, 2);
  await backendsAreReady(tree);
  const killBoth = async () => {
    for (const worker of [1, 2]) {
      const { replacedWorkers } = await tree.status();
      await tree.kill(worker);
      await eventually(async () => {
        const page = await tree.status();
        return page.replacedWorkers > replacedWorkers && page.workers.length === 2;
      });
    }
  };
  return {
    get url() {
      return tree.url;
    },
    get urls() {
      return [tree.url, tree.url, tree.url];
    },
    fetch: oneConnection,
    connect: client => tree.connect(client),
    // Which of the two has answered is not known.
    killFirst: killBoth,
    killMost: async () => {
      await killBoth();
      return 2;
    },
    restart: async () => {
      tree.program.kill('SIGTERM');
      await tree.program.ending;
      await tree[Symbol.asyncDispose]();
      tree = await startTree(bundle, 2);
    },
    [Symbol.asyncDispose]: () => tree[Symbol.asyncDispose](),
  };
}
