import { hash } from 'node:crypto';
import type { CedarPrincipal } from '#shared/plan';

/** Limits on the cache: the number of callers, and the number of decisions for all callers together. */
const MAX_CALLERS = 10_000;
const MAX_DECISIONS = 100_000;

/** Cached decisions for one caller, by target. */
export interface CallerDecisions<D = boolean> {
  readonly known: Map<string, D>;
  /** Whether the cache has evicted this object: it stores no new decisions, and the caller needs another object. */
  isForgotten: boolean;
}

/**
 * The cached decisions of one set of policies. They are cached by principal, so a renewed token reuses them if all claims that policies
 * read are the same.
 */
export class Decisions<D = boolean> {
  /** By digest of the principal, oldest first. */
  readonly #callers = new Map<string, CallerDecisions<D>>();
  readonly #maxDecisions: number;
  readonly #maxCallers: number;
  #count = 0;

  constructor(maxDecisions: number = MAX_DECISIONS, maxCallers: number = MAX_CALLERS) {
    this.#maxDecisions = maxDecisions;
    this.#maxCallers = maxCallers;
  }

  /** Number of cached decisions. */
  get size(): number {
    return this.#count;
  }

  get(principal: CedarPrincipal): CallerDecisions<D> {
    // The key is a digest, because claims may be arbitrarily long.
    const key = hash('sha256', JSON.stringify(principal), 'base64url');
    let decisions = this.#callers.get(key);
    if (decisions === undefined) {
      if (this.#callers.size >= this.#maxCallers) this.#forgetOldest();
      decisions = { known: new Map(), isForgotten: false };
      this.#callers.set(key, decisions);
    }
    return decisions;
  }

  remember(decisions: CallerDecisions<D>, about: string, decision: D): void {
    if (decisions.isForgotten) return;
    if (this.#count >= this.#maxDecisions) this.#forgetOldest();
    // If this caller was the oldest in the cache, it has just been evicted.
    if (decisions.isForgotten) return;
    decisions.known.set(copyText(about), decision);
    this.#count++;
  }

  #forgetOldest(): void {
    const [oldest] = this.#callers;
    if (oldest === undefined) return;
    const [key, decisions] = oldest;
    this.#callers.delete(key);
    this.#count -= decisions.known.size;
    decisions.known.clear();
    decisions.isForgotten = true;
  }
}

/** A copy in its own memory: a substring would keep the whole message, perhaps megabytes, in memory. */
function copyText(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
