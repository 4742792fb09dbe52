/** Names of the objects that run a gateway or registry server in a cluster. */
import { computeDigest } from './bundle/digest.ts';
import type { GatewayBundle, ServerFront } from './bundle/format.ts';
import type { RegistryBundle } from './bundle/registry.ts';
import { CLUSTER_SERVICE_DOMAIN, EMBEDDING_PORT, GATEWAY_PORT, PROXY_PORT, REGISTRY_PORT } from './names.ts';

/** `server` and `remote-proxy`: a gateway with one backend, in front of an MCPServer or an MCPRemoteProxy. */
export type WorkloadKind = 'gateway' | 'registry' | ServerFront;

/** A gateway or registry server, or the gateway in front of an MCPServer or MCPRemoteProxy. */
export interface Workload {
  readonly kind: WorkloadKind;
  readonly name: string;
}

export interface ObjectNames {
  /** The name of the Deployment, and of its NetworkPolicy and PodDisruptionBudget. */
  readonly deployment: string;
  readonly service: string;
  /** The name of the service account that is created when the spec names none. */
  readonly serviceAccount: string;
}

/** Characters of an object's name (DNS subdomain, RFC 1123). */
const MAX_NAME = 253;

/** A ReplicaSet's name is that of its Deployment, then `-` and ten characters. */
const MAX_DEPLOYMENT_NAME: number = MAX_NAME - 11;

/** A label of a StatefulSet's pods is its name, `-` and ten characters. */
const MAX_STATEFUL_SET_NAME = 52;

/** Characters of a Service's name (RFC 1035), which is one label of a DNS name, and of the value of a label. */
const MAX_LABEL = 63;

const DNS_LABEL = /^[a-z](?:[-a-z0-9]*[a-z0-9])?$/;

/** Hexadecimal digits of the hash that distinguishes shortened names. */
const HASH_DIGITS = 8;

/** Hexadecimal digits of a bundle's digest in the name of its ConfigMap. */
const DIGEST_DIGITS = 16;

/** The kind of a bundle's workload, by the object that it serves. */
export function getWorkloadKind(bundle: GatewayBundle | RegistryBundle): WorkloadKind {
  return bundle.kind === 'gateway' ? (bundle.front ?? 'gateway') : bundle.kind;
}

/** Kind of the object that a workload serves. */
export const OBJECT_KIND = {
  gateway: 'VirtualMCPServer',
  registry: 'MCPRegistry',
  server: 'MCPServer',
  'remote-proxy': 'MCPRemoteProxy',
} as const satisfies Readonly<Record<WorkloadKind, string>>;

export function buildObjectNames(workload: Workload): ObjectNames {
  const plain = formatWorkloadName(workload);
  const isGateway = workload.kind === 'gateway';
  return {
    deployment: toObjectName(plain, MAX_DEPLOYMENT_NAME),
    service: toDnsLabel(isGateway ? `vmcp-${plain}` : plain),
    serviceAccount: toObjectName(isGateway ? `${plain}-vmcp` : plain),
  };
}

function formatWorkloadName({ kind, name }: Workload): string {
  switch (kind) {
    case 'gateway':
      return name;
    case 'registry':
      return `${name}-api`;
    case 'server':
      return `mcp-${name}-proxy`;
    case 'remote-proxy':
      return `mcp-${name}-remote-proxy`;
  }
}

/**
 * The ConfigMap of a bundle, or of a part of it.
 *
 * @param digest `sha256:` and 64 hexadecimal digits
 * @param part counts from 0; undefined when one ConfigMap is enough
 */
export function formatBundleConfigMapName(workload: Workload, digest: string, part?: number): string {
  const suffix = `-bundle-${digest.slice('sha256:'.length).slice(0, DIGEST_DIGITS)}${part === undefined ? '' : `-${part}`}`;
  return `${toObjectName(formatWorkloadName(workload), MAX_NAME - suffix.length)}${suffix}`;
}

/** Default TCP ports of Services. */
const SERVICE_PORTS: Readonly<Record<WorkloadKind, number>> = {
  gateway: GATEWAY_PORT,
  registry: REGISTRY_PORT,
  server: PROXY_PORT,
  'remote-proxy': PROXY_PORT,
};

/** URL of a Service inside the cluster, without a path. */
export function formatServiceUrl(
  kind: WorkloadKind,
  namespace: string,
  name: string,
  port: number = SERVICE_PORTS[kind],
): string {
  return `http://${buildObjectNames({ kind, name }).service}.${namespace}.${CLUSTER_SERVICE_DOMAIN}:${port}`;
}

/** The name of an EmbeddingServer's StatefulSet and Service: its own. */
export function formatEmbeddingServerName(name: string): string {
  return toDnsLabel(name, MAX_STATEFUL_SET_NAME);
}

/** URL of an EmbeddingServer inside the cluster: its `status.url`, to which gateways send texts. */
export function formatEmbeddingServerUrl(namespace: string, name: string, port: number = EMBEDDING_PORT): string {
  return `http://${formatEmbeddingServerName(name)}.${namespace}.${CLUSTER_SERVICE_DOMAIN}:${port}`;
}

/** The labels that select the pods of an EmbeddingServer; like {@link buildSelectorLabels}, they must never change. */
export function buildEmbeddingServerLabels(name: string): { readonly [label: string]: string } {
  return {
    'app.kubernetes.io/instance': toLabelValue(name),
    'app.kubernetes.io/managed-by': 'lintel',
    'app.kubernetes.io/name': 'embeddingserver',
  };
}

/** The labels that select the pods. Kubernetes does not let a selector change, so these labels must not either. */
export function buildSelectorLabels({ kind, name }: Workload): { readonly [label: string]: string } {
  return {
    'app.kubernetes.io/instance': toLabelValue(name),
    'app.kubernetes.io/managed-by': 'lintel',
    'app.kubernetes.io/name': OBJECT_KIND[kind].toLowerCase(),
  };
}

/**
 * A valid object name: `plain` if it is short enough, otherwise its beginning and a hash of all of it.
 *
 * @param plain letters, digits, `-` and `.` as in object names; only its length may be invalid
 */
export function toObjectName(plain: string, max: number = MAX_NAME): string {
  return plain.length <= max ? plain : shortenName(plain, plain, max);
}

/**
 * Does the same as `toObjectName` for one label of a DNS name, such as the name of a Service or a volume: without dots, and beginning with a letter.
 *
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#rfc-1035-label-names
 */
export function toDnsLabel(plain: string, max: number = MAX_LABEL): string {
  if (plain.length <= max && DNS_LABEL.test(plain)) return plain;
  const label = plain.replaceAll('.', '-');
  return shortenName(/^[a-z]/.test(label) ? label : `n-${label}`, plain, max);
}

/** A name as the value of a label, which may contain dots but has a shorter limit. */
function toLabelValue(name: string): string {
  return toObjectName(name, MAX_LABEL);
}

/** Keeps two long names with the same beginning distinct. */
function shortenName(text: string, whole: string, max: number): string {
  const hash = computeDigest(whole).slice('sha256:'.length).slice(0, HASH_DIGITS);
  const head = text.slice(0, max - HASH_DIGITS - 1).replace(/[-.]+$/, '');
  return `${head}-${hash}`;
}
