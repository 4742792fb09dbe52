/** One gateway with several processes, in both ways: replicas with a shared Redis, and workers of one program. */
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { type BundleOptions, eventually } from '../../support/gateway.ts';
import { oneConnection, startTree } from '../workers/worker-tree.ts';
import { backendsAreReady, Replicas } from './replicas.ts';
import type { Fetch } from './wire.ts';

export interface Several extends AsyncDisposable {
  /** A URL at which each request by `fetch` reaches the next process. */
  readonly url: string;
  /** URLs that lead to the processes in turn. The process at the first URL holds the sessions and streams that were opened there. */
  readonly urls: readonly string[];
  readonly fetch: Fetch;
  /** An official SDK client whose requests reach the processes in turn, connected. */
  connect(client?: Client): Promise<Client>;
  /** Kills the process that has answered at the first URL. */
  killFirst(): Promise<void>;
  /**
   * Kills all processes except one, or all of them if other processes replace them.
   *
   * @returns the number of replacements
   */
  killMost(): Promise<number>;
  /** Stops all processes, like a stopped deployment, and starts them again. */
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

/** Two workers, which get connections in turn. */
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
    // It is unknown which of the two has answered.
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
