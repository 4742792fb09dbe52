import { LRUCache } from 'lru-cache';

type Vector = ArrayLike<number>;

/** The number of remembered descriptions with their vectors, because agents repeat them. */
const MAX_QUERIES = 256;

/** Vectors of agents' descriptions, in memory only. Concurrent searches with the same description share one request. */
export class QueryVectors {
  readonly #vectors = new LRUCache<string, Promise<Vector | undefined>>({ max: MAX_QUERIES });

  /** @param embed its result is not remembered when it fails or is undefined */
  getOrEmbed(text: string, embed: () => Promise<Vector | undefined>): Promise<Vector | undefined> {
    const known = this.#vectors.get(text);
    if (known !== undefined) return known;
    const vector = embed();
    this.#vectors.set(text, vector);
    const forget = () => {
      if (this.#vectors.peek(text) === vector) this.#vectors.delete(text);
    };
    vector.then(found => found ?? forget(), forget);
    return vector;
  }

  clear(): void {
    this.#vectors.clear();
  }
}
