/** Collects all current metrics of a gateway. */
import { METRIC_PREFIX } from '#schemas';
import type { ProviderStatus } from '../auth/incoming/authenticator.ts';
import type { BundleState } from '../bundle/active-bundle.ts';
import type { BackendStatus } from '../gateway/backends/health/backend-health.ts';
import type { CircuitState } from '../gateway/backends/health/circuit-breaker.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { type AuditTotals, auditMetrics } from './audit/audit-metrics.ts';
import { type Metric, type Sample, withLabels } from './metrics/metric.ts';
import { listProcessMetrics } from './metrics/process-metrics.ts';
import { listTargetInfo } from './metrics/target-info.ts';
import { listOptimizerMetrics } from './optimizer-metrics.ts';
import type { RequestObserver } from './requests/observed-handlers.ts';
import { requestMetrics } from './requests/request-metrics.ts';
import { isHealthy, type StreamStatus } from './status.ts';
import type { SwapFigures } from './swap-counts.ts';

const PREFIX = `${METRIC_PREFIX}gateway_`;

const STATUSES: readonly BackendStatus[] = ['ready', 'degraded', 'unavailable', 'unauthenticated', 'unknown'];

const CIRCUIT_STATES: readonly CircuitState[] = ['closed', 'open', 'half-open'];

export interface MeasuredGateway {
  readonly gateway: Gateway;
  readonly state: BundleState;
  readonly swaps: SwapFigures;
  readonly observer: RequestObserver;
  readonly connections: ConnectionCounts;
  readonly streams: StreamStatus;
  /** Requests that were refused before they were processed, by HTTP status. */
  readonly refusals: ReadonlyMap<number, number>;
  readonly isReady: boolean;
  /** Whether the session store answers. True for sessions in memory. */
  readonly isStoreReady: boolean;
  readonly providers: readonly ProviderStatus[];
  /** The totals of the audit log; undefined when nothing was ever recorded. */
  readonly audit: AuditTotals | undefined;
  /** The metrics of the authorization server. */
  readonly authServer: readonly Metric[];
  /** The metrics about exports to the collector. */
  readonly telemetry: readonly Metric[];
}

/** The current numbers of sessions and streams of clients. */
export interface ConnectionCounts {
  readonly sessions: number;
  /** Clients of the older HTTP+SSE transport. */
  readonly sseSessions: number;
  /** Streams of `subscriptions/listen`. */
  readonly subscriptions: number;
}

export function listGatewayMetrics(measured: MeasuredGateway): Metric[] {
  const { gateway, observer, refusals } = measured;
  const { bundle } = gateway;
  const backends = new Map(
    bundle.backends.map(({ name, transport, auth }) => [
      name,
      { transport, authenticated: auth.type !== 'unauthenticated' },
    ]),
  );
  const ours = [
    ...requestMetrics(observer, backends),
    ...listBundleMetrics(measured),
    ...listDependencyMetrics(measured),
    ...listConnectionMetrics(measured),
    ...listBackendMetrics(gateway),
    createCounter(
      `${PREFIX}http_refusals`,
      'Requests that were refused before they were read as MCP messages, by HTTP status: no token, no session, too large and the like.',
      [...refusals].map(([status, value]) => ({ labels: { 'http.response.status_code': String(status) }, value })),
    ),
    createCounter(
      `${PREFIX}authorization_denials`,
      'Requests that policies have denied, also those that were answered as if the item did not exist.',
      Object.entries(gateway.denials).map(([action, value]) => ({ labels: { action }, value })),
    ),
    createCounter(
      `${PREFIX}authorization_errors`,
      'Policy decisions that failed, so that the request was denied, since the current policies are served.',
      [{ labels: {}, value: gateway.authorizer.errorCount }],
    ),
    ...listRateLimitMetrics(gateway),
    ...listWorkflowMetrics(gateway),
    ...measured.authServer,
    ...listOptimizerMetrics(gateway),
    ...auditMetrics(measured.audit),
    ...measured.telemetry,
  ];
  const common = { server: bundle.name, namespace: bundle.namespace };
  return [
    ...ours.map(metric => withLabels(metric, common)),
    ...listTargetInfo(bundle.telemetry),
    ...listProcessMetrics(),
  ];
}

/** Gauges of the services that a gateway needs besides its backends. */
function listDependencyMetrics({ isStoreReady, providers }: MeasuredGateway): Metric[] {
  return [
    createGauge(
      `${PREFIX}session_store_ready`,
      'Whether the session store answers: 1 or 0. Always 1 for sessions in memory.',
      [{ labels: {}, value: Number(isStoreReady) }],
    ),
    createGauge(
      `${PREFIX}identity_provider_available`,
      'Whether the last request to an identity provider succeeded: 1 or 0.',
      providers.map(({ name, message }) => ({ labels: { provider: name }, value: Number(message === '') })),
    ),
  ];
}

function listBundleMetrics({ gateway, state, swaps, isReady }: MeasuredGateway): Metric[] {
  const revision = gateway.bundle.origin.sourceRevision ?? '';
  return [
    createGauge(`${PREFIX}bundle_info`, 'The bundle that is served; always 1.', [
      { labels: { digest: state.digest, revision, version: gateway.version }, value: 1 },
    ]),
    createGauge(
      `${PREFIX}bundle_refused`,
      'Whether the newest bundle was refused, and an older one is served: 1 or 0.',
      [{ labels: {}, value: Number(state.refused !== null) }],
    ),
    createGauge(
      `${PREFIX}bundle_stale_security`,
      'Whether a refused bundle changes who may sign in or what callers may do: 1 or 0.',
      [{ labels: {}, value: Number(state.staleSecurity.length > 0) }],
    ),
    createCounter(
      `${PREFIX}bundle_swaps`,
      'Bundles that replaced the previous bundle, and bundles that were refused.',
      [
        { labels: { result: 'served' }, value: swaps.seconds.count },
        { labels: { result: 'refused' }, value: swaps.refused },
      ],
    ),
    {
      name: `${PREFIX}bundle_swap_duration`,
      unit: 's',
      type: 'histogram',
      help: 'Time from the reading of a new bundle until it is served.',
      samples: [swaps.seconds.sample({})],
    },
    createGauge(
      `${PREFIX}bundle_swapped_at_timestamp_seconds`,
      'When the bundle began to be served, in seconds since 1970.',
      [{ labels: {}, value: swaps.latestAt / 1_000 }],
    ),
    createGauge(`${PREFIX}ready`, 'Whether this process is ready for clients: 1 or 0.', [
      { labels: {}, value: Number(isReady) },
    ]),
    createGauge(
      `${PREFIX}healthy`,
      'Whether the gateway can answer requests: 1 or 0. Under `partialFailureMode: fail` all backends must be available, else at least one.',
      [{ labels: {}, value: Number(isHealthy(gateway)) }],
    ),
  ];
}

function listConnectionMetrics({ connections, streams }: MeasuredGateway): Metric[] {
  const { sessions, sseSessions, subscriptions } = connections;
  const http = 'streamable-http';
  return [
    createGauge(
      `${METRIC_PREFIX}mcp_active_connections`,
      'Sessions and streams of subscriptions that clients keep open.',
      [
        { labels: { connection_type: 'session', transport: http }, value: sessions },
        { labels: { connection_type: 'session', transport: 'sse' }, value: sseSessions },
        { labels: { connection_type: 'subscription', transport: http }, value: subscriptions },
      ],
    ),
    createGauge(`${PREFIX}stream_unread_bytes`, 'Bytes on event streams that clients have not read yet.', [
      { labels: {}, value: streams.unreadBytes },
    ]),
    createGauge(`${PREFIX}stream_kept_bytes`, 'Bytes that are stored for clients that reconnect to their streams.', [
      { labels: {}, value: streams.keptBytes },
    ]),
    createCounter(
      `${PREFIX}streams_broken`,
      'Event streams that were closed because their clients had too much unread data.',
      [{ labels: {}, value: streams.brokenStreams }],
    ),
  ];
}

function listBackendMetrics(gateway: Gateway): Metric[] {
  const found = gateway.bundle.backends.flatMap(({ name }) => {
    const connection = gateway.connections.get(name);
    return connection === undefined ? [] : [{ labels: { 'target.workload_name': name }, connection }];
  });
  const { lists } = gateway.overview();
  return [
    createGauge(`${METRIC_PREFIX}vmcp_backends_discovered`, 'Backends of the bundle that is served.', [
      { labels: {}, value: found.length },
    ]),
    createGauge(
      `${PREFIX}backend_status`,
      'Whether a backend has this status: 1 or 0. Ready and degraded backends are served.',
      found.flatMap(({ labels, connection: { monitor } }) =>
        STATUSES.map(status => ({ labels: { ...labels, status }, value: Number(monitor.health.status === status) })),
      ),
    ),
    createGauge(
      `${PREFIX}backend_consecutive_failures`,
      'Health checks of a backend that have failed since the last success.',
      found.map(({ labels, connection: { monitor } }) => ({ labels, value: monitor.health.consecutiveFailures })),
    ),
    createGauge(
      `${PREFIX}backend_last_check_timestamp_seconds`,
      'When the health of a backend was checked last, in seconds since 1970.',
      found.flatMap(({ labels, connection: { monitor } }) => {
        const { lastCheck } = monitor.health;
        return lastCheck === null ? [] : [{ labels, value: Date.parse(lastCheck) / 1_000 }];
      }),
    ),
    createGauge(
      `${PREFIX}backend_circuit_state`,
      'Whether the circuit breaker of a backend is in this state: 1 or 0. Without a circuit breaker, the metric is absent.',
      found.flatMap(({ labels, connection: { monitor } }) => {
        const { circuit } = monitor;
        if (circuit === undefined) return [];
        return CIRCUIT_STATES.map(state => ({ labels: { ...labels, state }, value: Number(circuit.state === state) }));
      }),
    ),
    createGauge(
      `${PREFIX}backend_calls_open`,
      'Requests of clients that a backend has not answered yet: running, waiting for a turn, or parked until a client answers or a task ends.',
      found.flatMap(({ labels, connection: { bulkhead } }) => {
        const { open, waiting, parked } = bulkhead.status;
        const states = { running: Math.max(0, open - waiting - parked), waiting, parked };
        return Object.entries(states).map(([state, value]) => ({ labels: { ...labels, state }, value }));
      }),
    ),
    createCounter(
      `${PREFIX}backend_calls_refused`,
      'Requests that were refused at once because the limit of requests that wait for the backend was reached.',
      found.map(({ labels, connection: { bulkhead } }) => ({ labels, value: bulkhead.status.refused })),
    ),
    createCounter(
      `${METRIC_PREFIX}vmcp_backend_revision_reclassifications`,
      'How often a backend turned out to speak another revision of MCP than before.',
      found.map(({ labels, connection }) => ({ labels, value: connection.eraChanges })),
    ),
    createGauge(`${PREFIX}items`, 'Tools, prompts, resources and resource templates that clients are offered.', [
      { labels: { kind: 'tool' }, value: lists.tools.items.length },
      { labels: { kind: 'prompt' }, value: lists.prompts.items.length },
      { labels: { kind: 'resource' }, value: lists.resources.items.length },
      { labels: { kind: 'resource_template' }, value: lists.resourceTemplates.items.length },
    ]),
  ];
}

/** The metrics of rate limits. They exist even without limits, so that a dashboard shows zero before the first rejected call. */
function listRateLimitMetrics({ limits: { counts } }: Gateway): Metric[] {
  return [
    createCounter(`${METRIC_PREFIX}rate_limit_decisions`, 'Calls that rate limits decided about, by decision.', [
      { labels: { decision: 'allowed' }, value: counts.allowed },
      ...[...counts.listRejections()].map(({ scope, operation, count }) => ({
        labels: { decision: 'rejected', scope, operation_type: operation },
        value: count,
      })),
    ]),
    createCounter(
      `${METRIC_PREFIX}rate_limit_redis_errors`,
      'Failures to query Redis about a limit.',
      [...counts.redisErrors].map(([reason, value]) => ({ labels: { error_type: reason }, value })),
    ),
    createCounter(
      `${METRIC_PREFIX}rate_limit_fail_open`,
      'Calls that were let through because Redis could not be queried.',
      [{ labels: {}, value: counts.failedOpen }],
    ),
    {
      name: `${METRIC_PREFIX}rate_limit_check_latency`,
      unit: 's',
      type: 'histogram',
      help: 'Time that Redis took to decide about a call.',
      samples: [counts.checkSeconds.sample({})],
    },
  ];
}

function createCounter(name: string, help: string, samples: readonly Sample[]): Metric {
  return { name, type: 'counter', help, samples };
}

function createGauge(name: string, help: string, samples: readonly Sample[]): Metric {
  return { name, type: 'gauge', help, samples };
}

/** The metrics of workflows; empty if the bundle has no workflows. */
function listWorkflowMetrics({ bundle, workflows }: Gateway): Metric[] {
  if (bundle.workflows === undefined) return [];
  const names = bundle.workflows.map(({ name }) => name);
  const createLabels = (name: string) => ({ 'workflow.name': name });
  const counts = names.flatMap(name => {
    const known = workflows.counts.get(name);
    return known === undefined ? [] : [{ labels: createLabels(name), known }];
  });
  const figures = workflows.figures;
  const waiting = workflows.waiting.figures;
  return [
    createCounter(
      `${METRIC_PREFIX}vmcp_workflow_executions`,
      'Runs of workflows that have ended.',
      counts.map(({ labels, known }) => ({ labels, value: known.executions })),
    ),
    createCounter(
      `${METRIC_PREFIX}vmcp_workflow_errors`,
      'Runs of workflows that have failed.',
      counts.map(({ labels, known }) => ({ labels, value: known.errors })),
    ),
    {
      name: `${METRIC_PREFIX}vmcp_workflow_duration`,
      unit: 's',
      type: 'histogram',
      help: 'Time from the call of a workflow to its end, including the time in which people answered questions.',
      samples: counts.map(({ labels, known }) => known.seconds.sample(labels)),
    },
    createGauge(
      `${PREFIX}workflows`,
      'Workflows that run, and those that wait for clients without sessions to come back with an answer.',
      names.flatMap(name => [
        { labels: { ...createLabels(name), state: 'running' }, value: figures.get(name)?.running ?? 0 },
        { labels: { ...createLabels(name), state: 'waiting' }, value: waiting.get(name) ?? 0 },
      ]),
    ),
  ];
}
