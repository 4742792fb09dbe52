/** Writes the status of gateways and registry servers; nothing else writes it. */
import {
  ACCEPTED_API_GROUPS,
  buildObjectNames,
  buildSelectorLabels,
  type EmbeddingServerStatus,
  formatServiceUrl,
  type GatewaySourceStatus,
  MCP_PATH,
  type MCPRegistryStatus,
  type MCPRemoteProxyStatus,
  type MCPServerSpec,
  type MCPServerStatus,
  OBJECT_KIND,
  SSE_PATH,
  STORAGE_VERSION,
  type VirtualMCPServerSpec,
  type VirtualMCPServerStatus,
  type WorkloadKind,
} from '#schemas';
import { readAnnotation, SOURCE_ANNOTATION } from '../apply/index.ts';
import type { CompiledUnit, CompileOutcome } from '../compile/index.ts';
import type { EventRecorder } from '../kube/events.ts';
import type { KubeClient, KubeObject } from '../kube/types.ts';
import type { PodReader } from '../pods/index.ts';
import { formatUnitKey, type ReconcileCache } from '../reconcile/index.ts';
import {
  type CompileObservation,
  composeStatus,
  computeGatewayStatus,
  computeRegistryStatus,
  computeServerStatus,
  type EmbeddingObservation,
  listStatusEvents,
  requeueAfterMs,
  type StatusEvent,
  selectOwnGatewayStatus,
  selectOwnRegistryStatus,
  selectOwnServerStatus,
  type WorkloadStatusInput,
} from '../status/index.ts';
import type { Caches } from './caches.ts';

export interface WorkloadStatusOptions {
  readonly client: KubeClient;
  readonly caches: Caches;
  readonly pods: PodReader;
  /** Finds the cached state of a source, by `namespace/name`. */
  readonly findMemory: (source: string) => ReconcileCache | undefined;
  /** Events that people read at the objects themselves. */
  readonly events: Pick<EventRecorder, 'add'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** When to check a status again that was deleted, or that another client keeps overwriting, in milliseconds. */
const RECHECK_MS = 1_000;

/** Maximum number of events that wait until the cache has their object. Further ones are dropped: events are not a log. */
const MAX_UNANNOUNCED = 1_000;

interface PendingEvent {
  /** The object that runs a workload. */
  readonly object: KubeObject;
  readonly event: StatusEvent;
}

type WorkloadObjectStatus = VirtualMCPServerStatus | MCPRegistryStatus | MCPServerStatus | MCPRemoteProxyStatus;

/** `group/version/kind/namespace/name`. */
export type WorkloadKey = string;

export class WorkloadStatus {
  readonly #options: WorkloadStatusOptions;
  #unannounced: readonly PendingEvent[] = [];

  constructor(options: WorkloadStatusOptions) {
    this.#options = options;
  }

  /** Keys of the workloads for which a source's status changed. */
  listKeysOfChange(now: KubeObject | undefined, before: KubeObject | undefined): readonly WorkloadKey[] {
    const { namespace, name } = (now ?? before)?.metadata ?? { name: '' };
    const [textsNow, textsBefore] = [mapUnitTexts(now), mapUnitTexts(before)];
    // When the source is new or gone, the status of each of its workloads changes.
    const isWhole = now === undefined || before === undefined;
    return this.#listObjects(`${namespace}/${name}`)
      .filter(object => isWhole || textsNow.get(getUnitKey(object)) !== textsBefore.get(getUnitKey(object)))
      .map(formatWorkloadKey);
  }

  /** Keys of the workloads for which a compilation's result may differ from that of the previous one. */
  listKeysOfOutcome(
    source: string,
    outcome: CompileOutcome | undefined,
    before: CompileOutcome | undefined,
  ): readonly WorkloadKey[] {
    const isAsGood = outcome?.isGood === before?.isGood;
    const known = new Set(before?.units);
    // A gateway with findings or without a bundle never counts as unchanged: messages about errors contain the revision.
    const isSame = (unit: CompiledUnit) => known.has(unit) && unit.digest !== null && unit.diagnostics.length === 0;
    const same = new Set(outcome?.units.filter(unit => isAsGood && isSame(unit)).map(formatUnitKey));
    return this.#listObjects(source)
      .filter(object => !same.has(getUnitKey(object)))
      .map(formatWorkloadKey);
  }

  /** Keys of the workloads whose pods have the labels of an object. */
  listKeys(object: KubeObject): readonly WorkloadKey[] {
    return this.#listWorkloads(object.metadata.namespace)
      .filter(workload => runs(object, workload))
      .map(formatWorkloadKey);
  }

  /** Emits an event about an object's workload after the workload's status is written, because the workload may not be in the cache yet. */
  announceLater(object: KubeObject, event: StatusEvent): void {
    this.#unannounced = [...this.#unannounced, { object, event }].slice(-MAX_UNANNOUNCED);
  }

  /** Keys of the gateways that refer to an EmbeddingServer. */
  listKeysOfEmbedding({ kind, metadata: { namespace, name } }: KubeObject): readonly WorkloadKey[] {
    if (kind !== 'EmbeddingServer') return [];
    return this.#listWorkloads(namespace)
      .filter(object => readEmbeddingRef(object) === name)
      .map(formatWorkloadKey);
  }

  /** The source that applied a gateway or registry server, as `namespace/name`. */
  findSource(key: WorkloadKey): string | undefined {
    const object = this.#find(key);
    return object === undefined ? undefined : readAnnotation(object, SOURCE_ANNOTATION);
  }

  /**
   * Writes one status.
   * @returns after how many milliseconds to check again
   * @throws KubeError
   */
  async update(key: WorkloadKey, signal: AbortSignal): Promise<number | undefined> {
    const { client, caches, findMemory } = this.#options;
    const object = this.#find(key);
    const source = object === undefined ? undefined : readAnnotation(object, SOURCE_ANNOTATION);
    // An object that no source applied has another controller, which writes its status.
    if (object === undefined || source === undefined) return undefined;
    const [sourceNamespace, sourceName = ''] = source.split('/');
    const stored = caches.sources.get(sourceNamespace, sourceName);
    if (stored === undefined) return undefined;
    const input = await this.#collectFacts(object, stored, findMemory(source));
    const composed = await composeStatus(client, object, version => composeWorkloadStatus(version, input), signal);
    if (composed === undefined) return RECHECK_MS;
    this.#announce(composed.before, composed.status);
    // The interval is 0 for a workload without a bundle.
    return requeueAfterMs(composed.status, input.compiled?.statusReportingIntervalMs ?? 0);
  }

  #announce({ apiVersion, kind, metadata, status, spec }: KubeObject, now: WorkloadObjectStatus): void {
    const ofGateway = kind === OBJECT_KIND.gateway ? (spec as VirtualMCPServerSpec) : undefined;
    const workload = { apiVersion, kind, metadata };
    const applied = this.#unannounced.filter(({ object }) => runs(object, workload));
    if (applied.length > 0)
      this.#unannounced = this.#unannounced.filter(pendingEvent => !applied.includes(pendingEvent));
    const events = listStatusEvents(status as WorkloadObjectStatus | undefined, now, ofGateway);
    for (const { type, reason, message } of [...applied.map(({ event }) => event), ...events])
      this.#options.events.add(workload, type, reason, message);
  }

  async #collectFacts(
    object: KubeObject,
    source: KubeObject,
    memory: ReconcileCache | undefined,
  ): Promise<WorkloadStatusInput> {
    const { caches, pods, now } = this.#options;
    const workload = readWorkload(object);
    const { namespace = '', generation = 0 } = object.metadata;
    const { kind, name } = workload;
    const deployment = caches
      .findCache({ apiVersion: 'apps/v1', kind: 'Deployment' })
      ?.get(namespace, buildObjectNames(workload).deployment);
    const spec = deployment?.spec as { readonly replicas?: number } | undefined;
    const status = source.status as GatewaySourceStatus | undefined;
    return {
      generation,
      now: new Date(now()),
      url: formatUrl(object, workload),
      compiled: compileFacts(memory, kind, namespace, name),
      unit: findUnit(status?.gateways, { kind, namespace, name }),
      embedding: this.#findEmbedding(object),
      deployment: deployment === undefined ? undefined : { replicas: spec?.replicas ?? 1 },
      pods: await pods.reports({ namespace, labels: buildSelectorLabels(workload) }),
    };
  }

  /** The EmbeddingServer that a gateway refers to, no matter which controller applied it. */
  #findEmbedding(object: KubeObject): EmbeddingObservation | undefined {
    const name = readEmbeddingRef(object);
    if (name === undefined) return undefined;
    const server = ACCEPTED_API_GROUPS.map(group =>
      this.#options.caches
        .findCache({ apiVersion: `${group}/${STORAGE_VERSION}`, kind: 'EmbeddingServer' })
        ?.get(object.metadata.namespace, name),
    ).find(kubeObject => kubeObject !== undefined);
    return { name, status: server === undefined ? undefined : ((server.status ?? {}) as EmbeddingServerStatus) };
  }

  #listWorkloads(namespace?: string): readonly KubeObject[] {
    return this.#options.caches.workloads.flatMap(cache => cache.list(namespace));
  }

  #listObjects(source: string): readonly KubeObject[] {
    return this.#listWorkloads().filter(object => readAnnotation(object, SOURCE_ANNOTATION) === source);
  }

  #find(key: WorkloadKey): KubeObject | undefined {
    const [group, version, kind = '', namespace, name = ''] = key.split('/');
    return this.#options.caches.findCache({ apiVersion: `${group}/${version}`, kind })?.get(namespace, name);
  }
}

interface ObjectStatus {
  readonly status: WorkloadObjectStatus;
  readonly ours: (status: object) => object;
}

/** The status to write, and the corresponding part of the current status. */
function composeWorkloadStatus(object: KubeObject, input: WorkloadStatusInput): ObjectStatus {
  const before = object.status as object | undefined;
  if (object.kind === 'MCPRegistry') {
    const isTerminating = object.metadata.deletionTimestamp !== undefined;
    const status = computeRegistryStatus({ ...input, isTerminating, generation: readGeneration(object) }, before);
    return { status, ours: selectOwnRegistryStatus as (status: object) => object };
  }
  if (object.kind !== OBJECT_KIND.gateway) {
    const isTerminating = object.metadata.deletionTimestamp !== undefined;
    const server = { kind: object.kind, spec: object.spec as MCPServerSpec };
    const status = computeServerStatus(
      { ...input, ...server, isTerminating, generation: readGeneration(object) },
      before,
    );
    return { status, ours: selectOwnServerStatus as (status: object) => object };
  }
  const spec = object.spec as VirtualMCPServerSpec;
  const status = computeGatewayStatus({ ...input, spec, generation: readGeneration(object) }, before);
  return { status, ours: selectOwnGatewayStatus as (status: object) => object };
}

function readGeneration({ metadata: { generation = 0 } }: KubeObject): number {
  return generation;
}

/** Whether an object has the labels of a workload's objects. */
function runs({ metadata: { namespace, labels = {} } }: KubeObject, workload: KubeObject): boolean {
  const isNeighbour = workload.metadata.namespace === namespace;
  const selected = Object.entries(buildSelectorLabels(readWorkload(workload)));
  return isNeighbour && selected.every(([label, value]) => labels[label] === value);
}

export function formatWorkloadKey({ apiVersion, kind, metadata }: KubeObject): WorkloadKey {
  return `${apiVersion}/${kind}/${metadata.namespace}/${metadata.name}`;
}

function readEmbeddingRef({ spec }: KubeObject): string | undefined {
  return (spec as Partial<VirtualMCPServerSpec> | undefined)?.embeddingServerRef?.name;
}

function readWorkload({ kind, metadata }: KubeObject): { readonly kind: WorkloadKind; readonly name: string } {
  return { kind: WORKLOAD_OF[kind] ?? 'gateway', name: metadata.name };
}

const WORKLOAD_OF: { readonly [kind: string]: WorkloadKind } = Object.fromEntries(
  (Object.keys(OBJECT_KIND) as WorkloadKind[]).map(kind => [OBJECT_KIND[kind], kind]),
);

/** The key of a workload's object, in the form of {@link formatUnitKey}. */
function getUnitKey(object: KubeObject): string {
  return formatUnitKey({ ...readWorkload(object), namespace: object.metadata.namespace ?? '' });
}

type UnitName = Parameters<typeof formatUnitKey>[0];

/** Indexes of lists. A list never changes, and hundreds of gateways are looked up in it. */
const indexes = new WeakMap<readonly UnitName[], ReadonlyMap<string, UnitName>>();

function findUnit<T extends UnitName>(units: readonly T[] | undefined, name: UnitName): T | undefined {
  if (units === undefined) return undefined;
  const index = indexes.get(units) ?? new Map(units.map(unit => [formatUnitKey(unit), unit]));
  indexes.set(units, index);
  return index.get(formatUnitKey(name)) as T | undefined;
}

/** What the status of a source says about each of its gateways and servers, as texts to compare. */
function mapUnitTexts(source: KubeObject | undefined): ReadonlyMap<string, string> {
  const { gateways = [] } = (source?.status ?? {}) as GatewaySourceStatus;
  return new Map(gateways.map(unit => [formatUnitKey(unit), JSON.stringify(unit)]));
}

function compileFacts(
  memory: ReconcileCache | undefined,
  kind: WorkloadKind,
  namespace: string,
  name: string,
): CompileObservation | undefined {
  const { tree, outcome } = memory?.attempted ?? {};
  const unit = findUnit(outcome?.units, { kind, namespace, name });
  if (tree === undefined || outcome === undefined || unit === undefined) return undefined;
  const { digest, diagnostics, configHashes, statusReportingIntervalMs, backends } = unit;
  const { revision } = tree;
  return { digest, diagnostics, configHashes, statusReportingIntervalMs, backends, revision, isGood: outcome.isGood };
}

/** The URL of an MCPServer or MCPRemoteProxy includes the path that clients request. */
function formatUrl({ metadata, spec }: KubeObject, { kind, name }: ReturnType<typeof readWorkload>): string {
  const { namespace = '' } = metadata;
  if (kind === 'gateway' || kind === 'registry') return formatServiceUrl(kind, namespace, name);
  const { proxyPort, transport: own, proxyMode } = (spec ?? {}) as MCPServerSpec;
  const transport = kind === 'server' && own === 'stdio' ? proxyMode : own;
  return `${formatServiceUrl(kind, namespace, name, proxyPort)}${transport === 'sse' ? SSE_PATH : MCP_PATH}`;
}
