/** Answers that were given before, as many as fit; those that were asked for longest ago go first. */
import type { Prepared } from './prepared.ts';

/** Of all that is kept, what a single answer may take when it is put in. */
const MAX_SHARE = 1 / 8;

export class BodyCache {
  readonly #maxBytes: number;
  readonly #bodies = new Map<string, Prepared>();
  #bytes = 0;

  /** @param maxBytes of all answers with their codings */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
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
    this.#bodies.set(key, body);
    body.onGrowth = bytes => this.#grow(bytes);
    this.#grow(body.size);
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
