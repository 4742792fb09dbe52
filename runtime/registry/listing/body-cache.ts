/** Answers that were given before, as many as fit; those that were asked for longest ago go first. */
import type { Prepared } from './prepared.ts';

/** Of all that is kept, what a single answer may take when it is put in. */
const MAX_SHARE = 1 / 8;

/** Keys that are remembered as having been asked for once. */
const MAX_ASKED = 1_024;

export interface BodyCacheOptions {
  /**
   * Keeps an answer only when it was asked for before: what comes once, as most searches do, would live just long enough to be
   * collected late, and take the place of what comes again.
   */
  readonly waitsForSecond?: boolean;
}

export class BodyCache {
  readonly #maxBytes: number;
  readonly #waits: boolean;
  readonly #asked = new Set<string>();
  readonly #bodies = new Map<string, Prepared>();
  #bytes = 0;

  /** @param maxBytes of all answers with their codings */
  constructor(maxBytes: number, { waitsForSecond = false }: BodyCacheOptions = {}) {
    this.#maxBytes = maxBytes;
    this.#waits = waitsForSecond;
  }

  /** Of all answers with their codings; never above the ceiling. */
  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): Prepared | undefined {
    const body = this.#bodies.get(key);
    if (body !== undefined) {
      this.#bodies.delete(key);
      this.#bodies.set(key, body);
    }
    return body;
  }

  /** Keeps an answer under a key that has none, unless it would drive too much out. */
  set(key: string, body: Prepared): void {
    if (body.size > this.#maxBytes * MAX_SHARE) return;
    if (this.#waits && !this.#wasAsked(key)) return;
    this.#bodies.set(key, body);
    body.onGrowth = bytes => this.#grow(bytes);
    this.#grow(body.size);
  }

  /** Forgets it too: from now on it is kept, or it starts anew. */
  #wasAsked(key: string): boolean {
    if (this.#asked.delete(key)) return true;
    this.#asked.add(key);
    for (const oldest of this.#asked) {
      if (this.#asked.size <= MAX_ASKED) break;
      this.#asked.delete(oldest);
    }
    return false;
  }

  #grow(bytes: number): void {
    this.#bytes += bytes;
    for (const key of this.#bodies.keys()) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#drop(key);
    }
  }

  #drop(key: string): void {
    const body = this.#bodies.get(key);
    if (body === undefined) return;
    this.#bodies.delete(key);
    body.onGrowth = undefined;
    this.#bytes -= body.size;
  }
}
