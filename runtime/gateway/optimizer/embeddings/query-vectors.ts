import { LRUCache } from 'lru-cache';

type Vector = ArrayLike<number>;

/** Maximum number of descriptions that are remembered with their vectors, because agents repeat descriptions. */
const MAX_QUERIES = 256;

/** Vectors of agents' descriptions, in memory only. Concurrent searches with the same description share one request. */
export class QueryVectors {
  readonly #vectors = new LRUCache<string, Promise<Vector | undefined>>({ max: MAX_QUERIES });

  /** @param embed its result is not remembered if it is undefined or an error */
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
