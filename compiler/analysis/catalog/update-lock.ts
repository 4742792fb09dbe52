/** The new tool lock: answers take the place of former entries, and the entries of backends without an answer stay. */
import { type CatalogLock, LOCK_VERSION, type LockedBackendEntry } from '#schemas';

export interface UpdateOptions {
  /** Entries of backends that answered, by key. */
  readonly entries: ReadonlyMap<string, LockedBackendEntry>;
  /** Keys of all backends of the sources. */
  readonly inSources: ReadonlySet<string>;
  /** Drops entries of backends that the sources do not have. */
  readonly prune: boolean;
}

export interface UpdatedLock {
  readonly lock: CatalogLock;
  /** Entries that no backend of the sources has, and that stay. */
  readonly stale: readonly string[];
}

export function updateLock(before: CatalogLock, { entries, inSources, prune }: UpdateOptions): UpdatedLock {
  const old = Object.entries(before.backends).filter(([key]) => !prune || inSources.has(key));
  const backends = Object.fromEntries([...old, ...entries]);
  const stale = old.map(([key]) => key).filter(key => !inSources.has(key));
  return { lock: { lockfileVersion: LOCK_VERSION, backends }, stale: stale.sort() };
}
