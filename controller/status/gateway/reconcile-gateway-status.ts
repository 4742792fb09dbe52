/** Brings the status of one VirtualMCPServer or MCPRegistry up to date. Level-triggered: it reads what is so now, and writes what differs. */
import type { GatewaySourceStatus, MCPRegistryStatus, VirtualMCPServerSpec, VirtualMCPServerStatus } from '#schemas';
import type { KubeClient, KubeObject, ObjectCache } from '../../kube/types.ts';
import type { PodReader } from '../../pods/pod-reader.ts';
import type { UnitState } from '../../reconcile/destination.ts';
import { writeStatus } from '../write-status.ts';
import { type CompileTable, type WorkloadKey, workloadId } from './compile-table.ts';
import type { WorkloadFacts } from './facts.ts';
import { gatewayStatus, ownGatewayStatus } from './gateway-status.ts';
import { ownRegistryStatus, registryStatus } from './registry-status.ts';

export interface GatewayStatusDeps {
  readonly client: KubeClient;
  /** VirtualMCPServers and MCPRegistries: one cache for each API group and version that the cluster serves. */
  readonly gateways: readonly ObjectCache[];
  readonly registries: readonly ObjectCache[];
  readonly sources: ObjectCache;
  readonly deployments: ObjectCache;
  readonly pods: Pick<PodReader, 'reports'>;
  readonly compilations: CompileTable;
  /** What the objects that run it are called. */
  readonly names: (key: WorkloadKey) => {
    readonly deployment: string;
    readonly url: string;
    /** On its pods. */
    readonly labels: { readonly [label: string]: string };
  };
  now(): Date;
}

/** How often pods are asked; milliseconds. A change of health is written then, details only every reporting interval. */
export const POLL_MS = 10_000;

/** The same while pods are on their way. */
export const ROLLOUT_POLL_MS = 2_000;

/**
 * @returns when to look again; undefined when there is nothing to look at until something is heard of it
 * @throws KubeError
 */
export async function reconcileGatewayStatus(
  key: WorkloadKey,
  deps: GatewayStatusDeps,
  signal?: AbortSignal,
): Promise<{ readonly requeueAfterMs: number | undefined }> {
  const caches = key.kind === 'gateway' ? deps.gateways : deps.registries;
  const objects = caches.flatMap(cache => cache.get(key.namespace, key.name) ?? []);
  if (objects.length === 0) return { requeueAfterMs: undefined };
  const { labels, deployment: deploymentName, url } = deps.names(key);
  const owner = ownerOf(key, deps);
  const compiled = owner && deps.compilations.find(owner.source, key);
  // An object that no source has is somebody else's, and so is its status.
  if (owner === undefined) return { requeueAfterMs: undefined };
  const deployment = deps.deployments.get(key.namespace, deploymentName);
  const pods = await deps.pods.reports({ namespace: key.namespace, labels });
  let isSettled = true;
  for (const object of objects) {
    const facts: WorkloadFacts = {
      generation: object.metadata.generation ?? 0,
      now: deps.now(),
      url,
      compiled,
      unit: owner.unit,
      deployment: deployment && { replicas: replicasOf(deployment) },
      pods,
    };
    const status = key.kind === 'gateway' ? ofGateway(object, facts) : ofRegistry(object, facts);
    isSettled &&= status.desired.phase !== 'Pending' && isActive(status.desired);
    await writeStatus(deps.client, object, status.desired, { ours: () => status.own, ...(signal && { signal }) });
  }
  return { requeueAfterMs: isSettled ? POLL_MS : ROLLOUT_POLL_MS };
}

/** Which workloads a change of a GatewaySource concerns: those that it has or had. */
export function workloadsOf(source: KubeObject | undefined): readonly WorkloadKey[] {
  return unitsOf(source).map(({ kind, namespace, name }) => ({ kind, namespace, name }));
}

function ofGateway(object: KubeObject, facts: WorkloadFacts) {
  const before = (object.status ?? {}) as VirtualMCPServerStatus;
  const spec = object.spec as VirtualMCPServerSpec;
  return { own: ownGatewayStatus(before), desired: gatewayStatus({ ...facts, spec }, before) };
}

function ofRegistry(object: KubeObject, facts: WorkloadFacts) {
  const before = (object.status ?? {}) as MCPRegistryStatus;
  const isTerminating = object.metadata.deletionTimestamp !== undefined;
  return { own: ownRegistryStatus(before), desired: registryStatus({ ...facts, isTerminating }, before) };
}

interface Owner {
  /** Such as `namespace/name`. */
  readonly source: string;
  readonly unit: UnitState | undefined;
}

/** The source that deploys it, else one that would. */
function ownerOf(key: WorkloadKey, { sources, compilations }: GatewayStatusDeps): Owner | undefined {
  const id = workloadId(key);
  for (const object of sources.list()) {
    const unit = unitsOf(object).find(one => workloadId(one) === id);
    if (unit !== undefined) return { source: `${object.metadata.namespace}/${object.metadata.name}`, unit };
  }
  const [source] = compilations.sourcesOf(key);
  return source === undefined ? undefined : { source, unit: undefined };
}

function unitsOf(source: KubeObject | undefined): readonly UnitState[] {
  return (source?.status as GatewaySourceStatus | undefined)?.gateways ?? [];
}

function replicasOf(deployment: KubeObject): number {
  // The API server fills in 1.
  return (deployment.spec as { readonly replicas?: number } | undefined)?.replicas ?? 1;
}

function isActive({ conditions = [] }: VirtualMCPServerStatus | MCPRegistryStatus): boolean {
  return conditions.some(({ type, status }) => type === 'BundleActive' && status === 'True');
}
