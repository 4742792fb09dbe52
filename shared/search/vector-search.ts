import { type Hit, Ranking } from './ranking.ts';
import type { Selection } from './selection.ts';
import type { VectorTable } from './vector-table.ts';

/** The table rows of documents. A document may have none. */
export interface PlacedVectors {
  readonly table: VectorTable;
  /** Row of each document in the vector table, by document id; -1 or absent if it has no vector. */
  readonly rows: readonly number[];
}

/** A search by meaning. Its time grows with the number of documents, so a server with other requests runs it in parts. */
export class VectorSearch {
  readonly #vectors: PlacedVectors;
  readonly #unit: Float32Array;
  readonly #selection: Selection;
  readonly #threshold: number;
  readonly #ranking: Ranking;
  #next = 0;

  /**
   * @param threshold largest cosine distance of a hit, from 0 (same) to 2
   * @throws RangeError for a query of another length than the vectors
   */
  constructor(
    vectors: PlacedVectors,
    query: ArrayLike<number>,
    selection: Selection,
    threshold: number,
    limit: number,
  ) {
    this.#vectors = vectors;
    this.#unit = vectors.table.toUnit(query);
    this.#selection = selection;
    this.#threshold = threshold;
    this.#ranking = new Ranking(limit);
  }

  get isDone(): boolean {
    return this.#next >= this.#selection.size;
  }

  /** Compares this many more documents. */
  step(count: number): void {
    const { table, rows } = this.#vectors;
    const end = Math.min(this.#next + count, this.#selection.size);
    for (; this.#next < end; this.#next++) {
      const row = rows[this.#selection.ids[this.#next] as number] ?? -1;
      if (row < 0) continue;
      const similarity = table.computeSimilarity(this.#unit, row);
      if (1 - similarity <= this.#threshold) this.#ranking.add(this.#next, similarity);
    }
  }

  /** The hits, nearest first. */
  listHits(): readonly Hit[] {
    return this.#ranking.listHits();
  }
}
