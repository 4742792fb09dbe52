/** All objects of a type, kept current by list and watch: the part of an informer that the simulated controllers need. */
import type { KubeObject } from '../../../controller/kube/index.ts';
import type { ApiClient } from '../kube-api/client.ts';

/** Wait after a failure; milliseconds. */
const RETRY_MS = 50;

export class Mirror {
  readonly #objects = new Map<string, KubeObject>();
  readonly #stop = new AbortController();
  readonly #client: ApiClient;
  readonly #path: string;
  readonly #changed: (object: KubeObject) => void;
  readonly #ended: Promise<void>;

  /** @param path of the list over all namespaces */
  constructor(client: ApiClient, path: string, changed: (object: KubeObject) => void) {
    this.#client = client;
    this.#path = path;
    this.#changed = changed;
    this.#ended = this.#run();
  }

  get(key: string): KubeObject | undefined {
    return this.#objects.get(key);
  }

  get all(): readonly KubeObject[] {
    return [...this.#objects.values()];
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }

  /** Stores an object that the mirror's owner has written itself, so that the owner does not act on the old one again. */
  set(object: KubeObject): void {
    this.#objects.set(formatKey(object), object);
  }

  delete(object: KubeObject): void {
    if (this.#objects.get(formatKey(object))?.metadata.uid === object.metadata.uid)
      this.#objects.delete(formatKey(object));
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        await this.#listAndWatch();
      } catch {
        if (!this.#stop.signal.aborted) await new Promise(resolve => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  async #listAndWatch(): Promise<void> {
    const { status, body, text } = await this.#client.request('GET', this.#path);
    if (status !== 200) throw new Error(text);
    const items = body.items as unknown as readonly KubeObject[];
    const keys = new Set(items.map(formatKey));
    for (const object of this.all) if (!keys.has(formatKey(object))) this.#event('DELETED', object);
    for (const object of items) this.#event('ADDED', object);
    const { resourceVersion } = body.metadata as { readonly resourceVersion: string };
    const query = { resourceVersion, allowWatchBookmarks: true };
    for await (const { type, object } of this.#client.watch(this.#path, query, this.#stop.signal)) {
      if (type === 'ERROR') return;
      if (type !== 'BOOKMARK') this.#event(type, object as unknown as KubeObject);
    }
  }

  #event(type: string, object: KubeObject): void {
    if (type === 'DELETED') this.#objects.delete(formatKey(object));
    else {
      const known = this.#objects.get(formatKey(object));
      const isOld = Number(known?.metadata.resourceVersion) > Number(object.metadata.resourceVersion);
      if (!isOld) this.#objects.set(formatKey(object), object);
    }
    this.#changed(object);
  }
}

export const formatKey = ({ metadata }: KubeObject): string => `${metadata.namespace}/${metadata.name}`;
