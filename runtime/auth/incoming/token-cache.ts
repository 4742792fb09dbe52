import { LRUCache } from 'lru-cache';
import type { Identity } from '../identity.ts';
import type { AcceptedToken, TokenBasis } from './accepted-token.ts';

/** Limits on the cache: the number of tokens, and the number of characters of all tokens and their claims. */
const MAX_TOKENS = 10_000;
const MAX_WEIGHT = 32 * 1024 * 1024;

/**
 * Number of trailing characters used as the lookup key; the whole token is then compared. The end of a token is random, so no two tokens share
 * it, and hashing whole tokens would take ten times as long.
 */
const KEY_LENGTH = 32;

interface CachedToken {
  readonly token: string;
  readonly identity: Identity;
  readonly until: number;
  readonly basis: TokenBasis;
  readonly weight: number;
}

/** The callers of accepted tokens. Tokens are stored in plain text, because they are in memory anyway for backends that need them. */
export class TokenCache {
  readonly #entries: LRUCache<string, CachedToken>;

  constructor(maxTokens: number = MAX_TOKENS, maxWeight: number = MAX_WEIGHT) {
    this.#entries = new LRUCache({ max: maxTokens, maxSize: maxWeight, sizeCalculation: ({ weight }) => weight });
  }

  get size(): number {
    return this.#entries.size;
  }

  /** @param now milliseconds since 1970 */
  get(token: string, now: number): Identity | undefined {
    const key = computeKey(token);
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.token !== token) return undefined;
    if (isGood(entry, now)) return entry.identity;
    this.#entries.delete(key);
    return undefined;
  }

  put(token: string, identity: Identity, { until, basis, weight }: Omit<AcceptedToken, 'caller'>): void {
    this.#entries.set(computeKey(token), { token, identity, until, basis, weight });
  }

  /** Removes expired entries. */
  sweep(now: number): void {
    for (const [key, entry] of this.#entries.entries()) if (!isGood(entry, now)) this.#entries.delete(key);
  }
}

function computeKey(token: string): string {
  return token.slice(-KEY_LENGTH);
}

function isGood({ until, basis }: CachedToken, now: number): boolean {
  return now < until && !basis.isWithdrawn;
}
