import type { Identity } from '../identity.ts';
import type { AcceptedToken, TokenBasis } from './accepted-token.ts';

/** Ceilings on what is remembered: tokens, and characters of all of them and their claims. */
const MAX_TOKENS = 10_000;
const MAX_WEIGHT = 32 * 1024 * 1024;

interface Entry {
  readonly identity: Identity;
  readonly until: number;
  readonly basis: TokenBasis;
  readonly weight: number;
  /** Asked for since it was last considered for making room. */
  isUsed: boolean;
}

/**
 * Who the tokens that were accepted belong to. The token itself is the key: it is in memory anyway for whom it is handed in
 * to, and a lookup hashes it once. Room is made by second chance: what was used lately goes to the end of the queue.
 */
export class TokenCache {
  readonly #entries = new Map<string, Entry>();
  readonly #maxTokens: number;
  readonly #maxWeight: number;
  #weight = 0;

  constructor(maxTokens: number = MAX_TOKENS, maxWeight: number = MAX_WEIGHT) {
    this.#maxTokens = maxTokens;
    this.#maxWeight = maxWeight;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** @param now milliseconds since 1970 */
  get(token: string, now: number): Identity | undefined {
    const entry = this.#entries.get(token);
    if (entry === undefined) return undefined;
    if (now < entry.until && !entry.basis.isWithdrawn) {
      entry.isUsed = true;
      return entry.identity;
    }
    this.#delete(token, entry);
    return undefined;
  }

  put(token: string, identity: Identity, { until, basis, weight }: Omit<AcceptedToken, 'caller'>): void {
    const earlier = this.#entries.get(token);
    if (earlier !== undefined) this.#delete(token, earlier);
    this.#entries.set(token, { identity, until, basis, weight, isUsed: false });
    this.#weight += weight;
    this.#makeRoom();
  }

  /** Drops what has expired. */
  sweep(now: number): void {
    for (const [token, entry] of this.#entries) {
      if (now >= entry.until || entry.basis.isWithdrawn) this.#delete(token, entry);
    }
  }

  #makeRoom(): void {
    // What is put at the end comes up again, unused then: the loop ends.
    for (const [token, entry] of this.#entries) {
      if (this.#entries.size <= this.#maxTokens && this.#weight <= this.#maxWeight) return;
      this.#delete(token, entry);
      if (entry.isUsed) {
        entry.isUsed = false;
        this.#entries.set(token, entry);
        this.#weight += entry.weight;
      }
    }
  }

  #delete(token: string, entry: Entry): void {
    this.#entries.delete(token);
    this.#weight -= entry.weight;
  }
}
