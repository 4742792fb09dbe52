import type { ForwardedHeaderPlan } from './outgoing-auth.ts';

/** What a server reports, and where to. */
export interface TelemetryPlan {
  /** `service.name` of traces and metrics. */
  readonly serviceName: string;
  /** `service.version`; null for that of the product. */
  readonly serviceVersion: string | null;
  /** Further attributes of the resource that reports, sorted by name. */
  readonly attributes: { readonly [name: string]: string };
  /** Names of environment variables whose values are attributes of spans. */
  readonly environmentVariables: readonly string[];
  /** The names that attributes had before the semantic conventions for MCP are there as well. */
  readonly useLegacyAttributes: boolean;
  /** `/metrics` is served on the address for clients, too, without a token. */
  readonly metricsOnMainPort: boolean;
  /** Port of a listener for `/metrics` alone; null for none. */
  readonly metricsPort: number | null;
  /** Null where nothing is sent to a collector. */
  readonly otlp: OtlpPlan | null;
}

/** A collector that speaks the OpenTelemetry protocol, and what it gets. At least one of traces and metrics. */
export interface OtlpPlan {
  readonly protocol: 'http/protobuf' | 'grpc';
  /** http or https; of `http/protobuf` what stands before `/v1/traces` and `/v1/metrics`, of `grpc` without a path. */
  readonly endpoint: string;
  /** Sorted by name, in lower case. */
  readonly headers: readonly ForwardedHeaderPlan[];
  /** PEM certificates trusted besides the usual ones. */
  readonly caPem?: string;
  /** File with such certificates, read for each export; not with `caPem`. */
  readonly caFile?: string;
  /** Share of requests without a trace of their own that are recorded, from 0 to 1; null where traces are not sent. */
  readonly samplingRate: number | null;
  readonly metrics: boolean;
}
