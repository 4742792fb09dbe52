/**
 * The controller's metrics: with the names of controller-runtime and client-go, so that existing dashboards and alerts work, and with the prefix
 * `lintel_` for everything else.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { METRIC_PREFIX, VERSION, type WorkloadKind } from '#schemas';
import type { ToolCallers, ToolEffect } from '../compile/index.ts';
import type { QueueHooks } from '../kube/queue.ts';
import type { Stage } from '../reconcile/index.ts';

/** The source or object that a metric's value is about. */
export interface Subject {
  readonly namespace: string;
  readonly name: string;
}

/** Buckets of controller-runtime for reconciles, in seconds. */
const RECONCILE_SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/** The upper half of client-go's queue buckets, which range from 10 ns to 1000 s; no wait here is shorter. */
const QUEUE_SECONDS = [0.0001, 0.001, 0.01, 0.1, 1, 10, 100, 1000];

/** From a commit to its bundle in every pod, in seconds. */
const LAG_SECONDS = [1, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 14_400, 86_400];

/** The state of a queue at a scrape. */
export interface QueueState {
  readonly depth: number;
  readonly active: number;
  readonly unfinished: { readonly totalSeconds: number; readonly longestSeconds: number };
}

/** Numbers of the current connections to git servers. */
export interface GitState {
  readonly moving: number;
  readonly still: number;
  readonly waiting: number;
}

/** A gateway or registry server and its bundle, for `lintel_bundle_info`. */
export interface BundleInfo extends Subject {
  readonly kind: WorkloadKind;
  readonly digest: string;
  readonly revision: string;
}

/** Tools of one effect that one class of callers reaches through a gateway, for `lintel_exposed_tools`. */
export interface ExposedTools extends Subject {
  readonly callers: ToolCallers;
  readonly effect: ToolEffect;
  readonly tools: number;
}

export class ControllerMetrics {
  readonly #registry = new Registry();
  readonly #reconciles: Counter<'controller' | 'result'>;
  readonly #reconcileErrors: Counter<'controller'>;
  readonly #reconcileSeconds: Histogram<'controller'>;
  readonly #requests: Counter<'code' | 'method' | 'host'>;
  readonly #leader: Gauge<'name'>;
  readonly #bundle: Gauge<'source' | 'kind' | 'namespace' | 'name' | 'digest' | 'revision'>;
  readonly #nacks: Counter<'namespace' | 'name'>;
  readonly #stageSeconds: Histogram<'stage'>;
  readonly #drift: Gauge<'namespace' | 'name' | 'action'>;
  readonly #lag: Histogram<'namespace' | 'name'>;
  readonly #unverified: Gauge<'namespace' | 'name'>;
  readonly #suspended: Gauge<'namespace' | 'name'>;
  readonly #reports: Counter<'provider' | 'result'>;
  readonly #deliveries: Counter<'result'>;
  readonly #gitFailures: Counter<'cause'>;
  #gitState: () => GitState = () => ({ moving: 0, still: 0, waiting: 0 });
  readonly #tools: Gauge<'source' | 'namespace' | 'name' | 'caller_class' | 'hint'>;
  /** The bundles for which a source has series, so that the series of dropped bundles can be removed. */
  readonly #bundlesOf = new Map<string, readonly BundleInfo[]>();
  readonly #toolsOf = new Map<string, readonly ExposedTools[]>();

  readonly #queueStates = new Map<string, () => QueueState>();
  readonly #queues: QueueMetrics;

  constructor() {
    const registers = [this.#registry];
    this.#queues = createQueueMetrics(registers, this.#queueStates);
    collectDefaultMetrics({ register: this.#registry });
    new Gauge({
      name: `${METRIC_PREFIX}build_info`,
      help: 'Version of the controller; always 1.',
      labelNames: ['version'],
      registers,
    }).set({ version: VERSION }, 1);
    this.#reconciles = new Counter({
      name: 'controller_runtime_reconcile_total',
      help: 'Reconciliations by controller and result.',
      labelNames: ['controller', 'result'],
      registers,
    });
    this.#reconcileErrors = new Counter({
      name: 'controller_runtime_reconcile_errors_total',
      help: 'Reconciliations that failed, by controller.',
      labelNames: ['controller'],
      registers,
    });
    this.#reconcileSeconds = new Histogram({
      name: 'controller_runtime_reconcile_time_seconds',
      help: 'Duration of reconciliations by controller.',
      labelNames: ['controller'],
      buckets: RECONCILE_SECONDS,
      registers,
    });
    this.#requests = new Counter({
      name: 'rest_client_requests_total',
      help: 'Requests to the API server by status code, method and host.',
      labelNames: ['code', 'method', 'host'],
      registers,
    });
    this.#leader = new Gauge({
      name: 'leader_election_master_status',
      help: 'Whether this process holds the Lease: 1 or 0.',
      labelNames: ['name'],
      registers,
    });
    this.#bundle = new Gauge({
      name: `${METRIC_PREFIX}bundle_info`,
      help: 'Bundle that every ready pod of a gateway or registry server runs, and the revision that it was applied for; always 1.',
      labelNames: ['source', 'kind', 'namespace', 'name', 'digest', 'revision'],
      registers,
    });
    this.#nacks = new Counter({
      name: `${METRIC_PREFIX}bundle_nack_total`,
      help: 'Bundles that pods refused, by GatewaySource.',
      labelNames: ['namespace', 'name'],
      registers,
    });
    this.#stageSeconds = new Histogram({
      name: `${METRIC_PREFIX}reconcile_duration_seconds`,
      help: 'Duration of the stages of a reconciliation.',
      labelNames: ['stage'],
      buckets: RECONCILE_SECONDS,
      registers,
    });
    this.#drift = new Gauge({
      name: `${METRIC_PREFIX}drift_objects`,
      help: 'Objects that others had changed at the last reconciliation, by GatewaySource and by what the controller did: corrected or reported.',
      labelNames: ['namespace', 'name', 'action'],
      registers,
    });
    this.#lag = new Histogram({
      name: `${METRIC_PREFIX}source_lag_seconds`,
      help: 'Time from a commit until every ready pod runs its bundle, by GatewaySource.',
      labelNames: ['namespace', 'name'],
      buckets: LAG_SECONDS,
      registers,
    });
    this.#unverified = new Gauge({
      name: `${METRIC_PREFIX}unverified_commits`,
      help: 'Whether the newest revision of a GatewaySource was refused for its signatures: 1 or 0.',
      labelNames: ['namespace', 'name'],
      registers,
    });
    this.#suspended = new Gauge({
      name: `${METRIC_PREFIX}suspended`,
      help: 'Whether a GatewaySource is suspended: 1 or 0.',
      labelNames: ['namespace', 'name'],
      registers,
    });
    this.#reports = new Counter({
      name: `${METRIC_PREFIX}forge_reports_total`,
      help: 'Results that were written to forges, by kind of forge and outcome.',
      labelNames: ['provider', 'result'],
      registers,
    });
    this.#deliveries = new Counter({
      name: `${METRIC_PREFIX}webhook_deliveries_total`,
      help: 'Requests to the receiver of webhooks, by outcome.',
      labelNames: ['result'],
      registers,
    });
    const gitState = () => this.#gitState();
    new Gauge({
      name: `${METRIC_PREFIX}git_conversations`,
      help: 'Connections to git servers, by state: data arrives, nothing arrives, or the connection waits for its turn.',
      labelNames: ['state'],
      registers,
      collect() {
        for (const [state, count] of Object.entries(gitState())) this.set({ state }, count);
      },
    });
    this.#gitFailures = new Counter({
      name: `${METRIC_PREFIX}git_failures_total`,
      help: 'Repositories that were not read, by cause.',
      labelNames: ['cause'],
      registers,
    });
    this.#tools = new Gauge({
      name: `${METRIC_PREFIX}exposed_tools`,
      help: 'Tools that callers of a class reach through the active bundle of a gateway, by what the tools claim to do.',
      labelNames: ['source', 'namespace', 'name', 'caller_class', 'hint'],
      registers,
    });
  }

  /** The text format of Prometheus. */
  async page(): Promise<{ readonly type: string; readonly text: string }> {
    return { type: this.#registry.contentType, text: await this.#registry.metrics() };
  }

  /** Hooks of a queue and its workers. `state` is called at each scrape. */
  queue(name: string, concurrency: number, state: () => QueueState): QueueHooks {
    const labels = { name };
    const { adds, retries, waited, took, limit } = this.#queues;
    this.#queueStates.set(name, state);
    limit.set({ controller: name }, concurrency);
    const controller = { controller: name };
    // Counters are exported with 0 from the start, because a rate needs an initial zero.
    for (const result of ['success', 'requeue_after', 'error']) this.#reconciles.inc({ controller: name, result }, 0);
    this.#reconcileErrors.inc(controller, 0);
    adds.inc(labels, 0);
    retries.inc(labels, 0);
    return {
      added: () => adds.inc(labels),
      retried: () => retries.inc(labels),
      started: seconds => waited.observe(labels, seconds),
      done: (seconds, result) => {
        took.observe(labels, seconds);
        this.#reconcileSeconds.observe(controller, seconds);
        this.#reconciles.inc({ controller: name, result });
        if (result === 'error') this.#reconcileErrors.inc(controller);
      },
    };
  }

  /** Counts one attempt of a call to the API server. */
  request(labels: { readonly code: string; readonly method: string; readonly host: string }): void {
    this.#requests.inc(labels);
  }

  leading(name: string, isLeader: boolean): void {
    this.#leader.set({ name }, isLeader ? 1 : 0);
  }

  stage(stage: Stage, seconds: number): void {
    this.#stageSeconds.observe({ stage }, seconds);
  }

  /** Sets the series of a source's active bundles. */
  bundles(source: Subject, bundles: readonly BundleInfo[]): void {
    const title = `${source.namespace}/${source.name}`;
    for (const previous of this.#bundlesOf.get(title) ?? []) this.#bundle.remove({ source: title, ...previous });
    for (const bundle of bundles) this.#bundle.set({ source: title, ...bundle }, 1);
    this.#bundlesOf.set(title, bundles);
  }

  /** Counts that a pod of the source refused a bundle. */
  refused({ namespace, name }: Subject): void {
    this.#nacks.inc({ namespace, name });
  }

  drift({ namespace, name }: Subject, action: 'corrected' | 'reported', objects: number): void {
    this.#drift.set({ namespace, name, action }, objects);
  }

  lag({ namespace, name }: Subject, seconds: number): void {
    this.#lag.observe({ namespace, name }, Math.max(0, seconds));
  }

  unverified({ namespace, name }: Subject, isRefused: boolean): void {
    this.#unverified.set({ namespace, name }, isRefused ? 1 : 0);
  }

  suspended({ namespace, name }: Subject, isSuspended: boolean): void {
    this.#suspended.set({ namespace, name }, isSuspended ? 1 : 0);
  }

  /** Counts a report to a forge; `result` is `ok` or the failure. */
  forgeReport(provider: string, result: string): void {
    this.#reports.inc({ provider, result });
  }

  /** Counts a request to the webhook receiver by its result. */
  delivery(result: string): void {
    this.#deliveries.inc({ result });
  }

  /** `state` is called at each scrape. */
  git(state: () => GitState): void {
    this.#gitState = state;
  }

  /** Counts that a repository could not be read, by cause. */
  gitFailure(cause: string): void {
    this.#gitFailures.inc({ cause });
  }

  /** Sets the numbers of tools that the gateways of a source expose with their active bundles. */
  exposedTools(source: Subject, counts: readonly ExposedTools[]): void {
    const title = `${source.namespace}/${source.name}`;
    for (const previous of this.#toolsOf.get(title) ?? [])
      this.#tools.remove({ source: title, ...toToolLabels(previous) });
    for (const count of counts) this.#tools.set({ source: title, ...toToolLabels(count) }, count.tools);
    this.#toolsOf.set(title, counts);
  }

  /** Removes the series of a deleted source. */
  forget(source: Subject): void {
    const { namespace, name } = source;
    this.bundles(source, []);
    this.#bundlesOf.delete(`${namespace}/${name}`);
    this.exposedTools(source, []);
    this.#toolsOf.delete(`${namespace}/${name}`);
    this.#nacks.remove({ namespace, name });
    for (const action of ['corrected', 'reported']) this.#drift.remove({ namespace, name, action });
    for (const metric of [this.#lag, this.#unverified, this.#suspended]) metric.remove({ namespace, name });
  }
}

function toToolLabels({ namespace, name, callers, effect }: ExposedTools) {
  return { namespace, name, caller_class: callers, hint: effect };
}

interface QueueMetrics {
  readonly adds: Counter<'name'>;
  readonly retries: Counter<'name'>;
  readonly waited: Histogram<'name'>;
  readonly took: Histogram<'name'>;
  readonly limit: Gauge<'controller'>;
}

function createQueueMetrics(registers: Registry[], states: ReadonlyMap<string, () => QueueState>): QueueMetrics {
  const labelNames = ['name'] as const;
  const addGauge = <Label extends string>(
    name: string,
    help: string,
    label: Label,
    value: (state: QueueState) => number,
  ): void => {
    new Gauge({
      name,
      help,
      labelNames: [label],
      registers,
      collect() {
        for (const [queue, state] of states) this.labels(queue).set(value(state()));
      },
    });
  };
  addGauge('workqueue_depth', 'Keys that wait for a worker.', 'name', ({ depth }) => depth);
  addGauge(
    'workqueue_unfinished_work_seconds',
    'Total time in seconds that the running work has taken so far.',
    'name',
    ({ unfinished }) => unfinished.totalSeconds,
  );
  addGauge(
    'workqueue_longest_running_processor_seconds',
    'Time in seconds that the longest running work has taken so far.',
    'name',
    ({ unfinished }) => unfinished.longestSeconds,
  );
  addGauge('controller_runtime_active_workers', 'Keys that workers process now.', 'controller', ({ active }) => active);
  return {
    adds: new Counter({ name: 'workqueue_adds_total', help: 'Keys added.', labelNames, registers }),
    retries: new Counter({
      name: 'workqueue_retries_total',
      help: 'Keys that are queued for another attempt.',
      labelNames,
      registers,
    }),
    waited: new Histogram({
      name: 'workqueue_queue_duration_seconds',
      help: 'How long keys waited for a worker.',
      labelNames,
      buckets: QUEUE_SECONDS,
      registers,
    }),
    took: new Histogram({
      name: 'workqueue_work_duration_seconds',
      help: 'How long work on keys took.',
      labelNames,
      buckets: QUEUE_SECONDS,
      registers,
    }),
    limit: new Gauge({
      name: 'controller_runtime_max_concurrent_reconciles',
      help: 'Maximum number of keys that workers process at the same time.',
      labelNames: ['controller'],
      registers,
    }),
  };
}
