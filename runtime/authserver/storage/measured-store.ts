/** Wraps a store, and reports the duration and the failure of each operation for metrics. */
import type { AuthServerObserver } from '../host.ts';
import {
  type Area,
  type EntryKey,
  type PutOptions,
  type Store,
  type StoredValue,
  StoreFullError,
  type Uses,
} from './store.ts';

export class MeasuredStore implements Store {
  readonly #store: Store;
  readonly #observer: AuthServerObserver;

  constructor(store: Store, observer: AuthServerObserver) {
    this.#store = store;
    this.#observer = observer;
  }

  get kind(): Store['kind'] {
    return this.#store.kind;
  }

  get problem(): string | undefined {
    return this.#store.problem;
  }

  get(area: Area, name: string): Promise<StoredValue | undefined> {
    return this.#measure('get', this.#store.get(area, name));
  }

  put(area: Area, name: string, value: StoredValue, options: PutOptions): Promise<void> {
    return this.#measure('put', this.#store.put(area, name, value, options));
  }

  take(area: Area, name: string): Promise<StoredValue | undefined> {
    return this.#measure('take', this.#store.take(area, name));
  }

  use(area: Area, name: string, at: number, since?: number): Promise<Uses | undefined> {
    return this.#measure('use', this.#store.use(area, name, at, since));
  }

  touch(keys: readonly EntryKey[], ttlSeconds: number, group?: string): Promise<void> {
    return this.#measure('touch', this.#store.touch(keys, ttlSeconds, group));
  }

  delete(area: Area, name: string): Promise<void> {
    return this.#measure('delete', this.#store.delete(area, name));
  }

  listGroup(group: string, area: Area): Promise<readonly StoredValue[]> {
    return this.#measure('of_group', this.#store.listGroup(group, area));
  }

  deleteGroup(group: string): Promise<void> {
    return this.#measure('delete_group', this.#store.deleteGroup(group));
  }

  lock(name: string, ttlMs: number): Promise<(() => Promise<void>) | undefined> {
    return this.#measure('lock', this.#store.lock(name, ttlMs));
  }

  close(): void {
    this.#store.close();
  }

  async #measure<T>(operation: string, under: Promise<T>): Promise<T> {
    const startedAt = performance.now();
    try {
      const result = await under;
      this.#observer.storage(operation, (performance.now() - startedAt) / 1000, false);
      return result;
    } catch (error) {
      // A full store is no failure of the storage: it has responded.
      this.#observer.storage(operation, (performance.now() - startedAt) / 1000, !(error instanceof StoreFullError));
      throw error;
    }
  }
}
