/** An `ObjectCache` that a test fills itself, for code that only reads one. */
import type { KubeObject, ObjectCache } from '../../controller/kube/types.ts';

export class FilledCache implements ObjectCache {
  readonly synced: Promise<void> = Promise.resolve();
  readonly #objects = new Map<string, KubeObject>();
  readonly #listeners = new Set<Parameters<ObjectCache['onChange']>[0]>();

  constructor(objects: readonly KubeObject[] = []) {
    for (const object of objects) this.set(object);
  }

  set(object: KubeObject): void {
    const key = `${object.metadata.namespace ?? ''}/${object.metadata.name}`;
    const before = this.#objects.get(key);
    this.#objects.set(key, object);
    for (const listener of this.#listeners) listener(object, before);
  }

  delete(namespace: string | undefined, name: string): void {
    const key = `${namespace ?? ''}/${name}`;
    const before = this.#objects.get(key);
    this.#objects.delete(key);
    for (const listener of this.#listeners) listener(undefined, before);
  }

  get(namespace: string | undefined, name: string): KubeObject | undefined {
    return this.#objects.get(`${namespace ?? ''}/${name}`);
  }

  list(namespace?: string): readonly KubeObject[] {
    const all = [...this.#objects.values()];
    return namespace === undefined ? all : all.filter(({ metadata }) => metadata.namespace === namespace);
  }

  onChange(listener: Parameters<ObjectCache['onChange']>[0]): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
