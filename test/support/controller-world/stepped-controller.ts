/**
 * One process of the controller, assembled as in `controller/cluster/manager.ts` but without queues: a test decides when it reconciles, and when
 * it is killed.
 */
import { buildSelectorLabels } from '#schemas';
import { createClusterDestination } from '../../../controller/apply/index.ts';
import { Accounts } from '../../../controller/cluster/accounts.ts';
import { Caches, GATEWAY_SOURCE } from '../../../controller/cluster/caches.ts';
import { SourceStore } from '../../../controller/cluster/source-store.ts';
import { WorkloadStatus } from '../../../controller/cluster/workload-status.ts';
import { ClusterInputs, findNamespaces } from '../../../controller/cluster-inputs/index.ts';
import { createTreeCompiler } from '../../../controller/compile/compile-tree.ts';
import {
  type Clock,
  createKubeClient,
  type DisposableKubeClient,
  KubeError,
  type KubeObject,
  systemClock,
} from '../../../controller/kube/index.ts';
import { PodReader } from '../../../controller/pods/index.ts';
import {
  createReconcileCache,
  type Destination,
  type ObservedSource,
  type ReconcileCache,
  type ReconcileContext,
  ReconcileError,
  type Repository,
  reconcileSource,
} from '../../../controller/reconcile/index.ts';
import { GitRepository } from '../../../controller/source/index.ts';
import type { KubeApi } from '../kube-api/index.ts';

export interface SteppedControllerOptions {
  readonly api: KubeApi;
  /** One of the server's tokens, which identifies this process. */
  readonly token: string;
  /** The only source, as `namespace/name`. */
  readonly source: string;
  /** Path of the repository on this machine. */
  readonly repository: string;
  readonly stateDir: string;
  /** Time of day, in milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds of a monotonic clock. */
  readonly uptime: () => number;
  /** Called before and after each operation outside the cluster. */
  readonly onStep?: (step: string) => void;
}

/** Waits between retries are a hundred times shorter; time limits of calls stay the same. */
const hurried: Clock = {
  ...systemClock,
  after: (ms, call) => systemClock.after(ms < 30_000 ? ms / 100 : ms, call),
};

export class SteppedController implements AsyncDisposable {
  readonly #options: SteppedControllerOptions;
  readonly #life = new AbortController();
  readonly #client: DisposableKubeClient;
  readonly #caches: Caches;
  readonly #watching: Promise<void>;
  readonly #pods: PodReader;
  readonly #inputs: ClusterInputs;
  readonly #store: SourceStore;
  readonly #workloads: WorkloadStatus;
  readonly #repository: Repository;
  readonly #compile = createTreeCompiler();
  readonly #memory: ReconcileCache = createReconcileCache();
  #destination: Destination | undefined;

  private constructor(options: SteppedControllerOptions) {
    const { api, token, now, uptime, stateDir } = options;
    this.#options = options;
    const config = {
      server: api.url,
      namespace: 'lintel-system',
      isInsecure: false,
      warnings: [],
      authorities: async () => undefined,
      credentials: async () => ({ authorization: `Bearer ${token}` }),
      forget: () => {},
    };
    const client = createKubeClient(config, { userAgent: 'lintel-controller/test', clock: hurried });
    this.#client = client;
    this.#caches = new Caches({ client, namespace: undefined, onEvent: () => {}, clock: hurried });
    this.#watching = this.#caches.run(this.#life.signal);
    this.#pods = new PodReader({ pods: this.#caches.pods, now: uptime });
    this.#inputs = new ClusterInputs({
      objects: this.#caches.inputs,
      configMaps: this.#caches.inputConfigMaps,
      sources: this.#caches.sources,
    });
    const accounts = new Accounts({ client, defaultServiceAccount: undefined, isSingleTenant: true });
    this.#store = new SourceStore(client);
    const [caches, pods] = [this.#caches, this.#pods];
    this.#workloads = new WorkloadStatus({
      ...{ client, caches, pods, now },
      findMemory: () => this.#memory,
      events: { add: () => {} },
    });
    this.#repository = this.#onThisMachine(
      new GitRepository({
        stateDir,
        isLocalAllowed: true,
        readSecret: (source, name, signal) => accounts.readSecret(source, name, signal),
      }),
    );
  }

  static async start(options: SteppedControllerOptions): Promise<SteppedController> {
    const controller = new SteppedController(options);
    await Promise.race([controller.#caches.synced, controller.#ended]);
    return controller;
  }

  get isKilled(): boolean {
    return this.#life.signal.aborted;
  }

  /** Reconciles the source once, and writes the statuses of what it applied. Returns when to requeue. */
  async run(): Promise<number | undefined> {
    await Promise.race([this.#caughtUp(), this.#ended]);
    if (this.isKilled) return undefined;
    const [namespace = '', name = ''] = this.#options.source.split('/');
    const { signal } = this.#life;
    let againMs: number | undefined = 0;
    try {
      const source = await this.#store.read(namespace, name, signal);
      if (source === undefined) return undefined;
      againMs = await reconcileSource(source, this.#context(), this.#memory, signal);
    } catch (error) {
      // The next reconcile retries what has failed.
      if (!this.isKilled && !(error instanceof ReconcileError || error instanceof KubeError)) throw error;
    }
    await Promise.race([this.#caughtUp(), this.#ended]);
    for (const key of this.#workloads.listKeysOfOutcome(this.#options.source, undefined, undefined)) {
      if (this.isKilled) return undefined;
      try {
        await this.#workloads.update(key, signal);
      } catch (error) {
        if (!this.isKilled && !(error instanceof KubeError)) throw error;
        againMs = 0;
      }
    }
    return againMs;
  }

  /** Like SIGKILL: nothing continues, and nothing is cleaned up. */
  kill(): void {
    this.#life.abort(new Error('killed'));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill();
    this.#inputs.stop();
    await this.#client.close();
    await this.#watching;
    await this.#pods[Symbol.asyncDispose]();
  }

  get #ended(): Promise<void> {
    const { signal } = this.#life;
    if (signal.aborted) return Promise.resolve();
    return new Promise(resolve => signal.addEventListener('abort', () => resolve(), { once: true }));
  }

  #context(): ReconcileContext {
    const { now, uptime, onStep = () => {}, source: title } = this.#options;
    const [namespace = '', name = ''] = title.split('/');
    return {
      repository: this.#repository,
      compile: async request => {
        onStep('compile');
        return this.#compile(request);
      },
      clusterInputs: source => this.#inputs.collectInputs(this.#namespacesOf(source)),
      destination: () => {
        this.#destination ??= createClusterDestination({
          source: { namespace, name },
          client: this.#client,
          findCache: type => this.#caches.findCache(type),
          isSource: other => other === title,
          listPods: unit => this.#pods.reports({ namespace: unit.namespace, labels: buildSelectorLabels(unit) }),
          now,
        });
        return this.#destination;
      },
      output: { withExposure: true, manifests: {} },
      store: this.#store,
      forge: { publish: async () => undefined },
      events: { add: () => {} },
      metrics: { stage: () => {}, observeReconcile: () => {} },
      now,
      monotonicNow: uptime,
    };
  }

  #namespacesOf(source: ObservedSource): readonly string[] {
    const units = this.#memory.attempted?.outcome.units ?? [];
    return findNamespaces(
      source,
      units.map(({ namespace }) => namespace),
    );
  }

  /** The API server refuses local paths as URLs, so it gets a URL and the git client the path. */
  #onThisMachine(repository: GitRepository): Repository {
    const { repository: url, onStep = () => {} } = this.#options;
    const local = (source: ObservedSource): ObservedSource => ({ ...source, spec: { ...source.spec, url } });
    return {
      fetchLatest: async (source, verified, signal) => {
        onStep('look for the newest revision');
        const tree = await repository.fetchLatest(local(source), verified, signal);
        onStep('have the newest revision');
        return tree;
      },
      checkoutPrevious: async (source, revision, signal) => {
        onStep('look for an earlier revision');
        return await repository.checkoutPrevious(local(source), revision, signal);
      },
      evict: source => repository.evict(local(source)),
    };
  }

  /** Resolves when the caches have received the cluster's current state. */
  async #caughtUp(): Promise<void> {
    const { sources, pods, applied } = this.#caches;
    const { api } = this.#options;
    const all = [
      { cache: sources, type: GATEWAY_SOURCE },
      { cache: pods, type: { apiVersion: 'v1', kind: 'Pod' } },
      ...applied.map(cache => ({ cache, type: cache.type })),
    ].filter(({ type }) => api.serves(type));
    for (const { cache, type } of all) {
      const isOurs = ({ metadata }: KubeObject): boolean =>
        type.apiVersion.startsWith('lintel.dev/') || metadata.labels?.['lintel.dev/source'] !== undefined;
      const isSeen = type.kind === 'Pod' ? () => true : isOurs;
      const { promise, resolve } = Promise.withResolvers<void>();
      const look = (): void => {
        if (versions(cache.list()) === versions(api.objects(type).filter(isSeen))) resolve();
      };
      const stop = cache.onChange(look);
      look();
      await promise;
      stop();
    }
  }
}

function versions(objects: readonly KubeObject[]): string {
  return objects
    .map(({ metadata }) => `${metadata.uid} ${metadata.resourceVersion}`)
    .sort()
    .join();
}
