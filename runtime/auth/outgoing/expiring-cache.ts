/** Values that cost a request and expire at a time of their own; concurrent readers wait for the same request. */
import { LRUCache } from 'lru-cache';

/** A value and how long it may be handed out; milliseconds since 1970. In the past: for those who wait for it now, only. */
export interface Perishable<V> {
  readonly value: V;
  readonly usableUntil: number;
}

/** A value that came so recently is not asked for again because it was refused; milliseconds. */
const FRESH_MS = 5_000;

interface Entry<V> extends Perishable<V> {
  readonly obtainedAt: number;
}

export class ExpiringCache<V> {
  readonly #now: () => number;
  readonly #kept: LRUCache<string, Entry<V>>;
  readonly #underWay = new Map<string, Promise<V>>();

  /** @param capacity how many values are kept; those used least recently make room */
  constructor(capacity: number, now: () => number) {
    this.#kept = new LRUCache({ max: capacity });
    this.#now = now;
  }

  get size(): number {
    return this.#kept.size;
  }

  /** The value, at once where one is cached. A failure is not cached: the next reader tries again. */
  obtain(key: string, load: () => Promise<Perishable<V>>): V | Promise<V> {
    const entry = this.#kept.get(key);
    if (entry !== undefined && this.#now() < entry.usableUntil) return entry.value;
    this.#kept.delete(key);
    return this.#underWay.get(key) ?? this.#load(key, load);
  }

  /**
   * Forgets a value that was refused where it was used, unless it came a moment ago: another one would fare no better.
   *
   * @returns whether asking again gives another value
   */
  renew(key: string, refused: V): boolean {
    const entry = this.#kept.peek(key);
    if (entry?.value !== refused) return true;
    if (this.#now() - entry.obtainedAt < FRESH_MS) return false;
    this.#kept.delete(key);
    return true;
  }

  clear(): void {
    this.#kept.clear();
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
    if (now < usableUntil) this.#kept.set(key, { value, usableUntil, obtainedAt: now });
  }

  /** A credential that has ended does not stay in memory until others need its room. */
  #dropEnded(now: number): void {
    for (;;) {
      const [oldest] = this.#kept.rkeys();
      const entry = oldest === undefined ? undefined : this.#kept.peek(oldest);
      if (oldest === undefined || entry === undefined || now < entry.usableUntil) return;
      this.#kept.delete(oldest);
    }
  }
}
