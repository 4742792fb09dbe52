/** So many at once, and so many in the long run. */
export interface Rate {
  readonly burst: number;
  readonly perSecond: number;
}

interface Level {
  tokens: number;
  at: number;
}

/** A bucket for each key; at most so many, of which the ones that were used last stay. */
export class TokenBuckets {
  readonly #rate: Rate;
  readonly #maxKeys: number;
  readonly #levels = new Map<string, Level>();

  constructor(rate: Rate, maxKeys = 1) {
    this.#rate = rate;
    this.#maxKeys = maxKeys;
  }

  /**
   * Takes one. Gives 0, or else how many seconds to wait for the next: whole ones, at least 1.
   *
   * @param now milliseconds that only ever grow
   */
  take(key: string, now: number): number {
    const { burst, perSecond } = this.#rate;
    const level = this.#levels.get(key) ?? { tokens: burst, at: now };
    const tokens = Math.min(burst, level.tokens + ((now - level.at) / 1000) * perSecond);
    const left = tokens >= 1 ? tokens - 1 : tokens;
    this.#levels.delete(key);
    this.#levels.set(key, { tokens: left, at: now });
    for (const [oldest] of this.#levels) {
      if (this.#levels.size <= this.#maxKeys) break;
      this.#levels.delete(oldest);
    }
    return tokens >= 1 ? 0 : Math.max(1, Math.ceil((1 - tokens) / perSecond));
  }
}
