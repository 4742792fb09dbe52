/** A store in the memory of the process. Each area has a ceiling; what has expired is swept. */
import { type Area, type Place, type PutOptions, type Store, StoreFullError, type Uses, type Value } from './store.ts';

/** Entries of each area. Where there are as many, the oldest goes; a client only when it is old enough. */
export const CEILINGS: { readonly [area in Area]: number } = {
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
  // As many as a spec can name, with those of former specs.
  'upstream-client': 1_000,
};

/** How long a client is safe from those that register after it; milliseconds. */
export const CLIENT_SAFE_MS = 60 * 60_000;

const SWEEP_MS = 5 * 60_000;

interface Entry {
  readonly area: Area;
  readonly name: string;
  /** Its value as JSON: an object takes twice the memory. */
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
  readonly #areas = new Map<Area, Map<string, Entry>>();
  /** Of few entries each, in lists without room to spare. */
  readonly #groups = new Map<string, readonly Entry[]>();
  readonly #locks = new Map<string, symbol>();
  readonly #sweep: NodeJS.Timeout;

  constructor(now: () => number = Date.now) {
    this.#now = now;
    this.#sweep = setInterval(() => this.sweep(), SWEEP_MS).unref();
  }

  async get(area: Area, name: string): Promise<Value | undefined> {
    return readValue(this.#find(area, name));
  }

  async put(area: Area, name: string, value: Value, { ttlSeconds, group }: PutOptions): Promise<void> {
    const entries = this.#area(area);
    const known = this.#find(area, name);
    if (known === undefined) this.#makeRoom(area, entries);
    else this.#remove(area, name);
    const now = this.#now();
    const expiresAt = ttlSeconds === null ? Number.POSITIVE_INFINITY : now + ttlSeconds * 1000;
    const text = JSON.stringify(value);
    const entry: Entry = { area, name, text, uses: undefined, expiresAt, madeAt: known?.madeAt ?? now, group };
    entries.set(name, entry);
    if (group !== undefined) this.#groups.set(group, [...this.#membersOf(group), entry]);
  }

  async take(area: Area, name: string): Promise<Value | undefined> {
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
    return entry.uses;
  }

  async touch(places: readonly Place[], ttlSeconds: number): Promise<void> {
    for (const [area, name] of places) {
      const entry = this.#find(area, name);
      if (entry !== undefined) entry.expiresAt = this.#now() + ttlSeconds * 1000;
    }
  }

  async delete(area: Area, name: string): Promise<void> {
    this.#remove(area, name);
  }

  async ofGroup(group: string, area: Area): Promise<readonly Value[]> {
    const values = this.#membersOf(group).map(entry =>
      entry.area === area ? readValue(this.#find(area, entry.name)) : undefined,
    );
    return values.filter(value => value !== undefined);
  }

  async deleteGroup(group: string): Promise<void> {
    for (const { area, name } of this.#membersOf(group)) this.#areas.get(area)?.delete(name);
    this.#groups.delete(group);
  }

  async lock(name: string): Promise<(() => Promise<void>) | undefined> {
    if (this.#locks.has(name)) return undefined;
    const holder = Symbol(name);
    this.#locks.set(name, holder);
    return async () => {
      if (this.#locks.get(name) === holder) this.#locks.delete(name);
    };
  }

  /** How many entries an area has, those included that have expired and were not swept yet. */
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

  #area(area: Area): Map<string, Entry> {
    let entries = this.#areas.get(area);
    if (entries === undefined) {
      entries = new Map();
      this.#areas.set(area, entries);
    }
    return entries;
  }

  #membersOf(group: string): readonly Entry[] {
    return this.#groups.get(group) ?? [];
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
    const entry = entries?.get(name);
    entries?.delete(name);
    if (entry?.group === undefined) return;
    const others = this.#membersOf(entry.group).filter(member => member !== entry);
    if (others.length === 0) this.#groups.delete(entry.group);
    else this.#groups.set(entry.group, others);
  }
}

function readValue(entry: Entry | undefined): Value | undefined {
  if (entry === undefined) return undefined;
  const value: Value = JSON.parse(entry.text);
  return entry.uses === undefined ? value : { ...value, consumed: entry.uses.firstAt };
}
