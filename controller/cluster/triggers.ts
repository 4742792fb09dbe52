/** Maps changes in the cluster to work: a source to reconcile, or a status to compute. */
import { isOurChange, readAnnotation, SOURCE_ANNOTATION } from '../apply/index.ts';
import type { ClusterInputs } from '../cluster-inputs/index.ts';
import type { WorkQueue } from '../kube/queue.ts';
import type { KubeObject } from '../kube/types.ts';
import type { ObservedSource } from '../reconcile/index.ts';
import { findCondition } from '../status/index.ts';
import type { Caches } from './caches.ts';
import { EMBEDDING_KIND, type EmbeddingServers } from './embedding-servers.ts';
import type { GroupMembers } from './group-members.ts';
import { formatNamespacedName } from './names.ts';
import { formatWorkloadKey, type WorkloadStatus } from './workload-status.ts';

/** Changes within this time are handled together, in milliseconds. */
const TOGETHER_MS = 200;

export interface TriggersOptions {
  readonly caches: Caches;
  readonly inputs: ClusterInputs;
  readonly workloads: WorkloadStatus;
  readonly groups: GroupMembers;
  readonly embedding: EmbeddingServers;
  readonly sourceQueue: WorkQueue;
  readonly statusQueue: WorkQueue;
  /** The namespaces whose cluster objects a source uses. */
  readonly listNamespaces: (source: ObservedSource) => readonly string[];
}

export class Triggers {
  readonly #options: TriggersOptions;

  constructor(options: TriggersOptions) {
    this.#options = options;
  }

  /** Starts to react to changes in the cluster. */
  listen(): void {
    this.#listenToSources();
    this.#listenToApplied();
    this.#listenToWorkloads();
    this.#listenToMembers();
    this.#listenToPods();
    this.#listenToInputs();
  }

  /** Schedules a status update of the workload that an object belongs to. Returns the keys of the workload. */
  statusSoon(object: KubeObject): readonly string[] {
    const { workloads, statusQueue } = this.#options;
    const keys = workloads.listKeys(object);
    for (const key of keys) statusQueue.addAfter(key, TOGETHER_MS);
    return keys;
  }

  #listenToSources(): void {
    const { caches, workloads, sourceQueue, statusQueue } = this.#options;
    for (const source of caches.sources.list()) sourceQueue.add(formatNamespacedName(source));
    caches.sources.onChange((now, before) => {
      const object = now ?? before;
      if (object === undefined) return;
      if (specOrAnnotationsChanged(now, before)) sourceQueue.add(formatNamespacedName(object));
      // The source may refer to another server now, or be in deletion.
      if (now?.metadata.generation !== before?.metadata.generation || now?.metadata.deletionTimestamp !== undefined)
        sourceQueue.interrupt(formatNamespacedName(object));
      for (const key of workloads.listKeysOfChange(now, before)) statusQueue.addAfter(key, TOGETHER_MS);
    });
  }

  #listenToApplied(): void {
    const { caches, sourceQueue } = this.#options;
    for (const cache of caches.applied) {
      cache.onChange((now, before) => {
        const object = now ?? before;
        const source = object && readAnnotation(object, SOURCE_ANNOTATION);
        if (object === undefined || source === undefined) return;
        if (isOurChange(now, before)) sourceQueue.addAfter(source, TOGETHER_MS);
        else if (object.kind === 'Deployment') this.#awaited(source);
        if (object.kind === 'Deployment') this.statusSoon(object);
        if (object.kind === 'StatefulSet') this.#embeddingSoon(object);
      });
    }
  }

  #listenToWorkloads(): void {
    const { caches, statusQueue } = this.#options;
    for (const cache of caches.workloads) {
      for (const object of cache.list()) statusQueue.add(formatWorkloadKey(object));
      cache.onChange((now, before) => {
        if (now !== undefined && now.metadata.generation !== before?.metadata.generation) {
          statusQueue.add(formatWorkloadKey(now));
        }
        if (now === undefined && before !== undefined) statusQueue.forget(formatWorkloadKey(before));
      });
    }
  }

  /** Groups and embedding servers, whose statuses count other objects. */
  #listenToMembers(): void {
    const { caches, groups, embedding, statusQueue } = this.#options;
    for (const key of [...groups.keys, ...embedding.keys]) statusQueue.add(key);
    for (const cache of caches.inputs) {
      cache.onChange((now, before) => {
        for (const key of groups.listKeys(now, before)) statusQueue.addAfter(key, TOGETHER_MS);
        const object = now ?? before;
        if (object?.kind === EMBEDDING_KIND) this.#embeddingSoon(object);
      });
    }
  }

  #listenToPods(): void {
    const { caches, workloads } = this.#options;
    caches.pods.onChange((now, before) => {
      const pod = now ?? before;
      if (pod === undefined) return;
      for (const key of this.statusSoon(pod)) {
        const source = workloads.findSource(key);
        if (source !== undefined) this.#awaited(source);
      }
    });
  }

  #listenToInputs(): void {
    const { caches, inputs, listNamespaces, sourceQueue } = this.#options;
    inputs.onChange(namespace => {
      for (const source of caches.sources.list()) {
        if (listNamespaces(source as unknown as ObservedSource).includes(namespace)) {
          sourceQueue.addAfter(formatNamespacedName(source), TOGETHER_MS);
        }
      }
    });
  }

  /** Schedules status updates of an embedding server and of the gateways that wait for it. */
  #embeddingSoon(object: KubeObject): void {
    const { embedding, workloads, statusQueue } = this.#options;
    const keys = [...embedding.listKeys(object), ...workloads.listKeysOfEmbedding(object)];
    for (const key of keys) statusQueue.addAfter(key, TOGETHER_MS);
  }

  /** When pods change, reconciles a source that is not ready at once: it may wait for these pods, or for a bundle that becomes healthy late. */
  #awaited(source: string): void {
    const { caches, sourceQueue } = this.#options;
    const [namespace, name = ''] = source.split('/');
    const stored = caches.sources.get(namespace, name) as ObservedSource | undefined;
    const ready = findCondition(stored?.status?.conditions ?? [], 'Ready');
    if (ready?.status !== 'True' && stored?.spec.suspend !== true) sourceQueue.addAfter(source, TOGETHER_MS);
  }
}

/** Whether an object was added, edited, or is being deleted; status updates by the controller itself do not count. */
function specOrAnnotationsChanged(now: KubeObject | undefined, before: KubeObject | undefined): boolean {
  if (now === undefined || before === undefined) return true;
  const desired = ({ metadata }: KubeObject): string =>
    JSON.stringify([metadata.uid, metadata.generation, metadata.deletionTimestamp, metadata.annotations]);
  return desired(now) !== desired(before);
}
