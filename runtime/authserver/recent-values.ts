import type { Secret } from '../auth/secrets.ts';

/**
 * How long a value that was removed from its file stays valid, as the last in the list; milliseconds. When values are rotated, the files change
 * one after the other: the first file may have the new value before the second file has the old value.
 */
export const OVERLAP_MS = 30_000;

/** The current values of several secrets without duplicates, followed by values that were removed less than `OVERLAP_MS` ago. */
export class RecentValues {
  readonly #secrets: readonly Secret[];
  readonly #now: () => number;
  /** The last seen value of each secret. */
  #seen: readonly string[] = [];
  #values: readonly string[] = [];
  /** Removed values, with the time until which they stay valid; milliseconds since 1970. */
  readonly #removed = new Map<string, number>();

  /** @param now milliseconds since 1970 */
  constructor(secrets: readonly Secret[], now: () => number = Date.now) {
    this.#secrets = secrets;
    this.#now = now;
  }

  /** The same array until a value is added or removed. */
  get values(): readonly string[] {
    const isSame = this.#secrets.every(({ value }, index) => value === this.#seen[index]);
    if (isSame && this.#removed.size === 0) return this.#values;
    const now = this.#now();
    const seen = this.#secrets.map(({ value }) => value);
    for (const value of this.#seen) if (!seen.includes(value)) this.#removed.set(value, now + OVERLAP_MS);
    for (const [value, until] of this.#removed) if (until <= now || seen.includes(value)) this.#removed.delete(value);
    this.#seen = seen;
    const values = [...new Set([...seen, ...this.#removed.keys()])];
    const isChanged = values.length !== this.#values.length || values.some((value, n) => value !== this.#values[n]);
    if (isChanged) this.#values = values;
    return this.#values;
  }
}
