/**
 * Bundle format 1: everything that a runtime reads. All defaults are applied, all names resolved, and durations are in milliseconds. Secrets
 * appear only by reference. The digest covers the canonical JSON of this object.
 */

import type { AddressPolicy } from '../addresses.ts';
import type { AuditPlan } from './audit.ts';
import type { AuthServerPlan } from './auth-server.ts';
import type { AuthorizationPlan } from './authorization.ts';
import type { IncomingAuthPlan } from './incoming-auth.ts';
import type { OptimizerPlan } from './optimizer.ts';
import type { ForwardedHeaderPlan, OutgoingAuthPlan } from './outgoing-auth.ts';
import type { RateLimitPlan } from './rate-limits.ts';
import type { SessionStoragePlan } from './redis.ts';
import type { RegistryBundle, RegistryFeature } from './registry.ts';
import type { SecretRequirement } from './secret-source.ts';
import type { StdioPlan } from './stdio.ts';
import type { TelemetryPlan } from './telemetry.ts';
import type { WorkflowTool } from './workflow.ts';

/** Raised when a runtime that knows only the previous version would misread the bundle. */
export const BUNDLE_FORMAT_VERSION = 1;

/** File name of the bundle inside its directory. */
export const BUNDLE_FILE = 'bundle.json';

/** File name of the list of bundles that a build wrote. */
export const INDEX_FILE = 'index.json';

export interface GatewayBundle {
  readonly formatVersion: typeof BUNDLE_FORMAT_VERSION;
  readonly kind: 'gateway';
  readonly namespace: string;
  readonly name: string;
  /**
   * Set when the bundle serves an MCPServer or MCPRemoteProxy instead of a VirtualMCPServer: then there is one backend, and its names are
   * unchanged.
   */
  readonly front?: ServerFront;
  /** The origin of this bundle. The caller of the compiler sets `sourceRevision`; null when it does not. */
  readonly origin: { readonly compilerVersion: string; readonly sourceRevision: string | null };
  /** Features that a runtime needs to serve this bundle; a runtime that lacks one refuses it. */
  readonly requires: readonly RuntimeFeature[];
  /** Every secret that the plan reads, sorted by file and variable, each once. */
  readonly secrets: readonly SecretRequirement[];
  readonly server: ServerIdentity;
  readonly incomingAuth: IncomingAuthPlan;
  readonly authorization: AuthorizationPlan;
  /** Client headers that are forwarded to every backend: names in lower case, sorted. */
  readonly passthroughHeaders: readonly string[];
  /** The backends, sorted by name. */
  readonly backends: readonly BackendPlan[];
  readonly aggregation: AggregationPlan;
  readonly operational: OperationalPlan;
  /** Absent when tool calls are not limited. */
  readonly rateLimiting?: RateLimitPlan;
  /** Absent when callers get their tokens from another issuer. */
  readonly authServer?: AuthServerPlan;
  /** Absent when clients get the full list of tools. */
  readonly optimizer?: OptimizerPlan;
  /** Absent when each replica keeps its sessions in memory. */
  readonly sessionStorage?: SessionStoragePlan;
  /** Absent when the gateway writes no audit log. */
  readonly audit?: AuditPlan;
  /** Absent when the spec configures no telemetry; metrics are then served only on the internal address. */
  readonly telemetry?: TelemetryPlan;
  /** The workflows, sorted by name; absent when there are none. */
  readonly workflows?: readonly WorkflowTool[];
  readonly deployment: DeploymentPlan;
}

/** The object that a gateway with one backend serves: `server` for an MCPServer, `remote-proxy` for an MCPRemoteProxy. */
export type ServerFront = 'server' | 'remote-proxy';

/** Versions of the runtime add members; a name never changes its meaning. */
export type RuntimeFeature =
  | 'aggregation'
  | 'audit'
  | 'auth-server'
  | 'cedar'
  | 'circuit-breaker'
  | 'header-forward'
  | 'incoming-local'
  | 'incoming-oidc'
  | 'introspection'
  | 'optimizer'
  | 'optimizer-embeddings'
  | `outgoing-${Exclude<OutgoingAuthPlan['type'], 'unauthenticated'>}`
  | 'passthrough-headers'
  | 'pinned-tools'
  | 'rate-limits-memory'
  | 'rate-limits-redis'
  | 'sessions-redis'
  | 'telemetry'
  | 'upstream-claims'
  | 'workflows'
  | RegistryFeature;

/** The server info in the response to `initialize`. */
export interface ServerIdentity {
  readonly name: string;
  /** `spec.config.metadata`: for readers and reports; it does not change behaviour. */
  readonly metadata: { readonly [key: string]: string };
}

export type BackendTransport = 'streamable-http' | 'sse';

export interface BackendPlan {
  readonly name: string;
  /**
   * http or https, without fragment and credentials. With `stdio`, the URL of a bridge at its default port; an option of the runtime can name
   * another.
   */
  readonly url: string;
  readonly transport: BackendTransport;
  readonly addresses: AddressPolicy;
  /** A request fails after this time without a byte of response; milliseconds, at least 1. */
  readonly timeoutMs: number;
  readonly auth: OutgoingAuthPlan;
  /** Sent with every request, sorted by name; the credential of `auth` overrides them. */
  readonly headers: readonly ForwardedHeaderPlan[];
  /** PEM certificates that are trusted for this backend in addition to the default ones. */
  readonly caPem?: string;
  /** File with PEM certificates that are trusted in addition to the default ones, read for each connection; not with `caPem`. */
  readonly caFile?: string;
  readonly metadata: { readonly [key: string]: string };
  readonly tools: BackendToolPlan;
  /** The program that a bridge runs as this backend. Absent for a backend that is reached by URL. */
  readonly stdio?: StdioPlan;
  /** The names and URIs that the backend offered when `lintel lock` ran; absent when the lock does not have the backend. */
  readonly locked?: LockedNamesPlan;
  /** The tool definitions that clients may get from the backend; absent if they get all definitions that it offers. */
  readonly pinned?: PinnedToolsPlan;
}

/** Pins definitions: a tool is withheld if the backend defines it differently, or if it is not listed here. */
export interface PinnedToolsPlan {
  /** The digest of the canonical JSON of each definition, by the backend's own name of the tool. */
  readonly tools: { readonly [tool: string]: string };
}

/**
 * Names and URIs that stay reserved for a backend. A runtime that starts while the backend is unavailable gives none of them to another backend.
 * Each list is sorted and has the backend's own names.
 */
export interface LockedNamesPlan {
  readonly tools: readonly string[];
  readonly prompts: readonly string[];
  readonly resources: readonly string[];
  readonly resourceTemplates: readonly string[];
}

/** How the tools of one backend are shown to clients. Workflows can still call hidden tools. */
export interface BackendToolPlan {
  /** Prefix of all names under strategy `prefix`, and of conflicting names of unlisted backends under `priority`. */
  readonly prefix: string;
  /** Which tools the gateway lists. `names` are the names after overrides, without the prefix. */
  readonly advertise:
    | { readonly type: 'all' }
    | { readonly type: 'none' }
    | { readonly type: 'only'; readonly names: readonly string[] };
  /** The overrides of tools, by the backend's own names of the tools. */
  readonly overrides: { readonly [tool: string]: ToolOverridePlan };
}

export interface ToolOverridePlan {
  readonly name?: string;
  readonly description?: string;
  /** Only the members that are present replace the backend's annotations. */
  readonly annotations?: {
    readonly title?: string;
    readonly readOnlyHint?: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
    readonly openWorldHint?: boolean;
  };
}

export type ConflictStrategy = 'prefix' | 'priority' | 'manual';

export interface AggregationPlan {
  readonly strategy: ConflictStrategy;
  /** Backend names, best first; empty unless the strategy is `priority`. */
  readonly priorityOrder: readonly string[];
}

export interface OperationalPlan {
  readonly logLevel: 'info' | 'debug';
  /** `fail`: every list and request fails while any backend is unavailable; `best_effort`: the other backends are served. */
  readonly partialFailure: 'fail' | 'best_effort';
  readonly health: {
    readonly intervalMs: number;
    readonly timeoutMs: number;
    /** Consecutive failures after which a backend counts as unhealthy; at least 1. */
    readonly unhealthyThreshold: number;
  };
  /** Absent when the circuit breaker is off. */
  readonly circuitBreaker?: CircuitBreakerPlan;
}

export interface CircuitBreakerPlan {
  /** Consecutive failed probes and calls after which a backend's circuit opens; at least 1. */
  readonly failureThreshold: number;
  /** How long the breaker stays open before it permits one request; milliseconds, at least 1000. */
  readonly timeoutMs: number;
}

/** Settings for running this gateway in a cluster, for the manifests and the controller. The runtime does not read them. */
export interface DeploymentPlan {
  readonly replicas: number | null;
  readonly serviceType: 'ClusterIP' | 'NodePort' | 'LoadBalancer';
  readonly sessionAffinity: 'ClientIP' | 'None';
  readonly serviceAccount: string | null;
  readonly imagePullSecrets: readonly { readonly name: string }[];
  readonly podTemplateSpec: { readonly [key: string]: unknown } | null;
  /** Whether a NetworkPolicy limits the pods to connections that the bundle names; an annotation of the object can turn it off. */
  readonly networkPolicy: boolean;
  /** How often the controller writes health and phase into the status. */
  readonly statusReportingIntervalMs: number;
  /** The Deployment that serves an MCPServer or MCPRemoteProxy. */
  readonly front?: FrontDeploymentPlan;
}

/** Settings of an MCPServer or MCPRemoteProxy for its objects in the cluster that a gateway does not have. */
export interface FrontDeploymentPlan {
  /** TCP port of the Service; pods listen on the same ports as those of gateways. */
  readonly servicePort: number;
  /** Parts of the pod for the server itself: its container and volumes, and the proxy container's settings from the spec. */
  readonly podTemplate: { readonly [key: string]: unknown };
  /** Whether the server may connect to any address. */
  readonly isOutgoingOpen: boolean;
  readonly deployment: AddedMetadata;
  readonly service: AddedMetadata;
}

export interface AddedMetadata {
  readonly labels: { readonly [label: string]: string };
  readonly annotations: { readonly [key: string]: string };
}

/** `index.json` next to the bundles of one build, sorted by kind, namespace and name. */
export interface BundleIndex {
  readonly formatVersion: typeof BUNDLE_FORMAT_VERSION;
  readonly bundles: readonly BundleIndexEntry[];
  /**
   * The bundles of MCPServers and MCPRemoteProxies, sorted as well. A runtime that picks a bundle from the index ignores them. Absent where
   * there are none.
   */
  readonly servers?: readonly ServerIndexEntry[];
}

/** The bundle of the gateway that serves an MCPServer or MCPRemoteProxy. */
export interface ServerIndexEntry extends Omit<BundleIndexEntry, 'kind'> {
  readonly kind: ServerFront;
}

export interface BundleIndexEntry {
  readonly kind: GatewayBundle['kind'] | RegistryBundle['kind'];
  readonly namespace: string;
  readonly name: string;
  /** `sha256:` and 64 hexadecimal digits. */
  readonly digest: string;
  /** Directory of the bundle, relative to the index, with forward slashes. */
  readonly path: string;
}
