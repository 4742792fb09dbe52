/** Assembles everything that reconciles a cluster with its GatewaySources, and starts and stops it in order. */
import { join } from 'node:path';
import type { Address } from '#shared/util';
import { ClusterInputs, findNamespaces } from '../cluster-inputs/index.ts';
import { CompileService } from '../compile/index.ts';
import { type DashboardInput, renderDashboard } from '../dashboard/page.ts';
import { InstalledDefinitions } from '../definitions/index.ts';
import { createReporter } from '../forge/reporter.ts';
import type { DisposableKubeClient } from '../kube/client.ts';
import { systemClock } from '../kube/clock.ts';
import { type KubeConfig, loadKubeConfig } from '../kube/config.ts';
import { EventRecorder } from '../kube/events.ts';
import type { WorkQueue, YieldWorker } from '../kube/queue.ts';
import { RateLimit } from '../kube/rate-limit.ts';
import { ControllerMetrics, InternalServer, type Logger } from '../observe/index.ts';
import type { ClusterOptions } from '../options.ts';
import { PodReader } from '../pods/index.ts';
import {
  type ObservedSource,
  type ReconcileContext,
  type ReconcileReport,
  reconcileSource,
} from '../reconcile/index.ts';
import { GitRepository } from '../source/index.ts';
import { IdleGc } from '../tuning/idle-gc.ts';
import { Accounts } from './accounts.ts';
import { Caches } from './caches.ts';
import { logCache, type Observers, openClient, openElection, openQueue } from './connections.ts';
import { describeError } from './describe-error.ts';
import { Destinations } from './destinations.ts';
import { EMBEDDING_KIND, EmbeddingServers } from './embedding-servers.ts';
import { GROUP_KIND, GroupMembers } from './group-members.ts';
import { formatNamespacedName, NAME } from './names.ts';
import { OutcomeLog } from './outcome-log.ts';
import { ReadableNamespaces } from './readable-namespaces.ts';
import { createSourceMetrics } from './source-metrics.ts';
import { InMemorySourceStates } from './source-states.ts';
import { SourceGoneError, SourceStore } from './source-store.ts';
import { Triggers } from './triggers.ts';
import { receiveWebhooks } from './webhooks.ts';
import { WorkloadStatus } from './workload-status.ts';

/** How long a running reconcile may continue during shutdown, in milliseconds; a pod has 30 seconds. */
const GRACE_MS = 20_000;

/** Number of gateway statuses computed concurrently. */
const STATUS_WORKERS = 8;

/** Another process has become the leader: this process must stop. */
export class LeadershipLostError extends Error {
  readonly code = 'ERR_LEADERSHIP_LOST';
  constructor() {
    super('leadership is lost: the Lease could not be renewed');
  }
}

/** How long no new work must come until a burst of work counts as over, in milliseconds: by then pods run, and their statuses are written. */
const REST_MS = 5_000;

/**
 * Runs until the signal is aborted; then running steps finish, and the Lease is released.
 *
 * @param onListening called when all addresses are bound
 * @throws KubeConfigError, ListenError; LeadershipLostError
 */
export async function runCluster(
  options: ClusterOptions,
  log: Logger,
  signal: AbortSignal,
  onListening: (urls: { readonly internal: string; readonly webhook?: string }) => void = () => {},
): Promise<void> {
  const config = await loadKubeConfig({
    path: options.kubeconfig,
    env: process.env,
    onStale: message => log.error(message),
  });
  for (const warning of config.warnings) log.warn(warning);
  const metrics = new ControllerMetrics();
  const manager = new Manager(options, config, metrics, log);
  await using server = await InternalServer.start({
    address: options.metrics,
    metrics,
    missing: () => manager.missing,
    dashboard: () => renderDashboard(manager.input),
  });
  const webhooks = options.webhook === undefined ? undefined : await manager.receiveWebhooks(options.webhook);
  onListening({ internal: server.url, ...(webhooks === undefined ? {} : { webhook: webhooks.url }) });
  try {
    await manager.run(signal);
  } finally {
    await webhooks?.close();
  }
}

class Manager {
  readonly #options: ClusterOptions;
  readonly #observers: Observers;
  readonly #log: Logger;
  readonly #metrics: ControllerMetrics;
  readonly #outcomes: OutcomeLog;
  readonly #client: DisposableKubeClient;
  readonly #caches: Caches;
  readonly #pods: PodReader;
  readonly #inputs: ClusterInputs;
  readonly #accounts: Accounts;
  readonly #readable: ReadableNamespaces;
  readonly #store: SourceStore;
  readonly #events: EventRecorder;
  readonly #compiler: CompileService;
  readonly #repository: GitRepository;
  readonly #forge: ReturnType<typeof createReporter>;
  readonly #workloads: WorkloadStatus;
  readonly #groups: GroupMembers;
  readonly #embedding: EmbeddingServers;
  readonly #definitions: InstalledDefinitions;
  readonly #memories: InMemorySourceStates;
  readonly #destinations: Destinations;
  readonly #triggers: Triggers;
  readonly #context: ReconcileContext;
  readonly #sourceQueue: WorkQueue;
  readonly #statusQueue: WorkQueue;
  readonly #garbage = new IdleGc(REST_MS);
  /** Whether this process reconciles sources, or only watches. */
  #isActing = false;

  constructor(options: ClusterOptions, config: KubeConfig, metrics: ControllerMetrics, log: Logger) {
    this.#options = options;
    this.#metrics = metrics;
    this.#log = log;
    this.#outcomes = new OutcomeLog(log);
    const observers = { config, metrics, log };
    this.#observers = observers;
    const client = openClient(new RateLimit(options.qps, options.burst, systemClock), observers);
    this.#client = client;
    this.#caches = new Caches({
      client,
      namespace: options.namespace,
      onEvent: (type, event) => logCache(type, event, log),
    });
    this.#pods = new PodReader({ pods: this.#caches.pods });
    this.#inputs = new ClusterInputs({
      objects: this.#caches.inputs,
      configMaps: this.#caches.inputConfigMaps,
      sources: this.#caches.sources,
    });
    this.#accounts = new Accounts({
      client,
      defaultServiceAccount: options.defaultServiceAccount,
      isSingleTenant: options.isSingleTenant,
    });
    this.#readable = new ReadableNamespaces({
      accounts: this.#accounts,
      monotonicNow: () => performance.now(),
      onRefused: (source, message) => this.#recordEvent(source, 'Warning', 'PolicyDenied', message),
    });
    this.#store = new SourceStore(client);
    this.#events = new EventRecorder({
      client,
      component: NAME,
      instance: process.env.POD_NAME ?? NAME,
      onFailure: error => log.warn({ error: describeError(error) }, 'an event could not be written'),
    });
    this.#compiler = new CompileService({ limits: options.compile });
    this.#repository = new GitRepository({
      stateDir: join(options.stateDir, 'git'),
      readSecret: (source, name, signal) => this.#accounts.readSecret(source, name, signal),
      onFailure: cause => metrics.gitFailure(cause),
    });
    metrics.git(() => this.#repository.conversations);
    this.#forge = createReporter({
      readSecret: (source, name, signal) => this.#accounts.findSecret(source, name, signal),
      events: { add: (...event) => this.#recordEvent(...event) },
      log: (level, message, { namespace, name }) => log[level]({ source: `${namespace}/${name}` }, message),
      now: Date.now,
      onReport: (provider, result) => metrics.forgeReport(provider, result),
    });
    this.#workloads = new WorkloadStatus({
      client,
      caches: this.#caches,
      pods: this.#pods,
      findMemory: source => this.#memories.find(source)?.cache,
      events: this.#events,
      now: Date.now,
    });
    this.#groups = new GroupMembers({ client, caches: this.#caches, now: Date.now });
    this.#embedding = new EmbeddingServers({
      client,
      caches: this.#caches,
      findMemory: source => this.#memories.find(source)?.cache,
      now: Date.now,
    });
    this.#definitions = new InstalledDefinitions({
      client,
      clock: systemClock,
      onChange: problem => this.#definitionsChanged(problem),
      onFailure: error => log.warn({ error: describeError(error) }, 'cannot read which fields the API server knows'),
    });
    this.#memories = new InMemorySourceStates((name, uid) => this.#forgotten(name, uid));
    this.#destinations = new Destinations({
      client,
      accounts: this.#accounts,
      caches: this.#caches,
      pods: this.#pods,
      memories: this.#memories,
      workloads: this.#workloads,
      onReported: object => this.#triggers.statusSoon(object),
    });
    this.#context = this.#createContext();
    this.#sourceQueue = openQueue(
      'gatewaysource',
      options.concurrent,
      (key, signal, yieldWorker) => this.#reconcile(key, signal, yieldWorker),
      observers,
    );
    this.#statusQueue = openQueue(
      'workloadstatus',
      STATUS_WORKERS,
      (key, signal) => this.#updateStatus(key, signal),
      observers,
    );
    this.#triggers = new Triggers({
      caches: this.#caches,
      inputs: this.#inputs,
      workloads: this.#workloads,
      groups: this.#groups,
      embedding: this.#embedding,
      sourceQueue: this.#sourceQueue,
      statusQueue: this.#statusQueue,
      listNamespaces: source => this.#listNamespaces(source),
    });
  }

  /** The caches and connections for which this process still waits, as text. */
  get missing(): readonly string[] {
    return this.#caches.missing;
  }

  get input(): DashboardInput {
    const { sources, workloads, pods } = this.#caches;
    return {
      now: new Date(),
      isActing: this.#isActing,
      missing: this.missing,
      sources: sources.list(),
      workloads: workloads.flatMap(cache => cache.list()),
      pods: pods.list(),
    };
  }

  /** @throws ListenError */
  async receiveWebhooks(address: Address): Promise<{ readonly url: string; close(): Promise<void> }> {
    const receiver = await receiveWebhooks({
      address,
      client: this.#client,
      sources: this.#caches.sources,
      accounts: this.#accounts,
      add: title => {
        if (!this.#isActing) return false;
        const memory = this.#memories.find(title);
        if (memory !== undefined) memory.cache.isHooked = true;
        this.#sourceQueue.add(title);
        return true;
      },
      log: this.#log,
      onDelivery: result => this.#metrics.delivery(result),
    });
    const { host } = address;
    const url = `http://${host.includes(':') ? `[${host}]` : host}:${receiver.address.port}`;
    return { url, close: () => receiver.close() };
  }

  async run(signal: AbortSignal): Promise<void> {
    const watching = new AbortController();
    const watches = Promise.all([this.#caches.run(watching.signal), this.#definitions.run(watching.signal)]);
    const electionClient = openClient(undefined, this.#observers);
    const election = openElection(electionClient, this.#options.leaderElection, this.#observers);
    try {
      await untilAborted(this.#caches.synced, signal);
      this.#triggers.listen();
      await election?.acquire(signal);
      if (election !== undefined) this.#metrics.leading(NAME, true);
      this.#log.info('watching GatewaySources');
      this.#isActing = true;
      this.#sourceQueue.start();
      this.#statusQueue.start();
      const lost = election?.lost ?? new AbortController().signal;
      await Promise.race([waitForAbort(signal), waitForAbort(lost)]);
      // This process may not finish any work: another process is already the leader.
      if (lost.aborted) throw new LeadershipLostError();
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    this.#log.info('stopping');
    this.#isActing = false;
    await Promise.all([this.#sourceQueue.shutDown(GRACE_MS), this.#statusQueue.shutDown(GRACE_MS)]);
    await this.#events.flushed();
    await election?.release();
    if (election !== undefined) this.#metrics.leading(NAME, false);
    watching.abort(new Error('the controller stops'));
    await watches;
    this.#inputs.stop();
    this.#compiler[Symbol.dispose]();
    this.#garbage[Symbol.dispose]();
    await Promise.all([
      this.#pods[Symbol.asyncDispose](),
      this.#forge.close(),
      this.#client.close(),
      electionClient.close(),
    ]);
  }

  #createContext(): ReconcileContext {
    const { image, bridgeImage, networkPolicy, denial } = this.#options;
    const metrics = createSourceMetrics(this.#metrics, Date.now);
    return {
      repository: this.#repository,
      compile: (request, signal) => this.#compiler.compile(request, signal),
      clusterInputs: source => this.#inputs.collectInputs(this.#readable.select(source, this.#listNamespaces(source))),
      destination: source => this.#destinations.getDestination(source),
      output: { withExposure: false, withBundleFiles: false, manifests: { image, bridgeImage, networkPolicy }, denial },
      store: this.#store,
      forge: this.#forge,
      events: { add: (...event) => this.#recordEvent(...event) },
      metrics: {
        ...metrics,
        observeReconcile: (report, input) => {
          metrics.observeReconcile(report, input);
          this.#outcomes.reconciled(report, input);
          this.#noteOutcome(report);
        },
      },
      definitionsProblem: () => this.#definitions.problem,
      now: Date.now,
      monotonicNow: () => performance.now(),
    };
  }

  /** Reconciles all sources, because the status of each reports the problem. */
  #definitionsChanged(problem: string | null): void {
    if (problem === null) this.#log.info('the CustomResourceDefinitions in the cluster have all fields');
    else this.#log.warn({ problem }, 'the CustomResourceDefinitions in the cluster are older than this controller');
    if (!this.#isActing) return;
    for (const source of this.#caches.sources.list()) this.#sourceQueue.add(formatNamespacedName(source));
  }

  /** Gateway statuses show the latest compilation: the status of each gateway for which its result changed is computed again. */
  #noteOutcome({ source, outcome, tree }: ReconcileReport): void {
    const memory = this.#memories.getOrCreate(source);
    const { reported } = memory;
    memory.reported = { outcome, tree };
    if (outcome === reported?.outcome && tree?.revision === reported?.tree?.revision) return;
    this.#garbage.worked();
    const keys = this.#workloads.listKeysOfOutcome(formatNamespacedName(source), outcome, reported?.outcome);
    for (const key of [...keys, ...this.#embedding.listKeysOfSource(formatNamespacedName(source))])
      this.#statusQueue.add(key);
  }

  #recordEvent(...[source, type, reason, message]: Parameters<ReconcileContext['events']['add']>): void {
    this.#events.add(source, type, reason, message);
    // The status of a source that is being deleted is not written, so it does not show this outcome.
    if (source.metadata.deletionTimestamp !== undefined)
      this.#log.warn({ source: formatNamespacedName(source), reason }, message);
  }

  async #updateStatus(key: string, signal: AbortSignal): Promise<number | undefined> {
    const kind = key.split('/')[2];
    if (kind === GROUP_KIND) return await this.#groups.update(key, signal);
    return await (kind === EMBEDDING_KIND ? this.#embedding.update(key, signal) : this.#workloads.update(key, signal));
  }

  async #reconcile(key: string, signal: AbortSignal, yieldWorker: YieldWorker): Promise<number | undefined> {
    const [namespace = '', name = ''] = key.split('/');
    const source = await this.#store.read(namespace, name, signal);
    if (source === undefined) {
      this.#memories.forget(key);
      return undefined;
    }
    const { cache } = this.#memories.getOrCreate(source);
    const isLeaving = source.metadata.deletionTimestamp !== undefined;
    try {
      if (!isLeaving) await this.#readable.checkAccess(source, this.#listNamespaces(source), signal);
      const requeueAfterMs = await reconcileSource(source, this.#context, cache, signal, yieldWorker);
      this.#log.debug({ source: key, requeueAfterMs }, 'reconciled');
      if (isLeaving) this.#outcomes.leaving(source, requeueAfterMs === undefined);
      return requeueAfterMs;
    } catch (error) {
      if (isLeaving) this.#outcomes.failedToLeave(source, error);
      if (!(error instanceof SourceGoneError)) throw error;
      this.#memories.forget(key);
      return undefined;
    }
  }

  #forgotten(title: string, uid: string): void {
    const [namespace = '', name = ''] = title.split('/');
    this.#store.forget(uid);
    this.#forge.forget(uid);
    this.#compiler.forget(title);
    this.#metrics.forget({ namespace, name });
  }

  /** The namespaces whose cluster objects a source uses. */
  #listNamespaces(source: ObservedSource): readonly string[] {
    const units = this.#memories.find(formatNamespacedName(source))?.cache.attempted?.outcome.units ?? [];
    return findNamespaces(
      source,
      units.map(({ namespace }) => namespace),
    );
  }
}

async function waitForAbort(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise(resolve => signal.addEventListener('abort', resolve, { once: true }));
}

/** @throws the reason of the signal */
async function untilAborted(promise: Promise<unknown>, signal: AbortSignal): Promise<void> {
  await Promise.race([promise, waitForAbort(signal)]);
  signal.throwIfAborted();
}
