/** Puts all parts together that keep a cluster as its GatewaySources say, and starts and stops them in order. */
import { join } from 'node:path';
import { selectorLabels, VERSION } from '#schemas';
import type { Address } from '#util';
import { clusterDestination } from '../apply/cluster-destination.ts';
import { isOurChange } from '../apply/drift.ts';
import { OWNABLE_KINDS } from '../apply/owner.ts';
import { readAnnotation, SOURCE_ANNOTATION, type SourceIdentity } from '../apply/stamp.ts';
import { ClusterInputs, findNamespaces } from '../cluster-inputs/cluster-inputs.ts';
import { CompileService } from '../compile/compile-service.ts';
import { type DashboardInput, dashboardPage } from '../dashboard/page.ts';
import { InstalledDefinitions } from '../definitions/installed-definitions.ts';
import { createReporter } from '../forge/reporter.ts';
import { IdleGc } from '../idle-gc.ts';
import type { CacheEvent } from '../kube/cache.ts';
import { createKubeClient, type OwnKubeClient } from '../kube/client.ts';
import { systemClock } from '../kube/clock.ts';
import { type KubeConfig, loadKubeConfig } from '../kube/config.ts';
import { type ElectionEvent, LeaderElection } from '../kube/election.ts';
import { EventRecorder } from '../kube/events.ts';
import { WorkQueue } from '../kube/queue.ts';
import { RateLimit } from '../kube/rate-limit.ts';
import type { KubeObject, ObjectType } from '../kube/types.ts';
import { InternalServer } from '../observe/internal-server.ts';
import type { Logger } from '../observe/log.ts';
import { ControllerMetrics } from '../observe/metrics.ts';
import type { ClusterOptions } from '../options.ts';
import { PodReader } from '../pods/pod-reader.ts';
import { createReconcileCache, type ReconcileCache } from '../reconcile/cache.ts';
import type { ObservedSource, ReconcileContext, ReconcileReport } from '../reconcile/context.ts';
import type { Destination } from '../reconcile/destination.ts';
import { ReconcileError } from '../reconcile/reasons.ts';
import { reconcileSource } from '../reconcile/reconcile-source.ts';
import { GitRepository } from '../source/git-repository.ts';
import { findCondition } from '../status/conditions.ts';
import { appliedEvent, missingSecretEvent } from '../status/gateway/applied-events.ts';
import { Accounts } from './accounts.ts';
import { Caches } from './caches.ts';
import { EMBEDDING_KIND, EmbeddingServers } from './embedding-servers.ts';
import { GROUP_KIND, GroupMembers } from './group-members.ts';
import { sourceMetrics } from './source-metrics.ts';
import { SourceGoneError, SourceStore } from './source-store.ts';
import { receiveWebhooks } from './webhooks.ts';
import { formatWorkloadKey, WorkloadStatus } from './workload-status.ts';

/** Name of the Lease, and of who reports events. */
const NAME = 'lintel-controller';

/** The run under way may end by itself for so long, in milliseconds; a pod has 30 seconds. */
const GRACE_MS = 20_000;

/** Changes that come together are looked at together, in milliseconds. */
const TOGETHER_MS = 200;

/** Statuses of gateways that are composed at the same time. */
const STATUS_WORKERS = 8;

/** Another controller leads now: this process must not go on. */
export class LeadershipLostError extends Error {
  readonly code = 'ERR_LEADERSHIP_LOST';
  constructor() {
    super('leadership is lost: the Lease could not be renewed');
  }
}

/** Nothing new for so long is the end of a burst of work, in milliseconds: pods have come up, and statuses are written. */
const REST_MS = 5_000;

/** What is remembered of a source while its object is there. */
interface Remembered {
  readonly uid: string;
  readonly memory: ReconcileCache;
  /** With what of the source it was made from. */
  destination?: { readonly madeFrom: string; readonly destination: Destination };
  /** What the last run was about. */
  told?: Pick<ReconcileReport, 'outcome' | 'tree'>;
}

/**
 * Runs until the signal is aborted; then the steps under way end, and the Lease is given back.
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
    dashboard: () => dashboardPage(manager.facts),
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
  readonly #config: KubeConfig;
  readonly #log: Logger;
  readonly #metrics: ControllerMetrics;
  readonly #client: OwnKubeClient;
  readonly #caches: Caches;
  readonly #pods: PodReader;
  readonly #inputs: ClusterInputs;
  readonly #accounts: Accounts;
  readonly #store: SourceStore;
  readonly #events: EventRecorder;
  readonly #compiler: CompileService;
  readonly #repository: GitRepository;
  readonly #forge: ReturnType<typeof createReporter>;
  readonly #workloads: WorkloadStatus;
  readonly #groups: GroupMembers;
  readonly #embedding: EmbeddingServers;
  readonly #definitions: InstalledDefinitions;
  readonly #context: ReconcileContext;
  readonly #sourceQueue: WorkQueue;
  readonly #statusQueue: WorkQueue;
  readonly #garbage = new IdleGc(REST_MS);
  /** Works on sources, and does not only watch. */
  #isActing = false;
  /** By `namespace/name`. */
  readonly #remembered = new Map<string, Remembered>();

  constructor(options: ClusterOptions, config: KubeConfig, metrics: ControllerMetrics, log: Logger) {
    this.#options = options;
    this.#config = config;
    this.#metrics = metrics;
    this.#log = log;
    const client = this.#openClient(new RateLimit(options.qps, options.burst, systemClock));
    this.#client = client;
    this.#caches = new Caches({
      client,
      namespace: options.namespace,
      onEvent: (type, event) => this.#logCache(type, event),
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
    });
    this.#forge = createReporter({
      readSecret: (source, name, signal) => this.#accounts.findSecret(source, name, signal),
      events: { add: (...event) => this.#tell(...event) },
      log: (level, message, { namespace, name }) => log[level]({ source: `${namespace}/${name}` }, message),
      now: Date.now,
      onReport: (provider, result) => metrics.forgeReport(provider, result),
    });
    this.#workloads = new WorkloadStatus({
      client,
      caches: this.#caches,
      pods: this.#pods,
      memoryOf: source => this.#remembered.get(source)?.memory,
      events: this.#events,
      now: Date.now,
    });
    this.#groups = new GroupMembers({ client, caches: this.#caches, now: Date.now });
    this.#embedding = new EmbeddingServers({
      client,
      caches: this.#caches,
      memoryOf: source => this.#remembered.get(source)?.memory,
      now: Date.now,
    });
    this.#definitions = new InstalledDefinitions({
      client,
      clock: systemClock,
      onChange: problem => this.#definitionsChanged(problem),
      onFailure: error => log.warn({ error: describeError(error) }, 'cannot read which fields the API server knows'),
    });
    this.#context = this.#createContext();
    this.#sourceQueue = this.#openQueue('gatewaysource', options.concurrent, (key, signal) =>
      this.#reconcile(key, signal),
    );
    this.#statusQueue = this.#openQueue('workloadstatus', STATUS_WORKERS, (key, signal) => {
      const kind = key.split('/')[2];
      if (kind === GROUP_KIND) return this.#groups.update(key, signal);
      return kind === EMBEDDING_KIND ? this.#embedding.update(key, signal) : this.#workloads.update(key, signal);
    });
  }

  /** What this process still waits for, for people. */
  get missing(): readonly string[] {
    return this.#caches.missing;
  }

  get facts(): DashboardInput {
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
        const { memory } = this.#remembered.get(title) ?? {};
        if (memory !== undefined) memory.isHooked = true;
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
    const electionClient = this.#openClient(undefined);
    const election = this.#openElection(electionClient);
    try {
      await untilAborted(this.#caches.synced, signal);
      this.#listen();
      await election?.acquire(signal);
      if (election !== undefined) this.#metrics.leading(NAME, true);
      this.#log.info('watching GatewaySources');
      this.#isActing = true;
      this.#sourceQueue.start();
      this.#statusQueue.start();
      const lost = election?.lost ?? new AbortController().signal;
      await Promise.race([aborted(signal), aborted(lost)]);
      // Nothing of it may be finished any more: another one acts already.
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
    const metrics = sourceMetrics(this.#metrics, Date.now);
    return {
      repository: this.#repository,
      compile: (request, signal) => this.#compiler.compile(request, signal),
      clusterInputs: source => this.#inputs.inputs(this.#namespacesOf(source)),
      destination: source => this.#destinationOf(source),
      output: { withExposure: false, withBundleFiles: false, manifests: { image, bridgeImage, networkPolicy }, denial },
      store: this.#store,
      forge: this.#forge,
      events: { add: (...event) => this.#tell(...event) },
      metrics: {
        ...metrics,
        observeReconcile: (told, facts) => {
          metrics.observeReconcile(told, facts);
          this.#noteOutcome(told);
        },
      },
      definitionsProblem: () => this.#definitions.problem,
      now: Date.now,
      uptime: () => performance.now(),
    };
  }

  /** Each source says so in its status. */
  #definitionsChanged(problem: string | null): void {
    if (problem === null) this.#log.info('the CustomResourceDefinitions in the cluster have all fields');
    else this.#log.warn({ problem }, 'the CustomResourceDefinitions in the cluster are older than this controller');
    if (!this.#isActing) return;
    for (const source of this.#caches.sources.list()) this.#sourceQueue.add(namespacedName(source));
  }

  /** Statuses of gateways tell of the newest outcome: those of which it says something else are composed again. */
  #noteOutcome({ source, outcome, tree }: ReconcileReport): void {
    const remembered = this.#rememberedOf(source);
    const { told } = remembered;
    remembered.told = { outcome, tree };
    if (outcome === told?.outcome && tree?.revision === told?.tree?.revision) return;
    this.#garbage.worked();
    const keys = this.#workloads.keysOfOutcome(namespacedName(source), outcome, told?.outcome);
    for (const key of [...keys, ...this.#embedding.keysOfSource(namespacedName(source))]) this.#statusQueue.add(key);
  }

  #tell(...[source, type, reason, message]: Parameters<ReconcileContext['events']['add']>): void {
    this.#events.add(source, type, reason, message);
  }

  async #reconcile(key: string, signal: AbortSignal): Promise<number | undefined> {
    const [namespace = '', name = ''] = key.split('/');
    const source = await this.#store.read(namespace, name, signal);
    if (source === undefined) {
      this.#forget(key);
      return undefined;
    }
    const { memory } = this.#rememberedOf(source);
    try {
      const againMs = await reconcileSource(source, this.#context, memory, signal);
      this.#log.debug({ source: key, againMs }, 'reconciled');
      return againMs;
    } catch (error) {
      if (!(error instanceof SourceGoneError)) throw error;
      this.#forget(key);
      return undefined;
    }
  }

  /** Another object of the same name begins with nothing. */
  #rememberedOf(source: ObservedSource): Remembered {
    const title = namespacedName(source);
    const { uid = '' } = source.metadata;
    const known = this.#remembered.get(title);
    if (known?.uid === uid) return known;
    if (known !== undefined) this.#forget(title);
    const fresh = { uid, memory: createReconcileCache() };
    this.#remembered.set(title, fresh);
    return fresh;
  }

  #forget(title: string): void {
    const [namespace = '', name = ''] = title.split('/');
    const { uid = '' } = this.#remembered.get(title) ?? {};
    this.#store.forget(uid);
    this.#forge.forget(uid);
    this.#remembered.delete(title);
    this.#compiler.forget(title);
    this.#metrics.forget({ namespace, name });
  }

  #destinationOf(source: ObservedSource): Destination {
    const account = this.#accounts.of(source);
    const remembered = this.#rememberedOf(source);
    const identity = sourceIdentity(source);
    const madeFrom = JSON.stringify([identity, account]);
    if (remembered.destination?.madeFrom === madeFrom) return remembered.destination.destination;
    const destination = clusterDestination({
      source: identity,
      account,
      client: this.#client,
      cacheOf: type => this.#caches.cacheOf(type),
      isSource: title => {
        const [otherNamespace, otherName = ''] = title.split('/');
        return this.#caches.sources.get(otherNamespace, otherName) !== undefined;
      },
      podsOf: unit => this.#pods.reports({ namespace: unit.namespace, labels: selectorLabels(unit) }),
      versionOfPods: unit => this.#pods.versionOf({ namespace: unit.namespace, labels: selectorLabels(unit) }),
      onApplied: ({ action, object }, error) => {
        const event = appliedEvent({ action, object }, error);
        if (event === undefined) return;
        this.#workloads.announceLater(object, event);
        this.#statusSoon(object);
      },
      onMissingSecret: ({ object, message }) => {
        // Before there is a gateway or server to tell it of, the source does.
        if (this.#workloads.keysFor(object).length === 0) return;
        this.#workloads.announceLater(object, missingSecretEvent(message));
        this.#statusSoon(object);
      },
      now: Date.now,
    });
    remembered.destination = { madeFrom, destination };
    return destination;
  }

  /** Where objects of the cluster count for a source. */
  #namespacesOf(source: ObservedSource): readonly string[] {
    const units = this.#remembered.get(namespacedName(source))?.memory.attempted?.outcome.units ?? [];
    return findNamespaces(
      source,
      units.map(({ namespace }) => namespace),
    );
  }

  /** From here on, what changes in the cluster brings runs. */
  #listen(): void {
    const { sources, applied, workloads, pods } = this.#caches;
    for (const source of sources.list()) this.#sourceQueue.add(namespacedName(source));
    sources.onChange((now, before) => {
      const object = now ?? before;
      if (object === undefined) return;
      if (specOrAnnotationsChanged(now, before)) this.#sourceQueue.add(namespacedName(object));
      for (const key of this.#workloads.keysOfChange(now, before)) this.#statusQueue.addAfter(key, TOGETHER_MS);
    });
    for (const cache of applied) {
      cache.onChange((now, before) => {
        const object = now ?? before;
        const source = object && readAnnotation(object, SOURCE_ANNOTATION);
        if (object === undefined || source === undefined) return;
        if (isOurChange(now, before)) this.#sourceQueue.addAfter(source, TOGETHER_MS);
        else if (object.kind === 'Deployment') this.#awaited(source);
        if (object.kind === 'Deployment') this.#statusSoon(object);
        if (object.kind === 'StatefulSet') this.#embeddingSoon(object);
      });
    }
    for (const cache of workloads) {
      for (const object of cache.list()) this.#statusQueue.add(formatWorkloadKey(object));
      cache.onChange((now, before) => {
        if (now !== undefined && now.metadata.generation !== before?.metadata.generation) {
          this.#statusQueue.add(formatWorkloadKey(now));
        }
        if (now === undefined && before !== undefined) this.#statusQueue.forget(formatWorkloadKey(before));
      });
    }
    for (const key of [...this.#groups.keys, ...this.#embedding.keys]) this.#statusQueue.add(key);
    for (const cache of this.#caches.inputs) {
      cache.onChange((now, before) => {
        for (const key of this.#groups.keysOf(now, before)) this.#statusQueue.addAfter(key, TOGETHER_MS);
        const object = now ?? before;
        if (object?.kind === EMBEDDING_KIND) this.#embeddingSoon(object);
      });
    }
    pods.onChange((now, before) => {
      const pod = now ?? before;
      if (pod === undefined) return;
      for (const key of this.#statusSoon(pod)) {
        const source = this.#workloads.sourceOf(key);
        if (source !== undefined) this.#awaited(source);
      }
    });
    this.#inputs.onChange(namespace => {
      for (const source of sources.list()) {
        if (this.#namespacesOf(source as unknown as ObservedSource).includes(namespace)) {
          this.#sourceQueue.addAfter(namespacedName(source), TOGETHER_MS);
        }
      }
    });
  }

  /** An embedding server, and the gateways that wait for it. */
  #embeddingSoon(object: KubeObject): void {
    const keys = [...this.#embedding.keysOf(object), ...this.#workloads.keysOfEmbedding(object)];
    for (const key of keys) this.#statusQueue.addAfter(key, TOGETHER_MS);
  }

  #statusSoon(object: KubeObject): readonly string[] {
    const keys = this.#workloads.keysFor(object);
    for (const key of keys) this.#statusQueue.addAfter(key, TOGETHER_MS);
    return keys;
  }

  /** Pods have changed: a source that is not ready may wait for them, or for a bundle that was late, and looks at once. */
  #awaited(source: string): void {
    const [namespace, name = ''] = source.split('/');
    const stored = this.#caches.sources.get(namespace, name) as ObservedSource | undefined;
    const ready = findCondition(stored?.status?.conditions ?? [], 'Ready');
    if (ready?.status !== 'True' && stored?.spec.suspend !== true) this.#sourceQueue.addAfter(source, TOGETHER_MS);
  }

  #openClient(rateLimit: RateLimit | undefined): OwnKubeClient {
    const said = new Set<string>();
    return createKubeClient(this.#config, {
      userAgent: `${NAME}/${VERSION}`,
      ...(rateLimit === undefined ? {} : { rateLimit }),
      onRequest: request => this.#metrics.request(request),
      onWarning: text => {
        if (said.has(text) || said.size > 1_000) return;
        said.add(text);
        this.#log.warn({ warning: text }, 'the API server warns');
      },
    });
  }

  #openQueue(
    name: string,
    concurrency: number,
    work: (key: string, signal: AbortSignal) => Promise<number | undefined>,
  ): WorkQueue {
    let queue: WorkQueue | undefined;
    const idle = { depth: 0, active: 0, unfinished: { totalSeconds: 0, longestSeconds: 0 } };
    const hooks = this.#metrics.queue(name, concurrency, () => queue ?? idle);
    queue = new WorkQueue({
      concurrency,
      work,
      hooks,
      onError: (key, error, retryMs) => {
        const { reason, stack } = error as Partial<ReconcileError>;
        const isExpected = error instanceof ReconcileError;
        this.#log.warn(
          { queue: name, key, reason, error: describeError(error), retryMs, ...(isExpected ? {} : { stack }) },
          'failed; requeued',
        );
      },
    });
    return queue;
  }

  #openElection(client: OwnKubeClient): LeaderElection | undefined {
    const { leaderElection } = this.#options;
    if (leaderElection === undefined) return undefined;
    this.#metrics.leading(NAME, false);
    return new LeaderElection({
      client,
      namespace: leaderElection.namespace ?? this.#config.namespace,
      name: NAME,
      identity: leaderElection.identity,
      onEvent: event => this.#logElection(event),
    });
  }

  #logElection(event: ElectionEvent): void {
    if (event.type === 'failed') this.#log.warn({ error: describeError(event.error) }, 'cannot read the Lease');
    else if (event.type === 'lost') this.#log.error('leadership is lost');
    else this.#log.info({ leader: event.identity }, 'another replica leads');
  }

  #logCache(type: ObjectType, event: CacheEvent): void {
    const fields = { kind: type.kind, apiVersion: type.apiVersion };
    if (event.type === 'listed') this.#log.debug({ ...fields, objects: event.objects }, 'listed');
    else if (event.type === 'stalled') this.#log.warn(fields, 'the watch stalled; relisting');
    else if (event.type === 'listenerFailed') this.#log.error({ ...fields, err: event.error }, 'a listener failed');
    else this.#log.warn({ ...fields, error: describeError(event.error), retryMs: event.retryMs }, 'cannot watch');
  }
}

/** What is to outlive a source is not owned by it. */
function sourceIdentity({ metadata, spec }: ObservedSource): SourceIdentity {
  const { namespace = '', name, uid } = metadata;
  const { prune = true, deletion } = spec;
  if (!prune || uid === undefined) return { namespace, name };
  const kinds = OWNABLE_KINDS.filter(kind => deletion?.protectedKinds?.includes(kind) !== true);
  return { namespace, name, owns: { uid, kinds } };
}

/** New, edited, or to be deleted; our own writes of its status are no reason. */
function specOrAnnotationsChanged(now: KubeObject | undefined, before: KubeObject | undefined): boolean {
  if (now === undefined || before === undefined) return true;
  const asked = ({ metadata }: KubeObject): string =>
    JSON.stringify([metadata.uid, metadata.generation, metadata.deletionTimestamp, metadata.annotations]);
  return asked(now) !== asked(before);
}

function namespacedName({ metadata: { namespace, name } }: Pick<KubeObject, 'metadata'>): string {
  return `${namespace}/${name}`;
}

function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise(resolve => signal.addEventListener('abort', resolve, { once: true }));
}

/** @throws the reason of the signal */
async function untilAborted(promise: Promise<unknown>, signal: AbortSignal): Promise<void> {
  await Promise.race([promise, aborted(signal)]);
  signal.throwIfAborted();
}
