/**
 * Bundle format 1: all that a runtime reads. Everything is resolved: no defaults to apply, no names to look up, durations
 * in milliseconds. Secrets appear by reference only. The digest is taken over the canonical JSON of this object.
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

/** Bumped when a runtime that knows the previous number would misread the bundle. */
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
  /** What it serves instead of a VirtualMCPServer: then it has one backend, and shows its names as they are. */
  readonly front?: ServerFront;
  /** What produced this bundle. `sourceRevision` is what the caller of the compiler gave, or null. */
  readonly origin: { readonly compilerVersion: string; readonly sourceRevision: string | null };
  /** Features without which this bundle must not be served; a runtime that lacks one refuses it. */
  readonly requires: readonly RuntimeFeature[];
  /** Every secret that the plan reads, sorted by file and variable, each once. */
  readonly secrets: readonly SecretRequirement[];
  readonly server: ServerIdentity;
  readonly incomingAuth: IncomingAuthPlan;
  readonly authorization: AuthorizationPlan;
  /** Headers of clients that are handed on to every backend: names in lower case, sorted. */
  readonly passthroughHeaders: readonly string[];
  /** Sorted by name. */
  readonly backends: readonly BackendPlan[];
  readonly aggregation: AggregationPlan;
  readonly operational: OperationalPlan;
  /** Absent where calls have no limit. */
  readonly rateLimiting?: RateLimitPlan;
  /** Absent where callers bring tokens of others. */
  readonly authServer?: AuthServerPlan;
  /** Absent where clients read the list of tools. */
  readonly optimizer?: OptimizerPlan;
  /** Absent where each replica keeps its sessions in memory. */
  readonly sessionStorage?: SessionStoragePlan;
  /** Absent where nothing is recorded. */
  readonly audit?: AuditPlan;
  /** Absent where nothing is set: then metrics are on the internal address alone. */
  readonly telemetry?: TelemetryPlan;
  /** Sorted by name; absent where there are none. */
  readonly workflows?: readonly WorkflowTool[];
  readonly deployment: DeploymentPlan;
}

/** Objects that a gateway of one backend serves: `server` an MCPServer, `remote-proxy` an MCPRemoteProxy. */
export type ServerFront = 'server' | 'remote-proxy';

/** The union grows as runtimes learn; a name never changes its meaning. */
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
  | 'rate-limits-memory'
  | 'rate-limits-redis'
  | 'sessions-redis'
  | 'telemetry'
  | 'upstream-claims'
  | 'workflows'
  | RegistryFeature;

/** What `initialize` tells the client. */
export interface ServerIdentity {
  readonly name: string;
  /** `spec.config.metadata`: carried for people and reports, without behaviour. */
  readonly metadata: { readonly [key: string]: string };
}

export type BackendTransport = 'streamable-http' | 'sse';

export interface BackendPlan {
  readonly name: string;
  /**
   * http or https, no fragment, no credentials. With `stdio` that of a bridge at its usual port, unless an option of the runtime names
   * another.
   */
  readonly url: string;
  readonly transport: BackendTransport;
  readonly addresses: AddressPolicy;
  /** Time without any sign of an answer after which a request is given up; milliseconds, at least 1. */
  readonly timeoutMs: number;
  readonly auth: OutgoingAuthPlan;
  /** Sent with every request, sorted by name; the credential of `auth` wins over them. */
  readonly headers: readonly ForwardedHeaderPlan[];
  /** PEM certificates trusted for this backend besides the usual ones. */
  readonly caPem?: string;
  /** File with PEM certificates trusted besides the usual ones, read for each connection; not with `caPem`. */
  readonly caFile?: string;
  readonly metadata: { readonly [key: string]: string };
  readonly tools: BackendToolPlan;
  /** The program behind it: a bridge runs it. Absent for what runs elsewhere. */
  readonly stdio?: StdioPlan;
  /** What it offered when the tool lock was written; absent where the lock does not have it. */
  readonly locked?: LockedNamesPlan;
}

/**
 * The names and URIs that a backend holds, so that a runtime which starts while it is away gives none of them to another. Each
 * list is sorted, in the backend's own words.
 */
export interface LockedNamesPlan {
  readonly tools: readonly string[];
  readonly prompts: readonly string[];
  readonly resources: readonly string[];
  readonly resourceTemplates: readonly string[];
}

/** How one backend's tools are shown. Hidden tools stay routable for workflows. */
export interface BackendToolPlan {
  /** Put before a name under strategy `prefix`, and before unlisted conflicts under `priority`. */
  readonly prefix: string;
  /** `only` lists names after overrides and before prefixing. */
  readonly advertise:
    | { readonly type: 'all' }
    | { readonly type: 'none' }
    | { readonly type: 'only'; readonly names: readonly string[] };
  /** Keyed by the backend's own tool name. */
  readonly overrides: { readonly [tool: string]: ToolOverridePlan };
}

export interface ToolOverridePlan {
  readonly name?: string;
  readonly description?: string;
  /** Only the members present replace the backend's. */
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
  /** `fail`: lists and all that backends are asked for fail while any is unavailable; `best_effort`: those that are there serve. */
  readonly partialFailure: 'fail' | 'best_effort';
  readonly health: {
    readonly intervalMs: number;
    readonly timeoutMs: number;
    /** Consecutive failures after which a backend counts as unhealthy; at least 1. */
    readonly unhealthyThreshold: number;
  };
  /** Absent when it is off. */
  readonly circuitBreaker?: CircuitBreakerPlan;
}

export interface CircuitBreakerPlan {
  /** Failed probes and calls in a row after which the circuit of a backend opens; at least 1. */
  readonly failureThreshold: number;
  /** How long it stays open before one request is let through; at least 1000. */
  readonly timeoutMs: number;
}

/** What running this gateway in a cluster needs: its manifests and the controller. The runtime does not read it. */
export interface DeploymentPlan {
  readonly replicas: number | null;
  readonly serviceType: 'ClusterIP' | 'NodePort' | 'LoadBalancer';
  readonly sessionAffinity: 'ClientIP' | 'None';
  readonly serviceAccount: string | null;
  readonly imagePullSecrets: readonly { readonly name: string }[];
  readonly podTemplateSpec: { readonly [key: string]: unknown } | null;
  /** Whether connections of the pods are held to what the bundle names; the object's annotation may say no. */
  readonly networkPolicy: boolean;
  /** How often the controller writes health and phase into the status. */
  readonly statusReportingIntervalMs: number;
  /** The Deployment that serves an MCPServer or MCPRemoteProxy. */
  readonly front?: FrontDeploymentPlan;
}

/** What the spec of an MCPServer or MCPRemoteProxy says of its objects, beyond what that of a gateway can say. */
export interface FrontDeploymentPlan {
  /** TCP port of the Service; pods listen where those of gateways do. */
  readonly servicePort: number;
  /** What the server itself adds to the pod: its container and volumes, and what the spec says of the proxy's container. */
  readonly podTemplate: { readonly [key: string]: unknown };
  /** Whether the server may connect to whatever it likes. */
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
   * Servers of a cluster, sorted as well. A runtime that chooses among the bundles does not choose among these. Absent where there are
   * none.
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
