/** The documents that one search reads: those that one caller may see. Their order ranks equal documents. */
export class Selection {
  readonly ids: readonly number[];
  readonly averageLength: number;
  /** Position of each document in the selection, by document id; -1 for documents outside it. */
  readonly #positions: Int32Array;

  constructor(ids: readonly number[], getLength: (id: number) => number) {
    this.ids = ids;
    let sum = 0;
    let last = -1;
    for (const id of ids) {
      sum += getLength(id);
      last = Math.max(last, id);
    }
    this.averageLength = sum / ids.length || 1;
    this.#positions = new Int32Array(last + 1).fill(-1);
    for (let at = 0; at < ids.length; at++) this.#positions[ids[at] as number] = at;
  }

  get size(): number {
    return this.ids.length;
  }

  /** The position of a document in the selection; -1 for one outside it. */
  findPosition(id: number): number {
    return id < this.#positions.length ? (this.#positions[id] as number) : -1;
  }
}
