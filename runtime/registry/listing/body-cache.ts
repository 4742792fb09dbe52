/** A cache of answers with a limit on their total size; the least recently requested answers are removed first. */
import { LRUCache } from 'lru-cache';
import type { PreparedResponse } from './prepared.ts';

/** Maximum share of the cache that a single answer may need. */
const MAX_SHARE = 1 / 8;

/** Maximum number of remembered keys of answers that were requested once. */
const MAX_ASKED = 1_024;

export interface BodyCacheOptions {
  /**
   * Stores an answer only at its second request. Most searches are requested only once: their answers would displace answers that are requested
   * repeatedly, and live long enough to burden the garbage collector.
   */
  readonly waitsForSecond?: boolean;
}

export class BodyCache {
  readonly #maxBytes: number;
  readonly #waits: boolean;
  readonly #requestedOnce = new LRUCache<string, true>({ max: MAX_ASKED });
  /** The answers by key. An answer is stored again when it grows, because a client has requested another coding. */
  readonly #bodies: LRUCache<string, { readonly body: PreparedResponse }>;

  /** @param maxBytes limit on the total size of all answers, including their compressed forms */
  constructor(maxBytes: number, { waitsForSecond = false }: BodyCacheOptions = {}) {
    this.#maxBytes = maxBytes;
    this.#waits = waitsForSecond;
    this.#bodies = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ body }) => body.size,
      dispose: ({ body }, _key, reason) => {
        if (reason !== 'set') body.onGrowth = undefined;
      },
    });
  }

  /** The size of all answers, including their compressed forms; never above the limit. */
  get bytes(): number {
    return this.#bodies.calculatedSize;
  }

  get(key: string): PreparedResponse | undefined {
    return this.#bodies.get(key)?.body;
  }

  /** Stores an answer under a new key, unless the answer is too large for the cache. */
  set(key: string, body: PreparedResponse): void {
    if (body.size > this.#maxBytes * MAX_SHARE) return;
    if (this.#waits && !this.#wasAsked(key)) return;
    const keep = () => this.#bodies.set(key, { body });
    body.onGrowth = keep;
    keep();
  }

  /** Whether the answer was requested once before. Forgets that, because the answer is now stored. */
  #wasAsked(key: string): boolean {
    if (this.#requestedOnce.delete(key)) return true;
    this.#requestedOnce.set(key, true);
    return false;
  }
}
