/** The API server's etcd: objects, one revision number for all of them, and the log that watches read. */
import type { JsonObject } from './json.ts';

export interface StoreEvent {
  readonly revision: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly storage: string;
  readonly key: string;
  readonly object: JsonObject;
  readonly before: JsonObject | undefined;
}

export type Snapshot = ReadonlyMap<string, ReadonlyMap<string, JsonObject>>;

export class Store {
  #revision = 1;
  #compacted = 0;
  #log: StoreEvent[] = [];
  readonly #objects = new Map<string, Map<string, JsonObject>>();
  readonly #listeners = new Set<(event: StoreEvent) => void>();

  get revision(): number {
    return this.#revision;
  }

  /** The earliest revision that can still be read. */
  get compacted(): number {
    return this.#compacted;
  }

  get(storage: string, key: string): JsonObject | undefined {
    return this.#objects.get(storage)?.get(key);
  }

  /** The current objects, sorted by key. */
  list(storage: string): readonly (readonly [string, JsonObject])[] {
    return [...(this.#objects.get(storage) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  /** The objects as they were at a revision, which must not be compacted. */
  listAt(storage: string, revision: number): readonly (readonly [string, JsonObject])[] {
    const then = new Map(this.#objects.get(storage));
    for (const event of this.#log.toReversed()) {
      if (event.revision <= revision) break;
      if (event.storage !== storage) continue;
      if (event.before === undefined) then.delete(event.key);
      else then.set(event.key, event.before);
    }
    return [...then].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  /** Writes, or deletes when no object is given; returns what was written with its resourceVersion. */
  commit(storage: string, key: string, object: JsonObject | undefined): JsonObject {
    const objects = this.#objects.get(storage) ?? new Map<string, JsonObject>();
    this.#objects.set(storage, objects);
    const before = objects.get(key);
    const source = object ?? before;
    if (source === undefined) throw new Error(`there is no ${storage} ${key} to delete`);
    this.#revision++;
    const metadata = { ...(source.metadata as JsonObject), resourceVersion: String(this.#revision) };
    const written = { ...source, metadata };
    if (object === undefined) objects.delete(key);
    else objects.set(key, written);
    const type = object === undefined ? 'DELETED' : before === undefined ? 'ADDED' : 'MODIFIED';
    const event: StoreEvent = { revision: this.#revision, type, storage, key, object: written, before };
    this.#log.push(event);
    for (const listener of [...this.#listeners]) listener(event);
    return written;
  }

  /** All current objects, for `restore`. */
  snapshot(): Snapshot {
    return new Map([...this.#objects].map(([storage, objects]) => [storage, new Map(objects)]));
  }

  /** Restores all objects and drops later history; the revision number continues. */
  restore(snapshot: Snapshot): void {
    this.#objects.clear();
    for (const [storage, objects] of snapshot) this.#objects.set(storage, new Map(objects));
    this.compact();
  }

  since(revision: number): readonly StoreEvent[] {
    return this.#log.filter(event => event.revision > revision);
  }

  compact(): void {
    // With a new revision, the one that a client saw last is always older than the oldest readable one.
    this.#revision++;
    this.#compacted = this.#revision;
    this.#log = [];
  }

  /** Calls the listener for each write. Returns a function that removes the listener. */
  onCommit(listener: (event: StoreEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
