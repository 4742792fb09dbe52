type Vector = ArrayLike<number>;

/** Descriptions whose vectors are remembered: agents ask for the same again. */
const MAX_QUERIES = 256;

/** Vectors of what people look for, in memory only. Who asks for the same at the same time waits for the same request. */
export class QueryVectors {
  readonly #vectors = new Map<string, Promise<Vector | undefined>>();

  /** @param embed is not remembered where it fails, or gives undefined */
  of(text: string, embed: () => Promise<Vector | undefined>): Promise<Vector | undefined> {
    const known = this.#vectors.get(text);
    const vector = known ?? embed();
    // The one that was asked for longest ago gives way.
    this.#vectors.delete(text);
    this.#vectors.set(text, vector);
    if (known !== undefined) return known;
    const [oldest] = this.#vectors.keys();
    if (this.#vectors.size > MAX_QUERIES && oldest !== undefined) this.#vectors.delete(oldest);
    const forget = () => {
      if (this.#vectors.get(text) === vector) this.#vectors.delete(text);
    };
    vector.then(found => found ?? forget(), forget);
    return vector;
  }

  clear(): void {
    this.#vectors.clear();
  }
}
