import type { ProviderStatus } from '../auth/incoming/authenticator.ts';
import type { BundleState } from '../bundle/active-bundle.ts';
import type { SecurityPart } from '../bundle/stale-security.ts';
import type { BackendStatus } from '../gateway/backends/health/backend-health.ts';
import type { CallsStatus } from '../gateway/backends/health/bulkhead.ts';
import type { CircuitState } from '../gateway/backends/health/circuit-breaker.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { RateLimitStatus } from '../gateway/limits/rate-limits.ts';
import type { EmbedderStatus } from '../gateway/optimizer/embeddings/embedder.ts';
import type { SearchKind } from '../gateway/optimizer/optimizer.ts';
import type { RedisHealth } from '../redis/redis.ts';
import type { AuditStatus } from './audit/audit-log.ts';
import type { AuthServerEntry } from './auth-server-counts.ts';
import type { StartOptions } from './start-options.ts';

/** The contents of `/status`. The page reads the state of backends from the same monitors as lists and routing. */
export interface StatusPage {
  readonly gateway: { readonly namespace: string; readonly name: string };
  readonly version: string;
  readonly bundle: {
    readonly digest: string;
    readonly sourceRevision: string | null;
    readonly compilerVersion: string;
    /** Why the newest bundle at the watched path was refused; null when it is the active one. */
    readonly refused: string | null;
    /** The security settings that differ in the refused bundle. For these, the settings of the active bundle still apply. */
    readonly staleSecurity: readonly SecurityPart[];
  };
  readonly options: StartOptions;
  /** How requests are treated while a backend is unavailable. */
  readonly partialFailure: 'fail' | 'best_effort';
  /** Whether requests are answered: with `fail` every backend must be available, with `best_effort` at least one, if there are any. */
  readonly healthy: boolean;
  readonly backends: readonly BackendEntry[];
  readonly counts: {
    readonly tools: number;
    readonly prompts: number;
    readonly resources: number;
    readonly resourceTemplates: number;
  };
  readonly sessions: number;
  readonly sessionStorage: {
    readonly provider: 'memory' | 'redis';
    /** Whether the store of shared sessions answers. While it does not, new sessions get 503, and existing sessions continue at their replica. */
    readonly ready: boolean;
    /** Why the store does not answer; null while it does. */
    readonly problem: string | null;
  };
  readonly streams: StreamStatus;
  /** Absent when the gateway records nothing. */
  readonly audit?: AuditStatus | undefined;
  readonly authentication: {
    readonly type: 'anonymous' | 'local' | 'oidc';
    readonly providers: readonly ProviderStatus[];
  };
  /** Absent if the bundle has no authorization server. */
  readonly authServer?: AuthServerEntry | undefined;
  readonly authorization: {
    readonly engine: 'none' | 'cedar';
    readonly policyCount: number;
    /** Number of decisions that failed, and therefore denied a request, since these policies apply. */
    readonly errorCount: number;
  };
  /** The workflows, sorted by name; absent if the bundle has none. */
  readonly workflows?: readonly {
    readonly name: string;
    /** Whether clients that may call the workflow see it in their lists. */
    readonly listed: boolean;
    readonly running: number;
    /** Calls that wait for a person on the stream of a session. */
    readonly asking: number;
    /** Calls that wait until a client without a session returns with an answer. */
    readonly waiting: number;
  }[];
  /** Absent for a gateway without an optimizer. */
  readonly optimizer?: {
    /** Number of tool definitions in the search index. */
    readonly indexed: number;
    /** How tools are currently found. */
    readonly search: SearchKind;
    /** Null when tools are found by keywords only. */
    readonly embeddings: EmbedderStatus | null;
  };
  /** Null when calls have no limit. */
  readonly rateLimiting: RateLimitStatus | null;
  /** The items of backends that clients do not get, with the reason. The list has a limit, because backends decide how many items there are. */
  readonly withheld: readonly {
    readonly kind: string;
    readonly backend: string;
    readonly name: string;
    readonly originalName: string;
    readonly reason: string;
    /** The precise problem, if the reason alone is not enough. */
    readonly detail?: string | undefined;
  }[];
  /** The number of further withheld items of each backend, which the list does not name. */
  readonly moreWithheld: readonly { readonly backend: string; readonly count: number }[];
  /** Filters and overrides for tools that their backend does not have. */
  readonly idle: readonly { readonly backend: string; readonly setting: string; readonly tool: string }[];
}

/** The memory of all clients' event streams, in bytes. */
export interface StreamStatus {
  /** Bytes that clients have not read yet. */
  readonly unreadBytes: number;
  /** Bytes that are kept for reconnecting clients. */
  readonly keptBytes: number;
  /** Streams that were closed since the start because too many bytes were unread. */
  readonly brokenStreams: number;
}

interface BackendEntry {
  readonly name: string;
  readonly status: BackendStatus;
  readonly transport: string;
  readonly message: string;
  readonly lastHealthCheck: string | null;
  readonly consecutiveFailures: number;
  readonly mcpRevision: string | null;
  /** Null when the circuit breaker is off. */
  readonly circuitBreakerState: CircuitState | null;
  /** Null when the state never changed. */
  readonly circuitLastChanged: string | null;
  /** Why the current content of the backend's file of certificate authorities is not used; null if it is used, or if there is no file. */
  readonly staleAuthorities: string | null;
  /** The backend's unanswered requests, and their limit. */
  readonly calls: CallsStatus;
}

export function buildStatusPage(
  gateway: Gateway,
  options: StartOptions,
  { digest, refused, staleSecurity }: BundleState,
  providers: readonly ProviderStatus[],
  streams: StreamStatus,
  redis: RedisHealth | undefined,
  audit?: AuditStatus,
  authServer?: AuthServerEntry,
): StatusPage {
  const { bundle, connections } = gateway;
  const table = gateway.overview();
  const backends = bundle.backends.flatMap(({ name, transport }) => {
    const connection = connections.get(name);
    if (connection === undefined) return [];
    const { monitor, bulkhead, staleAuthorities } = connection;
    const { status, message, lastCheck, consecutiveFailures, mcpRevision } = monitor.health;
    return [
      {
        name,
        status,
        transport,
        message,
        lastHealthCheck: lastCheck,
        consecutiveFailures,
        mcpRevision,
        circuitBreakerState: monitor.circuit?.state ?? null,
        circuitLastChanged: monitor.circuit?.lastChanged ?? null,
        staleAuthorities,
        calls: bulkhead.status,
      },
    ];
  });
  return {
    gateway: { namespace: bundle.namespace, name: bundle.name },
    version: gateway.version,
    bundle: {
      digest,
      sourceRevision: bundle.origin.sourceRevision,
      compilerVersion: bundle.origin.compilerVersion,
      refused,
      staleSecurity,
    },
    options,
    partialFailure: bundle.operational.partialFailure,
    healthy: isHealthy(gateway),
    backends,
    counts: {
      tools: table.lists.tools.items.length,
      prompts: table.lists.prompts.items.length,
      resources: table.lists.resources.items.length,
      resourceTemplates: table.lists.resourceTemplates.items.length,
    },
    sessions: gateway.sessions.size,
    sessionStorage: {
      provider: redis === undefined ? 'memory' : 'redis',
      ready: redis?.isReady ?? true,
      problem: redis?.problem?.message ?? null,
    },
    streams,
    ...(audit && { audit }),
    authentication: { type: bundle.incomingAuth.type, providers },
    ...(authServer && { authServer }),
    authorization: {
      engine: bundle.authorization.engine,
      policyCount: bundle.authorization.policyCount,
      errorCount: gateway.authorizer.errorCount,
    },
    ...buildWorkflowStatus(gateway),
    ...buildOptimizerStatus(gateway),
    rateLimiting: gateway.limits.status(),
    withheld: table.withheld,
    moreWithheld: table.moreWithheld,
    idle: table.idle,
  };
}

function buildWorkflowStatus({ bundle, table, workflows }: Gateway): Pick<StatusPage, 'workflows'> {
  if (bundle.workflows === undefined) return {};
  const running = workflows.figures;
  const waiting = workflows.waiting.figures;
  return {
    workflows: bundle.workflows.map(({ name }) => ({
      name,
      listed: table.tools.get(name)?.workflow?.available === true,
      running: running.get(name)?.running ?? 0,
      asking: running.get(name)?.asking ?? 0,
      waiting: waiting.get(name) ?? 0,
    })),
  };
}

function buildOptimizerStatus({ optimizer }: Gateway): Pick<StatusPage, 'optimizer'> {
  if (optimizer === undefined) return {};
  const { indexedCount: indexed, search, embedder } = optimizer;
  return { optimizer: { indexed, search, embeddings: embedder?.status ?? null } };
}

/** Whether the gateway can answer requests: under `fail` all backends must be available, under `best_effort` at least one, if there are any. */
export function isHealthy({ bundle, connections }: Pick<Gateway, 'bundle' | 'connections'>): boolean {
  if (connections.size === 0) return true;
  const available = [...connections.values()].map(({ monitor }) => monitor.available);
  return bundle.operational.partialFailure === 'fail' ? available.every(Boolean) : available.some(Boolean);
}
