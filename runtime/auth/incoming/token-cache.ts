import { LRUCache } from 'lru-cache';
import type { Identity } from '../identity.ts';
import type { AcceptedToken, TokenBasis } from './accepted-token.ts';

/** Limits on what is remembered: tokens, and characters of all of them and their claims. */
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
}

/** Who the tokens that were accepted belong to. Tokens are kept in plain text: they are in memory anyway, to be sent to backends that want them. */
export class TokenCache {
  readonly #entries: LRUCache<string, Entry>;

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

  /** Drops what has expired. */
  sweep(now: number): void {
    for (const [key, entry] of this.#entries.entries()) if (!isGood(entry, now)) this.#entries.delete(key);
  }
}

function computeKey(token: string): string {
  return token.slice(-KEY_LENGTH);
}

function isGood({ until, basis }: Entry, now: number): boolean {
  return now < until && !basis.isWithdrawn;
}
