/** The stored state of the authorization server. The store does not know OAuth, only areas, names, values and lifetimes. */

/** A kind of data. Names of areas are part of Redis keys: they never change their meaning. */
export type Area =
  | 'assertion'
  | 'client'
  | 'code'
  | 'grant'
  | 'interaction'
  | 'refresh'
  | 'pending'
  | 'person'
  | 'sign-in'
  | 'upstream'
  | 'upstream-client';

export type StoredValue = Readonly<Record<string, unknown>>;

export type EntryKey = readonly [area: Area, name: string];

export interface PutOptions {
  /** Null: the entry does not expire, but a full store may evict it. */
  readonly ttlSeconds: number | null;
  /** Entries that are deleted together. */
  readonly group?: string | undefined;
}

export interface Uses {
  /** Number of uses, including the current one. */
  readonly times: number;
  /** Time of the first use, in seconds since 1970. */
  readonly firstAt: number;
}

/** The store is unavailable. The message names the cause and no key or value. */
export class StoreUnavailableError extends Error {
  readonly code = 'ERR_AUTH_STORE';
  override readonly name = 'StoreUnavailableError';
}

/** The store is full, and no entry may be evicted. */
export class StoreFullError extends Error {
  readonly code = 'ERR_AUTH_STORE_FULL';
  override readonly name = 'StoreFullError';
}

/** Each operation is atomic across replicas. */
export interface Store {
  /** @throws StoreUnavailableError, as all other methods do */
  get(area: Area, name: string): Promise<StoredValue | undefined>;
  /** @throws StoreFullError */
  put(area: Area, name: string, value: StoredValue, options: PutOptions): Promise<void>;
  /** Returns and deletes an entry. Of several concurrent callers, exactly one gets it. */
  take(area: Area, name: string): Promise<StoredValue | undefined>;
  /**
   * Counts a use of an entry; undefined when it is missing.
   *
   * @param at the current time, in seconds since 1970
   * @param since the time of the first use as the caller knows it: if the store has the same time, the count restarts, and this use is the first
   */
  use(area: Area, name: string, at: number, since?: number): Promise<Uses | undefined>;
  /** Extends the lifetime of existing entries, which all belong to `group`, or to no group if it is undefined. */
  touch(keys: readonly EntryKey[], ttlSeconds: number, group?: string): Promise<void>;
  delete(area: Area, name: string): Promise<void>;
  /** The entries of a group in an area. */
  listGroup(group: string, area: Area): Promise<readonly StoredValue[]>;
  deleteGroup(group: string): Promise<void>;
  /** Takes a lock. Returns a function that releases it; undefined while another holder has the lock. */
  lock(name: string, ttlMs: number): Promise<(() => Promise<void>) | undefined>;
  /** For `/status`. */
  readonly kind: 'memory' | 'redis';
  /** Why the store is unavailable, for `/status`; undefined when it is available. */
  readonly problem: string | undefined;
  close(): void;
}
