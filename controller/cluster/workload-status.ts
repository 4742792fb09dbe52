/** Writes the status of gateways and registry servers: the one writer of it. */
import { type GatewaySourceStatus, objectNames, selectorLabels, serviceUrl, type VirtualMCPServerSpec } from '#schemas';
import { annotationOf, SOURCE_ANNOTATION } from '../apply/stamp.ts';
import type { KubeClient, KubeObject } from '../kube/types.ts';
import type { PodReader } from '../pods/pod-reader.ts';
import type { SourceMemory } from '../reconcile/memory.ts';
import type { CompileFacts, WorkloadFacts } from '../status/gateway/facts.ts';
import { gatewayStatus, ownGatewayStatus } from '../status/gateway/gateway-status.ts';
import { lookAgainMs } from '../status/gateway/look-again.ts';
import { ownRegistryStatus, registryStatus } from '../status/gateway/registry-status.ts';
import { writeStatus } from '../status/write-status.ts';
import type { Caches } from './caches.ts';

export interface WorkloadStatusOptions {
  readonly client: KubeClient;
  readonly caches: Caches;
  readonly pods: PodReader;
  /** What is remembered of a source, by `namespace/name`. */
  readonly memoryOf: (source: string) => SourceMemory | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** `group/version/kind/namespace/name`. */
export type WorkloadKey = string;

export class WorkloadStatus {
  readonly #options: WorkloadStatusOptions;

  constructor(options: WorkloadStatusOptions) {
    this.#options = options;
  }

  /** Keys of all gateways and registry servers that a source applied. */
  keysOf(source: string): readonly WorkloadKey[] {
    return this.#objects()
      .filter(object => annotationOf(object, SOURCE_ANNOTATION) === source)
      .map(keyOf);
  }

  /** Keys of those whose pods have the same labels as an object. */
  keysFor({ metadata: { namespace, labels = {} } }: KubeObject): readonly WorkloadKey[] {
    return this.#objects(namespace)
      .filter(object =>
        Object.entries(selectorLabels(workloadOf(object))).every(([label, value]) => labels[label] === value),
      )
      .map(keyOf);
  }

  /** The source that applied a gateway or registry server, as `namespace/name`. */
  sourceOf(key: WorkloadKey): string | undefined {
    const object = this.#find(key);
    return object === undefined ? undefined : annotationOf(object, SOURCE_ANNOTATION);
  }

  /**
   * Writes the status of one.
   *
   * @returns after how many milliseconds to look again
   * @throws KubeError
   */
  async update(key: WorkloadKey, signal: AbortSignal): Promise<number | undefined> {
    const { client, caches, memoryOf } = this.#options;
    const object = this.#find(key);
    const source = object === undefined ? undefined : annotationOf(object, SOURCE_ANNOTATION);
    // What no source applied has another owner, who says how it is.
    if (object === undefined || source === undefined) return undefined;
    const [sourceNamespace, sourceName = ''] = source.split('/');
    const stored = caches.sources.get(sourceNamespace, sourceName);
    if (stored === undefined) return undefined;
    const facts = await this.#factsOf(object, stored, memoryOf(source));
    // 0 for what has no bundle.
    const reportingIntervalMs = facts.compiled?.statusReportingIntervalMs ?? 0;
    if (object.kind === 'MCPRegistry') {
      const isTerminating = object.metadata.deletionTimestamp !== undefined;
      const status = registryStatus({ ...facts, isTerminating }, object.status as object | undefined);
      await writeStatus(client, object, status, { ours: ownRegistryStatus as (status: object) => object, signal });
      return lookAgainMs(status, reportingIntervalMs);
    }
    const spec = object.spec as VirtualMCPServerSpec;
    const status = gatewayStatus({ ...facts, spec }, object.status as object | undefined);
    await writeStatus(client, object, status, { ours: ownGatewayStatus as (status: object) => object, signal });
    return lookAgainMs(status, reportingIntervalMs);
  }

  async #factsOf(object: KubeObject, source: KubeObject, memory: SourceMemory | undefined): Promise<WorkloadFacts> {
    const { caches, pods, now } = this.#options;
    const workload = workloadOf(object);
    const { namespace = '', generation = 0 } = object.metadata;
    const { kind, name } = workload;
    const deployment = caches
      .cacheOf({ apiVersion: 'apps/v1', kind: 'Deployment' })
      ?.get(namespace, objectNames(workload).deployment);
    const spec = deployment?.spec as { readonly replicas?: number } | undefined;
    const status = source.status as GatewaySourceStatus | undefined;
    return {
      generation,
      now: new Date(now()),
      url: serviceUrl(kind, namespace, name),
      compiled: compileFacts(memory, kind, namespace, name),
      unit: status?.gateways?.find(unit => unit.kind === kind && unit.namespace === namespace && unit.name === name),
      deployment: deployment === undefined ? undefined : { replicas: spec?.replicas ?? 1 },
      pods: await pods.reports({ namespace, labels: selectorLabels(workload) }),
    };
  }

  #objects(namespace?: string): readonly KubeObject[] {
    return this.#options.caches.workloads.flatMap(cache => cache.list(namespace));
  }

  #find(key: WorkloadKey): KubeObject | undefined {
    const [group, version, kind = '', namespace, name = ''] = key.split('/');
    return this.#options.caches.cacheOf({ apiVersion: `${group}/${version}`, kind })?.get(namespace, name);
  }
}

export function keyOf({ apiVersion, kind, metadata }: KubeObject): WorkloadKey {
  return `${apiVersion}/${kind}/${metadata.namespace}/${metadata.name}`;
}

function workloadOf({ kind, metadata }: KubeObject): { readonly kind: 'gateway' | 'registry'; readonly name: string } {
  return { kind: kind === 'MCPRegistry' ? 'registry' : 'gateway', name: metadata.name };
}

function compileFacts(
  memory: SourceMemory | undefined,
  kind: 'gateway' | 'registry',
  namespace: string,
  name: string,
): CompileFacts | undefined {
  const { tree, outcome } = memory?.tried ?? {};
  const unit = outcome?.units.find(one => one.kind === kind && one.namespace === namespace && one.name === name);
  if (tree === undefined || outcome === undefined || unit === undefined) return undefined;
  const { digest, diagnostics, configHashes, statusReportingIntervalMs, backends } = unit;
  const { revision } = tree;
  return { digest, diagnostics, configHashes, statusReportingIntervalMs, backends, revision, isGood: outcome.isGood };
}
