/** A store in process memory. Each area has a maximum number of entries, and expired entries are removed every five minutes. */
import {
  type Area,
  type EntryKey,
  type PutOptions,
  type Store,
  type StoredValue,
  StoreFullError,
  type Uses,
} from './store.ts';

/**
 * Maximum number of entries of each area. A full area evicts the entry whose first use is longest ago, so that a client that refreshes in a loop
 * evicts only used tokens and ends no other sign-in. Without a used entry, it evicts the oldest entry; a client only after `CLIENT_SAFE_MS`.
 */
export const MAX_ENTRIES: { readonly [area in Area]: number } = {
  assertion: 100_000,
  client: 10_000,
  code: 10_000,
  grant: 50_000,
  interaction: 10_000,
  refresh: 100_000,
  pending: 10_000,
  person: 50_000,
  'sign-in': 50_000,
  upstream: 100_000,
  // Enough for the upstreams of the current spec and of earlier specs.
  'upstream-client': 1_000,
};

/** How long a client is protected from eviction by newer registrations; milliseconds. */
export const CLIENT_SAFE_MS = 60 * 60_000;

const SWEEP_MS = 5 * 60_000;

interface StoredEntry {
  readonly area: Area;
  readonly name: string;
  /** The value as JSON text, because an object would take twice the memory. */
  readonly text: string;
  uses: Uses | undefined;
  /** Milliseconds since 1970. */
  expiresAt: number;
  readonly madeAt: number;
  readonly group: string | undefined;
}

export class MemoryStore implements Store {
  readonly kind = 'memory';
  readonly problem = undefined;
  readonly #now: () => number;
  readonly #areas = new Map<Area, Map<string, StoredEntry>>();
  readonly #groups = new Map<string, Set<StoredEntry>>();
  /** The used entries of each area, in the order of their first use. */
  readonly #used = new Map<Area, Set<StoredEntry>>();
  readonly #locks = new Map<string, symbol>();
  readonly #sweep: NodeJS.Timeout;

  constructor(now: () => number = Date.now) {
    this.#now = now;
    this.#sweep = setInterval(() => this.sweep(), SWEEP_MS).unref();
  }

  async get(area: Area, name: string): Promise<StoredValue | undefined> {
    return readValue(this.#find(area, name));
  }

  async put(area: Area, name: string, value: StoredValue, { ttlSeconds, group }: PutOptions): Promise<void> {
    const entries = this.#getArea(area);
    const known = this.#find(area, name);
    if (known === undefined) this.#makeRoom(area, entries);
    else this.#remove(area, name);
    const now = this.#now();
    const expiresAt = ttlSeconds === null ? Number.POSITIVE_INFINITY : now + ttlSeconds * 1000;
    const text = JSON.stringify(value);
    const entry: StoredEntry = { area, name, text, uses: undefined, expiresAt, madeAt: known?.madeAt ?? now, group };
    entries.set(name, entry);
    if (group !== undefined) setIn(this.#groups, group).add(entry);
  }

  async take(area: Area, name: string): Promise<StoredValue | undefined> {
    const value = readValue(this.#find(area, name));
    this.#remove(area, name);
    return value;
  }

  async use(area: Area, name: string, at: number, since?: number): Promise<Uses | undefined> {
    const entry = this.#find(area, name);
    if (entry === undefined) return undefined;
    const { uses } = entry;
    const isFirst = uses === undefined || uses.firstAt === since;
    entry.uses = isFirst ? { times: 1, firstAt: at } : { ...uses, times: uses.times + 1 };
    setIn(this.#used, area).add(entry);
    return entry.uses;
  }

  async touch(keys: readonly EntryKey[], ttlSeconds: number): Promise<void> {
    for (const [area, name] of keys) {
      const entry = this.#find(area, name);
      if (entry !== undefined) entry.expiresAt = this.#now() + ttlSeconds * 1000;
    }
  }

  async delete(area: Area, name: string): Promise<void> {
    this.#remove(area, name);
  }

  async listGroup(group: string, area: Area): Promise<readonly StoredValue[]> {
    return [...(this.#groups.get(group) ?? [])]
      .filter(entry => entry.area === area)
      .map(entry => readValue(this.#find(area, entry.name)))
      .filter(value => value !== undefined);
  }

  async deleteGroup(group: string): Promise<void> {
    for (const { area, name } of this.#groups.get(group) ?? []) this.#remove(area, name);
  }

  async lock(name: string): Promise<(() => Promise<void>) | undefined> {
    if (this.#locks.has(name)) return undefined;
    const holder = Symbol(name);
    this.#locks.set(name, holder);
    return async () => {
      if (this.#locks.get(name) === holder) this.#locks.delete(name);
    };
  }

  /** Number of entries of an area, including expired ones that were not swept yet. */
  size(area: Area): number {
    return this.#areas.get(area)?.size ?? 0;
  }

  sweep(): void {
    const now = this.#now();
    for (const [area, entries] of this.#areas)
      for (const [name, { expiresAt }] of entries) if (expiresAt <= now) this.#remove(area, name);
  }

  close(): void {
    clearInterval(this.#sweep);
  }

  #getArea(area: Area): Map<string, StoredEntry> {
    let entries = this.#areas.get(area);
    if (entries === undefined) {
      entries = new Map();
      this.#areas.set(area, entries);
    }
    return entries;
  }

  #find(area: Area, name: string): StoredEntry | undefined {
    const entry = this.#areas.get(area)?.get(name);
    if (entry === undefined || entry.expiresAt > this.#now()) return entry;
    this.#remove(area, name);
    return undefined;
  }

  #makeRoom(area: Area, entries: Map<string, StoredEntry>): void {
    if (entries.size < MAX_ENTRIES[area]) return;
    const oldest = takeFirst(this.#used.get(area)) ?? takeFirst(entries.values());
    if (oldest === undefined) return;
    if (area === 'client' && this.#now() - oldest.madeAt < CLIENT_SAFE_MS)
      throw new StoreFullError('too many clients are registered');
    this.#remove(area, oldest.name);
  }

  #remove(area: Area, name: string): void {
    const entries = this.#areas.get(area);
    const entry = entries?.get(name);
    if (entry === undefined) return;
    entries?.delete(name);
    this.#used.get(area)?.delete(entry);
    if (entry.group === undefined) return;
    const members = this.#groups.get(entry.group);
    members?.delete(entry);
    if (members?.size === 0) this.#groups.delete(entry.group);
  }
}

function setIn<K>(sets: Map<K, Set<StoredEntry>>, key: K): Set<StoredEntry> {
  const known = sets.get(key);
  if (known !== undefined) return known;
  const created = new Set<StoredEntry>();
  sets.set(key, created);
  return created;
}

function takeFirst(entries: Iterable<StoredEntry> | undefined): StoredEntry | undefined {
  return entries?.[Symbol.iterator]().next().value;
}

function readValue(entry: StoredEntry | undefined): StoredValue | undefined {
  if (entry === undefined) return undefined;
  const value: StoredValue = JSON.parse(entry.text);
  return entry.uses === undefined ? value : { ...value, consumed: entry.uses.firstAt };
}
