/** How many vectors get their memory as one block: the table grows by blocks, without copying. */
const BLOCK_ROWS = 512;

/** Unit vectors of one length, each in a row of its own. */
export class VectorTable {
  readonly dimensions: number;
  readonly #blocks: Float32Array[] = [];
  #size = 0;

  constructor(dimensions: number) {
    this.dimensions = dimensions;
  }

  /** The number of used rows. */
  get size(): number {
    return this.#size;
  }

  /**
   * @returns the row: rows count up from 0
   * @throws RangeError for a vector of another length, or one that has no direction (all zeros)
   */
  add(vector: ArrayLike<number>): number {
    return this.#append(this.toUnit(vector));
  }

  /** Copies a row from another table whose vectors have the same length. */
  addFrom(table: VectorTable, row: number): number {
    return this.#append(table.getVector(row));
  }

  /** A view of the row; callers must not change it. */
  getVector(row: number): Float32Array {
    const start = (row % BLOCK_ROWS) * this.dimensions;
    return (this.#blocks[Math.floor(row / BLOCK_ROWS)] as Float32Array).subarray(start, start + this.dimensions);
  }

  /** The dot product of a unit vector with the row. */
  computeSimilarity(unit: Float32Array, row: number): number {
    const block = this.#blocks[Math.floor(row / BLOCK_ROWS)] as Float32Array;
    return computeDot(unit, block, (row % BLOCK_ROWS) * this.dimensions);
  }

  /** @throws RangeError as {@link add} */
  toUnit(vector: ArrayLike<number>): Float32Array {
    if (vector.length !== this.dimensions) {
      throw new RangeError(`an embedding has ${vector.length} numbers where others have ${this.dimensions}`);
    }
    const unit = Float32Array.from(vector);
    const norm = computeNorm(unit);
    if (!isLength(norm)) throw new RangeError('the numbers of an embedding are all zero, or not finite');
    for (let at = 0; at < unit.length; at++) unit[at] = (unit[at] as number) / norm;
    return unit;
  }

  #append(unit: Float32Array): number {
    const row = this.#size++;
    const at = row % BLOCK_ROWS;
    if (at === 0) this.#blocks.push(new Float32Array(BLOCK_ROWS * this.dimensions));
    (this.#blocks.at(-1) as Float32Array).set(unit, at * this.dimensions);
    return row;
  }
}

/** Whether a vector has a direction. A vector of zeros, which models return for texts that they cannot read, has none. */
export function isDirection(vector: ArrayLike<number>): boolean {
  return isLength(computeNorm(Float32Array.from(vector)));
}

function computeNorm(vector: Float32Array): number {
  return Math.sqrt(computeDot(vector, vector, 0));
}

function isLength(norm: number): boolean {
  return norm > 0 && norm < Number.POSITIVE_INFINITY;
}

/** The dot product of two vectors: four sums at a time, which the processor computes in parallel. */
function computeDot(unit: Float32Array, matrix: Float32Array, start: number): number {
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
