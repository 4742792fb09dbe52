import { createHash } from 'node:crypto';
import { VectorTable } from '#shared/search';
import type { StoredVectors, VectorOrigin } from './vector-file.ts';

/** Vectors of texts, all of one model; when the model changes, all of them are replaced. */
export class EmbeddedTexts {
  readonly #maxBytes: number;
  #origin: VectorOrigin | undefined;
  #table: VectorTable | undefined;
  #rows = new Map<string, number>();

  /** @param maxBytes of all vectors together */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The vectors; undefined until there is one. */
  get table(): VectorTable | undefined {
    return this.#table;
  }

  get size(): number {
    return this.#rows.size;
  }

  get dimensions(): number | undefined {
    return this.#table?.dimensions;
  }

  /** Whether there is no room for another vector. */
  get isFull(): boolean {
    const { size = 0, dimensions = 0 } = this.#table ?? {};
    return (size + 1) * dimensions * Float32Array.BYTES_PER_ELEMENT > this.#maxBytes;
  }

  findRow(key: string): number | undefined {
    return this.#rows.get(key);
  }

  /** The data to store; undefined while there is none. */
  get stored(): StoredVectors | undefined {
    const table = this.#table;
    return this.#origin === undefined || table === undefined
      ? undefined
      : { origin: this.#origin, table, rows: this.#rows };
  }

  /** Replaces all vectors by stored ones. */
  restore({ origin, table, rows }: StoredVectors): void {
    this.#origin = origin;
    this.#table = table;
    this.#rows = new Map(rows);
  }

  /**
   * Sets the model of the vectors that follow.
   * @returns whether the vectors so far were of another model, and are removed
   */
  become(origin: VectorOrigin): boolean {
    const isSame = this.#origin?.provider === origin.provider && this.#origin.model === origin.model;
    if (isSame) return false;
    const hadAny = this.#table !== undefined;
    this.#origin = origin;
    this.forget();
    return hadAny;
  }

  /** Removes all vectors. */
  forget(): void {
    this.#table = undefined;
    this.#rows = new Map();
  }

  /**
   * Adds the vector of a text.
   * @returns the row, and whether it is the first one of a new table, because the former table had vectors of another length
   * @throws RangeError for a vector without a direction
   */
  add(key: string, vector: ArrayLike<number>): { readonly row: number; readonly isNewTable: boolean } {
    const before = this.#table?.dimensions === vector.length ? this.#table : undefined;
    const table = before ?? new VectorTable(vector.length);
    const row = table.add(vector);
    const isNewTable = before === undefined;
    if (isNewTable) {
      this.#table = table;
      this.#rows = new Map();
    }
    this.#rows.set(key, row);
    return { row, isNewTable };
  }

  /** Removes all texts except these, and their rows: this creates another table. */
  keepOnly(keys: Iterable<string>): void {
    const before = this.#table;
    if (before === undefined) return;
    const table = new VectorTable(before.dimensions);
    const rows = new Map<string, number>();
    for (const key of keys) {
      const row = this.#rows.get(key);
      if (row !== undefined && !rows.has(key)) rows.set(key, table.addFrom(before, row));
    }
    this.#table = table;
    this.#rows = rows;
  }
}

/** The key of a text. */
export function digestText(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
