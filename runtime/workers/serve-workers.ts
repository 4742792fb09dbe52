/** Runs a gateway in several processes. This process, the primary, supervises the workers, and has the bundle and the state that workers share. */
import { availableParallelism } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { GATEWAY_PORT, MCP_PATH, METRIC_PREFIX, VERSION } from '#schemas';
import { ActiveBundle } from '../bundle/active-bundle.ts';
import { type LoadedBundle, loadGateway } from '../bundle/load.ts';
import { watchBundle } from '../bundle/watch.ts';
import { createInternalRoutes } from '../http/internal-routes.ts';
import { formatUrl, listen } from '../http/listen.ts';
import type { Listener } from '../http/listener.ts';
import type { AuditStatus } from '../observe/audit/audit-log.ts';
import { auditMetrics } from '../observe/audit/audit-metrics.ts';
import type { Logger } from '../observe/log.ts';
import { type Labels, type Metric, type Sample, withLabels } from '../observe/metrics/metric.ts';
import { listProcessMetrics } from '../observe/metrics/process-metrics.ts';
import { listSentMetrics } from '../observe/otlp/sent-metrics.ts';
import { SwapCounts } from '../observe/swap-counts.ts';
import type { RuntimeOptions } from '../options.ts';
import type { RunningRuntime } from '../running-runtime.ts';
import { limitWait } from './limit-wait.ts';
import { mergeMetrics } from './merge-metrics.ts';
import { mergeStatus, type TreeStatusPage } from './merge-status.ts';
import type { BundleUpdate, WorkerReport } from './messages.ts';
import { WorkerPool } from './pool.ts';
import { SharedHosts } from './shared-hosts.ts';
import type { WorkerProcess } from './worker-process.ts';

/** How long a worker may take to report its status; milliseconds. */
const REPORT_MS = 5_000;

/** How often expired sessions are deleted; milliseconds. */
const SWEEP_MS = 60_000;

const CONNECTIONS = `${METRIC_PREFIX}mcp_active_connections`;

/**
 * Serves a loaded gateway with several workers until `stop`.
 *
 * @param count number of workers
 * @throws BundleError for a bundle that must not be served, ListenError for an address that cannot be bound
 */
export async function serveWorkers(
  loaded: LoadedBundle,
  count: number,
  options: RuntimeOptions,
  log: Logger,
): Promise<RunningRuntime> {
  const cores = availableParallelism();
  if (count > cores) log.warn({ workers: count, cores }, 'there are more workers than cores: workers share cores');
  const { host, port = GATEWAY_PORT } = options.listen;
  const hosts = await SharedHosts.open(loaded, options, log);
  const { dispatcher } = hosts;
  const bound = await dispatcher.listen({ host, port }).catch(async error => {
    await hosts.close();
    throw error;
  });
  const pool = new WorkerPool(loaded, { count, hosts, log });
  const running = new ActiveBundle(loaded, log);
  const { namespace, name } = loaded.bundle;
  const swaps = new SwapCounts();
  const tree = new Tree(pool, hosts, { namespace, server: name }, () => toBundleUpdate(running, swaps));
  hosts.metrics = () => tree.metrics();
  let isStopping = false;
  let internal: Listener;
  try {
    await pool.start();
    internal = await listen('--internal-address', options.internal, {
      routes: createInternalRoutes({
        ready: () => pool.isReady && !isStopping,
        version: () => ({ version: VERSION, digest: running.digest }),
        status: () => tree.status(),
        metrics: () => tree.metrics(),
      }),
      log,
    });
  } catch (error) {
    dispatcher.close();
    await pool.stop();
    await hosts.close();
    throw error;
  }
  const sweeping = setInterval(() => hosts.sessions.sweep(), SWEEP_MS).unref();
  const stopWatching = options.watch
    ? watchBundle(options.bundle, async () => {
        const startedAt = performance.now();
        const { digest } = running;
        const isServed = await running.renew(
          () => loadGateway(options.bundle, options),
          next => pool.swap(next),
        );
        if (!isServed) swaps.refused++;
        else if (running.digest !== digest) swaps.served(startedAt);
        return isServed;
      })
    : async () => {};
  return {
    url: `${formatUrl(host, bound)}${MCP_PATH}`,
    internalUrl: formatUrl(options.internal.host, internal.address.port),
    kind: 'gateway',
    digest: loaded.digest,
    registries: {},
    name: `${loaded.bundle.namespace}/${loaded.bundle.name}`,
    failed: pool.failed,
    stop: async () => {
      isStopping = true;
      clearInterval(sweeping);
      await stopWatching();
      dispatcher.close();
      await pool.stop();
      await hosts.close(); // Waits until the records of the last requests are written.
      await internal.close(0);
    },
  };
}

interface Reported {
  readonly worker: WorkerProcess;
  readonly report: WorkerReport;
}

/** Collects the status and the metrics of the primary and its workers. */
class Tree {
  readonly #pool: WorkerPool;
  readonly #hosts: SharedHosts;
  /** The labels of the gateway's metrics. */
  readonly #labels: Labels;
  readonly #update: () => BundleUpdate;

  constructor(pool: WorkerPool, hosts: SharedHosts, labels: Labels, update: () => BundleUpdate) {
    this.#pool = pool;
    this.#hosts = hosts;
    this.#labels = labels;
    this.#update = update;
  }

  async status(): Promise<TreeStatusPage> {
    const reports = await this.#reports();
    const page = mergeStatus(reports.map(({ report }) => report.status));
    const { tokens, embeddings, audit } = this.#hosts;
    const own = reports.reduce((sum, { report }) => sum + report.ownSessions, 0);
    const { rateLimiting } = page;
    return {
      ...page,
      sessions: this.#countShared(reports) + own,
      ...(audit.status && { audit: withPrimary(audit.status, page.audit) }),
      rateLimiting: rateLimiting?.store === 'memory' ? { ...rateLimiting, buckets: tokens.status } : rateLimiting,
      ...(page.optimizer && { optimizer: { ...page.optimizer, embeddings: embeddings.status ?? null } }),
      workers: reports.map(({ worker, report }) => ({
        worker: worker.number,
        pid: worker.pid,
        startedAt: worker.startedAt.toISOString(),
        ready: worker.isReady,
        sessions: report.status.sessions,
      })),
      replacedWorkers: this.#pool.replaced,
    };
  }

  async metrics(): Promise<readonly Metric[]> {
    const reports = await this.#reports();
    // The primary's own metrics: about the audit records that it has written and sent for all workers, and about embeddings.
    const { audit, embeddings } = this.#hosts;
    const { totals, exported } = audit;
    const shared = [...auditMetrics(totals), ...listSentMetrics(exported), ...embeddings.metrics()];
    const merged = mergeMetrics([
      ...reports.map(({ worker, report }) => ({ worker: String(worker.number), metrics: report.metrics })),
      {
        worker: 'primary',
        metrics: [...shared.map(metric => withLabels(metric, this.#labels)), ...listProcessMetrics()],
      },
    ]);
    const sessions = this.#countShared(reports);
    return merged.map(metric => (metric.name === CONNECTIONS ? withSessions(metric, sessions) : metric));
  }

  /** Sessions that any worker can serve, each once, although several workers may hold a copy. */
  #countShared(reports: readonly Reported[]): number {
    const isInPrimary = reports.some(({ report }) => report.status.sessionStorage.provider === 'memory');
    if (isInPrimary) return this.#hosts.sessions.size;
    return new Set(reports.flatMap(({ report }) => report.sessionKeys)).size;
  }

  /** The reports of all live workers; waits while there is no worker. A worker that does not answer in time is left out. */
  async #reports(): Promise<Reported[]> {
    const until = performance.now() + REPORT_MS;
    for (;;) {
      const queries = this.#pool.serving.map(async worker => {
        const report = await limitWait(REPORT_MS, worker.channel.ask('report', this.#update()));
        return { worker, report };
      });
      const answered = await Promise.allSettled(queries);
      const reports = answered.flatMap(answer => (answer.status === 'fulfilled' ? [answer.value] : []));
      if (reports.length > 0) return reports;
      if (performance.now() > until) throw new Error('no worker reports its status');
      await pause(100);
    }
  }
}

/** The metric of open connections with another number of sessions over Streamable HTTP. */
function withSessions(metric: Metric, sessions: number): Metric {
  if (metric.type === 'histogram') return metric;
  const isTheirs = ({ labels }: Sample): boolean =>
    labels.connection_type === 'session' && labels.transport === 'streamable-http';
  return { ...metric, samples: metric.samples.map(one => (isTheirs(one) ? { ...one, value: sessions } : one)) };
}

function toBundleUpdate({ digest, refused, staleSecurity }: BundleUpdate['state'], swaps: SwapCounts): BundleUpdate {
  return {
    state: { digest, refused, staleSecurity },
    swaps: { refused: swaps.refused, latestAt: swaps.latestAt, seconds: swaps.seconds.sample({}) },
  };
}

/** The status of the primary's audit log; the records that workers have dropped or not sent yet are added. */
function withPrimary(status: AuditStatus, { dropped = 0, waiting = 0 }: Partial<AuditStatus> = {}): AuditStatus {
  return { ...status, dropped: status.dropped + dropped, waiting: status.waiting + waiting };
}
