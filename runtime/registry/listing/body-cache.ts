/** A cache of answers, as many as fit; the least recently requested ones are removed first. */
import { LRUCache } from 'lru-cache';
import type { PreparedResponse } from './prepared.ts';

/** The maximum share of the cache for a single response when it is stored. */
const MAX_SHARE = 1 / 8;

/** Remembered keys of answers that were requested once. */
const MAX_ASKED = 1_024;

export interface BodyCacheOptions {
  /**
   * Stores an answer only on the second request: answers that are requested once, as most searches are, would live just long enough to be
   * collected late, and displace repeated ones.
   */
  readonly waitsForSecond?: boolean;
}

export class BodyCache {
  readonly #maxBytes: number;
  readonly #waits: boolean;
  readonly #requestedOnce = new LRUCache<string, true>({ max: MAX_ASKED });
  /** An entry for each size of a body, which grows when another coding is requested. */
  readonly #bodies: LRUCache<string, { readonly body: PreparedResponse }>;

  /** @param maxBytes of all answers with their codings */
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

  /** The size of all responses with their encodings; never above the limit. */
  get bytes(): number {
    return this.#bodies.calculatedSize;
  }

  get(key: string): PreparedResponse | undefined {
    return this.#bodies.get(key)?.body;
  }

  /** Stores an answer under a new key, unless it would displace too many others. */
  set(key: string, body: PreparedResponse): void {
    if (body.size > this.#maxBytes * MAX_SHARE) return;
    if (this.#waits && !this.#wasAsked(key)) return;
    const keep = () => this.#bodies.set(key, { body });
    body.onGrowth = keep;
    keep();
  }

  /** Whether the answer was requested before. Removes that record, because the answer is stored now. */
  #wasAsked(key: string): boolean {
    if (this.#requestedOnce.delete(key)) return true;
    this.#requestedOnce.set(key, true);
    return false;
  }
}
