import { LRUCache } from 'lru-cache';

type Vector = ArrayLike<number>;

/** Descriptions whose vectors are remembered: agents ask for the same again. */
const MAX_QUERIES = 256;

/** Vectors of what people look for, in memory only. Who asks for the same at the same time waits for the same request. */
export class QueryVectors {
  readonly #vectors = new LRUCache<string, Promise<Vector | undefined>>({ max: MAX_QUERIES });

  /** @param embed is not remembered where it fails, or gives undefined */
  of(text: string, embed: () => Promise<Vector | undefined>): Promise<Vector | undefined> {
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
