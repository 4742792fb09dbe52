/** GatewaySources in the cluster. */
import type { GatewaySourceStatus } from '#schemas';
import { FIELD_MANAGER, SOURCE_FINALIZER } from '#schemas';
import { withoutManagedFields } from '../kube/cache.ts';
import { KubeError } from '../kube/kube-error.ts';
import type { KubeClient, KubeObject } from '../kube/types.ts';
import type { ObservedSource, StatusStore } from '../reconcile/index.ts';
import { writeStatus } from '../status/index.ts';
import { GATEWAY_SOURCE } from './caches.ts';

export class SourceStore implements StatusStore {
  readonly #client: KubeClient;
  /** Sources as this process last read or wrote them, by uid: a reconcile that read a lagging cache would not know what the previous one applied. */
  readonly #latest = new Map<string, KubeObject>();

  constructor(client: KubeClient) {
    this.#client = client;
  }

  /**
   * The current object of the API server; undefined when it does not exist.
   * @throws KubeError
   */
  async read(namespace: string, name: string, signal: AbortSignal): Promise<ObservedSource | undefined> {
    const object = await this.#client.get({ ...GATEWAY_SOURCE, namespace, name }, signal);
    if (object === undefined) return undefined;
    return this.#remember(object) as unknown as ObservedSource;
  }

  /**
   * Writes the status of a source.
   * @throws KubeError; `SourceGoneError` when the source is gone
   */
  async write(source: ObservedSource, status: GatewaySourceStatus, signal: AbortSignal): Promise<void> {
    const writeResult = await writeStatus(this.#client, this.#getLatest(source), status, { signal });
    if (writeResult.outcome === 'gone') throw new SourceGoneError(source);
    this.#remember(writeResult.object);
  }

  /** @throws KubeError, for example when another client changed the finalizers meanwhile */
  async setFinalizer(source: ObservedSource, isKept: boolean, signal: AbortSignal): Promise<void> {
    const latest = this.#getLatest(source);
    const { namespace, name, resourceVersion, finalizers = [] } = latest.metadata;
    if (finalizers.includes(SOURCE_FINALIZER) === isKept) return;
    const others = finalizers.filter(finalizer => finalizer !== SOURCE_FINALIZER);
    // A merge patch replaces lists, so the resourceVersion protects against concurrent changes.
    const metadata = { resourceVersion, finalizers: isKept ? [...others, SOURCE_FINALIZER] : others };
    try {
      const key = { ...GATEWAY_SOURCE, namespace, name };
      this.#remember(await this.#client.patch(key, { metadata }, { fieldManager: FIELD_MANAGER }, signal));
    } catch (error) {
      if (!isKept && error instanceof KubeError && error.failure === 'notFound') return;
      throw error;
    }
  }

  forget(uid: string): void {
    this.#latest.delete(uid);
  }

  #getLatest(source: ObservedSource): KubeObject {
    return this.#latest.get(source.metadata.uid ?? '') ?? (source as unknown as KubeObject);
  }

  /** Stores a source without its managed fields, which for thousands of inventory entries are larger than all other data and never needed. */
  #remember(object: KubeObject): KubeObject {
    const stored = withoutManagedFields(object);
    this.#latest.set(object.metadata.uid ?? '', stored);
    return stored;
  }
}

/** The source was deleted while it was reconciled. */
export class SourceGoneError extends Error {
  constructor({ metadata: { namespace, name } }: ObservedSource) {
    super(`GatewaySource ${namespace}/${name} is gone`);
  }
}
