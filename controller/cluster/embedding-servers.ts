/** Writes the status of EmbeddingServers that sources applied; nothing else writes it. */
import { formatEmbeddingServerName } from '#schemas';
import { readAnnotation, SOURCE_ANNOTATION } from '../apply/index.ts';
import type { FoundDiagnostic } from '../compile/index.ts';
import type { KubeClient, KubeObject } from '../kube/types.ts';
import type { ReconcileCache } from '../reconcile/index.ts';
import { composeStatus, computeEmbeddingStatus, selectOwnEmbeddingStatus } from '../status/index.ts';
import type { Caches } from './caches.ts';
import { formatWorkloadKey, type WorkloadKey } from './workload-status.ts';

export const EMBEDDING_KIND = 'EmbeddingServer';

export interface EmbeddingServersOptions {
  readonly client: KubeClient;
  readonly caches: Pick<Caches, 'inputs' | 'findCache'>;
  /** Finds the cached state of a source, by `namespace/name`. */
  readonly findMemory: (source: string) => ReconcileCache | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export class EmbeddingServers {
  readonly #options: EmbeddingServersOptions;

  constructor(options: EmbeddingServersOptions) {
    this.#options = options;
  }

  /** Keys of all EmbeddingServers that a source applied; another controller writes the status of the rest. */
  get keys(): readonly WorkloadKey[] {
    return this.#listObjects().map(formatWorkloadKey);
  }

  /** Keys of the EmbeddingServers of a source. */
  listKeysOfSource(source: string): readonly WorkloadKey[] {
    return this.#listObjects()
      .filter(object => readAnnotation(object, SOURCE_ANNOTATION) === source)
      .map(formatWorkloadKey);
  }

  /** Keys of the EmbeddingServers that an object is, or whose pods it runs. */
  listKeys({ kind, metadata: { namespace, name } }: KubeObject): readonly WorkloadKey[] {
    if (kind !== EMBEDDING_KIND && kind !== 'StatefulSet') return [];
    return this.#listObjects()
      .filter(({ metadata }) => metadata.namespace === namespace)
      .filter(
        ({ metadata }) => (kind === EMBEDDING_KIND ? metadata.name : formatEmbeddingServerName(metadata.name)) === name,
      )
      .map(formatWorkloadKey);
  }

  /** @throws KubeError */
  async update(key: WorkloadKey, signal: AbortSignal): Promise<undefined> {
    const { client, caches, findMemory, now } = this.#options;
    const server = this.#listObjects().find(object => formatWorkloadKey(object) === key);
    if (server === undefined) return;
    const { namespace, name } = server.metadata;
    const statefulSet = caches
      .findCache({ apiVersion: 'apps/v1', kind: 'StatefulSet' })
      ?.get(namespace, formatEmbeddingServerName(name));
    const errors = findErrors(server, findMemory(readAnnotation(server, SOURCE_ANNOTATION) ?? ''));
    const compose = (read: KubeObject) => ({
      status: computeEmbeddingStatus(
        { server: read, now: new Date(now()), statefulSet, errors },
        read.status as object,
      ),
      ours: selectOwnEmbeddingStatus as (status: object) => object,
    });
    await composeStatus(client, server, compose, signal);
  }

  #listObjects(): readonly KubeObject[] {
    return this.#options.caches.inputs
      .flatMap(cache => cache.list())
      .filter(object => object.kind === EMBEDDING_KIND && readAnnotation(object, SOURCE_ANNOTATION) !== undefined);
  }
}

function findErrors(
  { metadata }: KubeObject,
  memory: ReconcileCache | undefined,
): readonly FoundDiagnostic[] | undefined {
  const title = `${EMBEDDING_KIND}/${metadata.namespace}/${metadata.name}`;
  return memory?.attempted?.outcome.diagnostics.filter(
    ({ severity, object }) => severity === 'error' && object === title,
  );
}
