/** Values that cost a request and expire individually; concurrent readers share one request. */
import { LRUCache } from 'lru-cache';

/** A value and its expiry in milliseconds since 1970. A value that expired already serves only the readers that are waiting for it. */
export interface Perishable<V> {
  readonly value: V;
  readonly usableUntil: number;
}

/** A refused value that is newer than this is not requested again; milliseconds. */
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
   * Drops a value that its recipient refused, unless it was obtained a moment ago: a newer value would be refused as well.
   * @returns whether the next request gives another value
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

  /** An expired credential must not stay in memory until it is evicted. */
  #dropEnded(now: number): void {
    for (;;) {
      const [oldest] = this.#values.rkeys();
      const entry = oldest === undefined ? undefined : this.#values.peek(oldest);
      if (oldest === undefined || entry === undefined || now < entry.usableUntil) return;
      this.#values.delete(oldest);
    }
  }
}
