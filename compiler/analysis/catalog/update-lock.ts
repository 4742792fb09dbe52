/** Updates the tool lock: new answers replace entries; entries of backends that did not answer stay. */
import { type CatalogLock, LOCK_VERSION, type LockedBackendEntry } from '#schemas';

export interface UpdateOptions {
  /** New entries, by key. */
  readonly entries: ReadonlyMap<string, LockedBackendEntry>;
  /** Keys of all backends in the sources. */
  readonly inSources: ReadonlySet<string>;
  /** Whether to drop entries of backends that are not in the sources. */
  readonly prune: boolean;
}

export interface UpdatedLock {
  readonly lock: CatalogLock;
  /** Entries that stay although no backend of the sources has them. */
  readonly stale: readonly string[];
}

export function updateLock(before: CatalogLock, { entries, inSources, prune }: UpdateOptions): UpdatedLock {
  const old = Object.entries(before.backends).filter(([key]) => !prune || inSources.has(key));
  const backends = Object.fromEntries([...old, ...entries]);
  const stale = old.map(([key]) => key).filter(key => !inSources.has(key));
  return { lock: { lockfileVersion: LOCK_VERSION, backends }, stale: stale.sort() };
}
