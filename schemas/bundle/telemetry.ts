import type { ForwardedHeaderPlan } from './outgoing-auth.ts';

/** The telemetry that a server exports, and its destination. */
export interface TelemetryPlan {
  /** The `service.name` of traces and metrics. */
  readonly serviceName: string;
  /** The `service.version` of traces and metrics; null for the version of Lintel. */
  readonly serviceVersion: string | null;
  /** Further attributes of the resource, sorted by name. */
  readonly attributes: { readonly [name: string]: string };
  /** Names of environment variables whose values become attributes of spans. */
  readonly environmentVariables: readonly string[];
  /** Whether the attribute names from before the semantic conventions for MCP are exported too. */
  readonly useLegacyAttributes: boolean;
  /** Whether `/metrics` is also served on the address for clients, without a token. */
  readonly metricsOnMainPort: boolean;
  /** Port of a separate listener for `/metrics`; null for none. */
  readonly metricsPort: number | null;
  /** Null when no collector is configured. */
  readonly otlp: OtlpPlan | null;
}

/** An OTLP collector and the signals that it gets: traces, metrics or both. */
export interface OtlpPlan {
  readonly protocol: 'http/protobuf' | 'grpc';
  /** An http or https URL. For `http/protobuf` it is the part before `/v1/traces` and `/v1/metrics`; for `grpc` it has no path. */
  readonly endpoint: string;
  /** Headers of every export, sorted by their names, which are in lower case. */
  readonly headers: readonly ForwardedHeaderPlan[];
  /** PEM certificates that are trusted in addition to the default ones. */
  readonly caPem?: string;
  /** File with such certificates, read for each export; not with `caPem`. */
  readonly caFile?: string;
  /** Share of requests without a trace context that are sampled, from 0 to 1; null when traces are not exported. */
  readonly samplingRate: number | null;
  readonly metrics: boolean;
}
