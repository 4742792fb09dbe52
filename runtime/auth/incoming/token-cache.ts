import type { Identity } from '../identity.ts';
import type { AcceptedToken, TokenBasis } from './accepted-token.ts';

/** Ceilings on what is remembered: tokens, and characters of all of them and their claims. */
const MAX_TOKENS = 10_000;
const MAX_WEIGHT = 32 * 1024 * 1024;

/**
 * By how many of its last characters a token is looked up, then compared as a whole: the end is of the signature or of chance,
 * so no two tokens share it, and hashing whole tokens would take ten times as long.
 */
const KEY_LENGTH = 32;

interface Entry {
  readonly token: string;
  readonly identity: Identity;
  readonly until: number;
  readonly basis: TokenBasis;
  readonly weight: number;
  /** Asked for since it was last considered for making room. */
  isUsed: boolean;
}

/**
 * Who the tokens that were accepted belong to. Tokens are kept as they are: they are in memory anyway, for whom they are handed
 * in to. Room is made by second chance: what was used lately goes to the end of the queue.
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
    const entry = this.#entries.get(token.slice(-KEY_LENGTH));
    if (entry === undefined || entry.token !== token) return undefined;
    if (now < entry.until && !entry.basis.isWithdrawn) {
      entry.isUsed = true;
      return entry.identity;
    }
    this.#delete(entry);
    return undefined;
  }

  put(token: string, identity: Identity, { until, basis, weight }: Omit<AcceptedToken, 'caller'>): void {
    const earlier = this.#entries.get(token.slice(-KEY_LENGTH));
    if (earlier !== undefined) this.#delete(earlier);
    this.#add({ token, identity, until, basis, weight, isUsed: false });
    this.#makeRoom();
  }

  /** Drops what has expired. */
  sweep(now: number): void {
    for (const entry of this.#entries.values()) {
      if (now >= entry.until || entry.basis.isWithdrawn) this.#delete(entry);
    }
  }

  #makeRoom(): void {
    // What is put at the end comes up again, unused then: the loop ends.
    for (const entry of this.#entries.values()) {
      if (this.#entries.size <= this.#maxTokens && this.#weight <= this.#maxWeight) return;
      this.#delete(entry);
      if (entry.isUsed) {
        entry.isUsed = false;
        this.#add(entry);
      }
    }
  }

  #add(entry: Entry): void {
    this.#entries.set(entry.token.slice(-KEY_LENGTH), entry);
    this.#weight += entry.weight;
  }

  #delete(entry: Entry): void {
    this.#entries.delete(entry.token.slice(-KEY_LENGTH));
    this.#weight -= entry.weight;
  }
}
