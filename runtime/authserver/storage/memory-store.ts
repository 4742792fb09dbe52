/** A store in the memory of the process. Each area has a ceiling; what has expired is swept. */
import { type Area, type PutOptions, type Store, StoreFullError, type Value } from './store.ts';

/** Entries of each area. Where there are as many, the oldest goes; a client only when it is old enough. */
export const CEILINGS: { readonly [area in Area]: number } = {
  client: 10_000,
  code: 10_000,
  grant: 50_000,
  interaction: 10_000,
  refresh: 100_000,
  pending: 10_000,
  'sign-in': 50_000,
  upstream: 100_000,
};

/** How long a client is safe from those that register after it; milliseconds. */
export const CLIENT_SAFE_MS = 60 * 60_000;

const SWEEP_MS = 5 * 60_000;

interface Entry {
  value: Value;
  /** Milliseconds since 1970. */
  expiresAt: number;
  readonly madeAt: number;
  readonly group: string | undefined;
}

interface Place {
  readonly area: Area;
  readonly name: string;
}

export class MemoryStore implements Store {
  readonly kind = 'memory';
  readonly #now: () => number;
  readonly #areas = new Map<Area, Map<string, Entry>>();
  readonly #groups = new Map<string, Map<string, Place>>();
  readonly #counts = new Map<string, { count: number; readonly expiresAt: number }>();
  readonly #locks = new Set<string>();
  readonly #sweep: NodeJS.Timeout;

  constructor(now: () => number = Date.now) {
    this.#now = now;
    this.#sweep = setInterval(() => this.sweep(), SWEEP_MS).unref();
  }

  async get(area: Area, name: string): Promise<Value | undefined> {
    return this.#find(area, name)?.value;
  }

  async put(area: Area, name: string, value: Value, { ttlSeconds, group }: PutOptions): Promise<void> {
    const entries = this.#area(area);
    const known = this.#find(area, name);
    if (known === undefined) this.#makeRoom(area, entries);
    const now = this.#now();
    const expiresAt = ttlSeconds === null ? Number.POSITIVE_INFINITY : now + ttlSeconds * 1000;
    entries.delete(name);
    entries.set(name, { value, expiresAt, madeAt: known?.madeAt ?? now, group });
    if (group === undefined) return;
    let members = this.#groups.get(group);
    if (members === undefined) {
      members = new Map();
      this.#groups.set(group, members);
    }
    members.set(`${area} ${name}`, { area, name });
  }

  async take(area: Area, name: string): Promise<Value | undefined> {
    const value = this.#find(area, name)?.value;
    this.#remove(area, name);
    return value;
  }

  async consume(area: Area, name: string, at: number): Promise<boolean> {
    const entry = this.#find(area, name);
    if (entry === undefined || entry.value.consumed !== undefined) return false;
    entry.value = { ...entry.value, consumed: at };
    return true;
  }

  async count(name: string, ttlSeconds: number): Promise<number> {
    const known = this.#counts.get(name);
    const now = this.#now();
    if (known !== undefined && known.expiresAt > now) return ++known.count;
    this.#counts.set(name, { count: 1, expiresAt: now + ttlSeconds * 1000 });
    return 1;
  }

  async touch(area: Area, name: string, ttlSeconds: number): Promise<void> {
    const entry = this.#find(area, name);
    if (entry !== undefined) entry.expiresAt = this.#now() + ttlSeconds * 1000;
  }

  async delete(area: Area, name: string): Promise<void> {
    this.#remove(area, name);
  }

  async deleteGroup(group: string): Promise<void> {
    for (const { area, name } of [...(this.#groups.get(group)?.values() ?? [])]) this.#remove(area, name);
    this.#groups.delete(group);
  }

  async lock(name: string): Promise<(() => Promise<void>) | undefined> {
    if (this.#locks.has(name)) return undefined;
    this.#locks.add(name);
    return async () => void this.#locks.delete(name);
  }

  /** How many entries an area has, those included that have expired and were not swept yet. */
  size(area: Area): number {
    return this.#areas.get(area)?.size ?? 0;
  }

  sweep(): void {
    const now = this.#now();
    for (const [area, entries] of this.#areas)
      for (const [name, { expiresAt }] of entries) if (expiresAt <= now) this.#remove(area, name);
    for (const [name, { expiresAt }] of this.#counts) if (expiresAt <= now) this.#counts.delete(name);
  }

  close(): void {
    clearInterval(this.#sweep);
  }

  #area(area: Area): Map<string, Entry> {
    let entries = this.#areas.get(area);
    if (entries === undefined) {
      entries = new Map();
      this.#areas.set(area, entries);
    }
    return entries;
  }

  #find(area: Area, name: string): Entry | undefined {
    const entry = this.#areas.get(area)?.get(name);
    if (entry === undefined || entry.expiresAt > this.#now()) return entry;
    this.#remove(area, name);
    return undefined;
  }

  #makeRoom(area: Area, entries: Map<string, Entry>): void {
    if (entries.size < CEILINGS[area]) return;
    const oldest = entries.entries().next().value;
    if (oldest === undefined) return;
    const [name, { madeAt }] = oldest;
    if (area === 'client' && this.#now() - madeAt < CLIENT_SAFE_MS)
      throw new StoreFullError('there are too many clients');
    this.#remove(area, name);
  }

  #remove(area: Area, name: string): void {
    const entries = this.#areas.get(area);
    const group = entries?.get(name)?.group;
    entries?.delete(name);
    if (group === undefined) return;
    const members = this.#groups.get(group);
    members?.delete(`${area} ${name}`);
    if (members?.size === 0) this.#groups.delete(group);
  }
}
