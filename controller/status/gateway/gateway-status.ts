/** Computes the status of a VirtualMCPServer from all observations. */
import type { Condition, DiscoveredBackend, VirtualMCPServerSpec, VirtualMCPServerStatus } from '#schemas';
import { removeConditions, setCondition } from '../conditions.ts';
import { mergeBackends, throttleBackends } from './backends.ts';
import { createBundleActiveCondition, createCompiledCondition } from './bundle-conditions.ts';
import { createEmbeddingCondition, withEmbedding } from './embedding.ts';
import { computePhase, countRoutable } from './phase.ts';
import { listSpecConditions } from './spec-conditions.ts';
import { listReadyPods, type UntimedCondition, type WorkloadStatusInput } from './status-input.ts';

export interface GatewayStatusInput extends WorkloadStatusInput {
  /** The spec in the cluster. */
  readonly spec: VirtualMCPServerSpec;
}

/** Default interval for reporting details; milliseconds. */
export const DEFAULT_REPORTING_INTERVAL_MS = 30_000;

/** All condition types that the controller sets; all other types belong to other clients. */
export const GATEWAY_CONDITIONS: readonly string[] = [
  'Ready',
  'Compiled',
  'BundleActive',
  'Valid',
  'PodTemplateSpecValid',
  'GroupRefValidated',
  'CompositeToolRefsValidated',
  'AuthServerConfigValidated',
  'AuthzUpstreamSelectionWarning',
  'IdentitySynthesized',
  'SessionStorageWarning',
  'AuthConfigured',
  'OIDCConfigRefValidated',
  'AuthzConfigRefValidated',
  'TelemetryConfigRefValidated',
  'EmbeddingServerReady',
  'BackendsDiscovered',
  'Degraded',
];

/** Types of conditions that come from pods, and are known without a compilation. */
const OBSERVED = ['Ready', 'BundleActive', 'BackendsDiscovered', 'Degraded'];

/** Pure: the same input and the same `before` give the same status. Conditions that other clients set are left out. */
export function computeGatewayStatus(
  input: GatewayStatusInput,
  before: VirtualMCPServerStatus = {},
): VirtualMCPServerStatus {
  const { compiled, generation, now, url, unit } = input;
  const own = (before.conditions ?? []).filter(({ type }) => GATEWAY_CONDITIONS.includes(type));
  // The spec of this generation was not compiled in this process: its conditions are unknown.
  if (compiled === undefined && before.observedGeneration !== generation) return selectOwnGatewayStatus(before);

  const answered = listNewestPods(input).filter(({ digest }) => digest !== null);
  const seen = answered.length === 0 ? undefined : mergeBackends(answered, compiled?.backends ?? []);
  const previous = before.discoveredBackends ?? [];
  // The interval is 0 for a gateway without a bundle.
  const intervalMs = compiled?.statusReportingIntervalMs || DEFAULT_REPORTING_INTERVAL_MS;
  const backends =
    seen === undefined ? previous : throttleBackends(withKnown(seen, previous, compiled), previous, intervalMs);
  const verdict = computePhase(input, seen, answered, before);
  const { phase, message, ready } = withEmbedding(verdict, input.embedding, before);
  const computed = [
    ready,
    createBundleActiveCondition(input),
    ...listBackendConditions(seen),
    ...[createCompiledCondition(compiled) ?? []].flat(),
    ...(compiled === undefined ? [] : listSpecConditions(input.spec, compiled.diagnostics, compiled.revision)),
    ...(input.embedding === undefined ? [] : [createEmbeddingCondition(input.embedding)]),
  ];
  const keptTypes =
    compiled === undefined ? own.filter(({ type }) => !OBSERVED.includes(type)).map(({ type }) => type) : [];
  return {
    phase,
    message,
    ...(unit === undefined && before.url === undefined ? {} : { url }),
    backendCount: countRoutable(backends),
    discoveredBackends: backends,
    ...computeHashes(input, before),
    observedGeneration: generation,
    conditions: mergeConditions(own, computed, keptTypes, { generation, now }),
  };
}

/** The fields of a current status that this controller writes. */
export function selectOwnGatewayStatus(status: VirtualMCPServerStatus): VirtualMCPServerStatus {
  const { conditions } = status;
  if (conditions === undefined) return status;
  return { ...status, conditions: conditions.filter(({ type }) => GATEWAY_CONDITIONS.includes(type)) };
}

/** The pods whose backends count. During a rollout these are the pods with the new bundle: the others have the old backends. */
function listNewestPods({ pods, unit }: GatewayStatusInput): ReturnType<typeof listReadyPods> {
  const ready = listReadyPods(pods);
  const newest = ready.filter(({ digest }) => digest === unit?.digest);
  return newest.length === 0 ? ready : newest;
}

/** A backend's data from the compiler stays while there is no newer data: the compiler did not run, or the newest spec is invalid. */
function withKnown(
  backends: readonly DiscoveredBackend[],
  before: readonly DiscoveredBackend[],
  compiled: GatewayStatusInput['compiled'],
): readonly DiscoveredBackend[] {
  return backends.map(backend => {
    if (compiled?.backends.some(({ name }) => name === backend.name)) return backend;
    const { url, authType, authConfigRef } = before.find(({ name }) => name === backend.name) ?? {};
    return {
      ...backend,
      ...(url !== undefined && { url }),
      ...(authType !== undefined && { authType }),
      ...(authConfigRef !== undefined && { authConfigRef }),
    };
  });
}

function listBackendConditions(backends: readonly DiscoveredBackend[] | undefined): readonly UntimedCondition[] {
  if (backends === undefined) return [];
  const degraded = backends.filter(({ status }) => status === 'degraded').map(({ name }) => name);
  const found = `${backends.length} backends`;
  return [
    { type: 'BackendsDiscovered', status: 'True', reason: 'BackendsDiscovered', message: found },
    ...(degraded.length === 0
      ? []
      : [{ type: 'Degraded', status: 'True', reason: 'BackendsDegraded', message: degraded.join(', ') } as const]),
  ];
}

function computeHashes(
  { compiled }: GatewayStatusInput,
  before: VirtualMCPServerStatus,
): Partial<VirtualMCPServerStatus> {
  const { oidcConfigHash, authzConfigHash, telemetryConfigHash } = before;
  const { MCPOIDCConfig, MCPAuthzConfig, MCPTelemetryConfig } =
    compiled?.configHashes ??
    ({ MCPOIDCConfig: oidcConfigHash, MCPAuthzConfig: authzConfigHash, MCPTelemetryConfig: telemetryConfigHash } as {
      readonly [kind: string]: string | undefined;
    });
  return {
    ...(MCPOIDCConfig !== undefined && { oidcConfigHash: MCPOIDCConfig }),
    ...(MCPAuthzConfig !== undefined && { authzConfigHash: MCPAuthzConfig }),
    ...(MCPTelemetryConfig !== undefined && { telemetryConfigHash: MCPTelemetryConfig }),
  };
}

function mergeConditions(
  before: readonly Condition[],
  computed: readonly UntimedCondition[],
  keptTypes: readonly string[],
  stamp: { readonly generation: number; readonly now: Date },
): readonly Condition[] {
  const stay = new Set([...keptTypes, ...computed.map(({ type }) => type)]);
  const gone = before.filter(({ type }) => !stay.has(type)).map(({ type }) => type);
  return computed.reduce<readonly Condition[]>(
    (list, condition) => setCondition(list, condition, stamp),
    removeConditions(before, ...gone),
  );
}
