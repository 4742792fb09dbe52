/** Where the server keeps what it must not forget. It knows nothing of OAuth: areas, names, values and how long they live. */

/** What is kept. Names of areas are part of keys in Redis: they never change their meaning. */
export type Area = 'client' | 'code' | 'grant' | 'interaction' | 'refresh' | 'pending' | 'sign-in' | 'upstream';

export type Value = Readonly<Record<string, unknown>>;

export interface PutOptions {
  /** Null: as long as there is room. */
  readonly ttlSeconds: number | null;
  /** What is deleted together. */
  readonly group?: string | undefined;
}

/** The store cannot be asked now. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}

/** There is no room for another entry, and none that may go. */
export class StoreFullError extends Error {
  override readonly name = 'StoreFullError';
}

/** @throws StoreUnavailableError from each of its methods */
export interface Store {
  get(area: Area, name: string): Promise<Value | undefined>;
  /** @throws StoreFullError */
  put(area: Area, name: string, value: Value, options: PutOptions): Promise<void>;
  /** Gives an entry and deletes it in one step: of several that ask, one gets it. */
  take(area: Area, name: string): Promise<Value | undefined>;
  /** Sets `consumed` in one step: of several that try, one is the first. False where it already was, or nothing is there. */
  consume(area: Area, name: string, at: number): Promise<boolean>;
  /** Counts in one step how often something was done; the first time gives 1. */
  count(name: string, ttlSeconds: number): Promise<number>;
  /** Lets an entry live that long from now on. */
  touch(area: Area, name: string, ttlSeconds: number): Promise<void>;
  delete(area: Area, name: string): Promise<void>;
  deleteGroup(group: string): Promise<void>;
  /** Undefined while another holds it; else what lets go of it. */
  lock(name: string, ttlMs: number): Promise<(() => Promise<void>) | undefined>;
  /** For `/status`. */
  readonly kind: 'memory' | 'redis';
  close(): void;
}
