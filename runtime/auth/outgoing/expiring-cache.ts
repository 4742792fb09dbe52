/** A cache of values that each need a request to obtain and expire individually. Concurrent readers share one request. */
import { LRUCache } from 'lru-cache';

/** A value and its expiry in milliseconds since 1970. A value that has already expired is given to the waiting readers, but not cached. */
export interface Perishable<V> {
  readonly value: V;
  readonly usableUntil: number;
}

/** If a refused value was obtained less than this time ago, it is not replaced; milliseconds. */
const FRESH_MS = 5_000;

interface CachedValue<V> extends Perishable<V> {
  readonly obtainedAt: number;
}

export class ExpiringCache<V> {
  readonly #now: () => number;
  readonly #values: LRUCache<string, CachedValue<V>>;
  readonly #underWay = new Map<string, Promise<V>>();

  /** @param capacity maximum number of values; the least recently used are evicted */
  constructor(capacity: number, now: () => number) {
    this.#values = new LRUCache({ max: capacity });
    this.#now = now;
  }

  get size(): number {
    return this.#values.size;
  }

  /** The value, synchronously when cached. A failure is not cached: the next reader tries again. */
  obtain(key: string, load: () => Promise<Perishable<V>>): V | Promise<V> {
    const entry = this.#values.get(key);
    if (entry !== undefined && this.#now() < entry.usableUntil) return entry.value;
    this.#values.delete(key);
    return this.#underWay.get(key) ?? this.#load(key, load);
  }

  /**
   * Drops a value that a backend refused, unless the value was obtained a moment ago: the backend would refuse a newer value as well.
   * @returns whether the next call of `obtain` gives another value
   */
  renew(key: string, refused: V): boolean {
    const entry = this.#values.peek(key);
    if (entry?.value !== refused) return true;
    if (this.#now() - entry.obtainedAt < FRESH_MS) return false;
    this.#values.delete(key);
    return true;
  }

  clear(): void {
    this.#values.clear();
  }

  #load(key: string, load: () => Promise<Perishable<V>>): Promise<V> {
    const loading = load()
      .then(perishable => {
        this.#keep(key, perishable);
        return perishable.value;
      })
      .finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, loading);
    return loading;
  }

  #keep(key: string, { value, usableUntil }: Perishable<V>): void {
    const now = this.#now();
    this.#dropEnded(now);
    if (now < usableUntil) this.#values.set(key, { value, usableUntil, obtainedAt: now });
  }

  /** Drops expired values from the least recently used end, so that expired credentials do not stay in memory until the cache is full. */
  #dropEnded(now: number): void {
    for (;;) {
      const [oldest] = this.#values.rkeys();
      const entry = oldest === undefined ? undefined : this.#values.peek(oldest);
      if (oldest === undefined || entry === undefined || now < entry.usableUntil) return;
      this.#values.delete(oldest);
    }
  }
}
