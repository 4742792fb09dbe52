/** Where the server keeps what it must not forget. It does not know of OAuth: areas, names, values and how long they live. */

/** What is kept. Names of areas are part of keys in Redis: they never change their meaning. */
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

export type Value = Readonly<Record<string, unknown>>;

export type EntryKey = readonly [area: Area, name: string];

export interface PutOptions {
  /** Null: as long as there is room. */
  readonly ttlSeconds: number | null;
  /** What is deleted together. */
  readonly group?: string | undefined;
}

export interface Uses {
  /** The one that was just counted included. */
  readonly times: number;
  /** When the first was, in seconds since 1970. */
  readonly firstAt: number;
}

/** The store cannot be asked now. The message names the cause and no key or value. */
export class StoreUnavailableError extends Error {
  readonly code = 'ERR_AUTH_STORE';
  override readonly name = 'StoreUnavailableError';
}

/** There is no room for another entry, and none that may go. */
export class StoreFullError extends Error {
  readonly code = 'ERR_AUTH_STORE_FULL';
  override readonly name = 'StoreFullError';
}

/** Each step is one for all replicas: none sees another one half done. */
export interface Store {
  /** @throws StoreUnavailableError, as do all of the others */
  get(area: Area, name: string): Promise<Value | undefined>;
  /** @throws StoreFullError */
  put(area: Area, name: string, value: Value, options: PutOptions): Promise<void>;
  /** Gives an entry and deletes it: of several that ask, one gets it. */
  take(area: Area, name: string): Promise<Value | undefined>;
  /**
   * Counts a use of an entry; undefined where nothing is there.
   *
   * @param at now, in seconds since 1970
   * @param since counts again, with this use as the first, where the first so far was then
   */
  use(area: Area, name: string, at: number, since?: number): Promise<Uses | undefined>;
  /** Lets those that are there live that long from now on; they have this group, or none of them has one. */
  touch(places: readonly EntryKey[], ttlSeconds: number, group?: string): Promise<void>;
  delete(area: Area, name: string): Promise<void>;
  /** What an area holds of a group. */
  ofGroup(group: string, area: Area): Promise<readonly Value[]>;
  deleteGroup(group: string): Promise<void>;
  /** Undefined while another holds it; else what lets go of it. */
  lock(name: string, ttlMs: number): Promise<(() => Promise<void>) | undefined>;
  /** For `/status`. */
  readonly kind: 'memory' | 'redis';
  /** Why it cannot be asked now, for `/status`; undefined while it can. */
  readonly problem: string | undefined;
  close(): void;
}
