import { type Hit, Ranking } from './ranking.ts';
import type { Selection } from './selection.ts';

/** Rows that the matrix has room for at first. */
const FIRST_ROWS = 256;

/** Embeddings of documents, all of one length. Documents may have none. */
export class VectorIndex {
  readonly dimensions: number;
  #matrix: Float32Array;
  /** The row of a document by its id; -1 for none. */
  readonly #rows: number[] = [];
  #rowCount = 0;

  constructor(dimensions: number) {
    this.dimensions = dimensions;
    this.#matrix = new Float32Array(FIRST_ROWS * dimensions);
  }

  has(id: number): boolean {
    return (this.#rows[id] ?? -1) >= 0;
  }

  /** @throws RangeError for a vector of another length */
  set(id: number, vector: ArrayLike<number>): void {
    const unit = this.unitOf(vector);
    while (this.#rows.length <= id) this.#rows.push(-1);
    let row = this.#rows[id] as number;
    if (row < 0) {
      row = this.#rowCount++;
      this.#rows[id] = row;
      this.#makeRoom();
    }
    this.#matrix.set(unit, row * this.dimensions);
  }

  /**
   * A search by meaning, which takes as long as there are documents: those who have others to serve do it in parts.
   *
   * @param threshold largest cosine distance of a hit, from 0 (same) to 2
   * @throws RangeError for a vector of another length
   */
  search(query: ArrayLike<number>, selection: Selection, threshold: number, limit: number): VectorSearch {
    return new VectorSearch(this, this.unitOf(query), selection, threshold, new Ranking(limit));
  }

  /** The dot product with a document's vector; undefined for a document that has none. */
  similarity(unit: Float32Array, id: number): number | undefined {
    const row = this.#rows[id] ?? -1;
    return row < 0 ? undefined : dot(unit, this.#matrix, row * this.dimensions);
  }

  unitOf(vector: ArrayLike<number>): Float32Array {
    if (vector.length !== this.dimensions) {
      throw new RangeError(`an embedding has ${vector.length} numbers where others have ${this.dimensions}`);
    }
    const unit = Float32Array.from(vector);
    const norm = Math.sqrt(dot(unit, unit, 0)) || 1;
    for (let at = 0; at < unit.length; at++) unit[at] = (unit[at] as number) / norm;
    return unit;
  }

  #makeRoom(): void {
    if (this.#rowCount * this.dimensions <= this.#matrix.length) return;
    const larger = new Float32Array(this.#matrix.length * 2);
    larger.set(this.#matrix);
    this.#matrix = larger;
  }
}

export class VectorSearch {
  readonly #index: VectorIndex;
  readonly #unit: Float32Array;
  readonly #selection: Selection;
  readonly #threshold: number;
  readonly #ranking: Ranking;
  #next = 0;

  constructor(index: VectorIndex, unit: Float32Array, selection: Selection, threshold: number, ranking: Ranking) {
    this.#index = index;
    this.#unit = unit;
    this.#selection = selection;
    this.#threshold = threshold;
    this.#ranking = ranking;
  }

  get isDone(): boolean {
    return this.#next >= this.#selection.size;
  }

  /** Looks at so many further documents. */
  step(count: number): void {
    const end = Math.min(this.#next + count, this.#selection.size);
    for (; this.#next < end; this.#next++) {
      const similarity = this.#index.similarity(this.#unit, this.#selection.ids[this.#next] as number);
      if (similarity !== undefined && 1 - similarity <= this.#threshold) this.#ranking.add(this.#next, similarity);
    }
  }

  /** The nearest first. */
  hits(): readonly Hit[] {
    return this.#ranking.hits();
  }
}

/** Four sums at a time, which the processor does at once. */
function dot(unit: Float32Array, matrix: Float32Array, start: number): number {
  const { length } = unit;
  const whole = length - (length % 4);
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  for (let at = 0; at < whole; at += 4) {
    const from = start + at;
    a += (unit[at] as number) * (matrix[from] as number);
    b += (unit[at + 1] as number) * (matrix[from + 1] as number);
    c += (unit[at + 2] as number) * (matrix[from + 2] as number);
    d += (unit[at + 3] as number) * (matrix[from + 3] as number);
  }
  for (let at = whole; at < length; at++) a += (unit[at] as number) * (matrix[start + at] as number);
  return a + b + c + d;
}
