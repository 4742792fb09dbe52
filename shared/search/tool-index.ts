import { fuse } from './fuse.ts';
import { KeywordIndex } from './keyword-index.ts';
import { queryTerms, type ToolQuery } from './query.ts';
import type { Hit } from './ranking.ts';
import { Selection } from './selection.ts';
import { extractFields, type ToolDefinition } from './tool-text.ts';
import { type PlacedVectors, VectorSearch } from './vector-search.ts';
import { VectorTable } from './vector-table.ts';

export interface SearchSettings {
  /** Maximum number of hits that a search returns. */
  readonly maxTools: number;
  /** Weight of meaning against keywords, from 0 (keywords only) to 1 (meaning only). */
  readonly semanticRatio: number;
  /** Largest cosine distance of a hit by meaning. */
  readonly distanceThreshold: number;
}

/** How many hits each of the two searches contributes to the merged list, in addition to the number of hits that are returned. */
const FUSED_RANKS = 50;

/**
 * Finds tools by keywords and, where they are embedded, by meaning. Tools are only added: each search runs on a selection of them, and its
 * result does not depend on the other tools.
 */
export class ToolIndex {
  readonly #keywords = new KeywordIndex();
  #vectors: { readonly table: VectorTable; readonly rows: number[] } | undefined;

  get size(): number {
    return this.#keywords.size;
  }

  /** @returns the tool's id: ids count up from 0 */
  add(tool: ToolDefinition): number {
    return this.#keywords.add(extractFields(tool));
  }

  /** @throws RangeError for an embedding of another length than earlier ones, or one that has no direction (all zeros) */
  embed(id: number, vector: ArrayLike<number>): void {
    if (this.#vectors === undefined) this.useVectors(new VectorTable(vector.length));
    this.assignRow(id, (this.#vectors as unknown as PlacedVectors).table.add(vector));
  }

  /** Searches the vectors of this table from now on; a tool counts as embedded once it is placed. Running searches keep the previous table. */
  useVectors(table: VectorTable): void {
    this.#vectors = { table, rows: [] };
  }

  /** Sets the table row that holds a tool's embedding. */
  assignRow(id: number, row: number): void {
    const rows = this.#vectors?.rows ?? [];
    // Fills gaps, because V8 stores an array with many gaps in a slower form.
    while (rows.length <= id) rows.push(-1);
    rows[id] = row;
  }

  /** Tools of a selection that are embedded. */
  countEmbedded({ ids }: Selection): number {
    const rows = this.#vectors?.rows ?? [];
    return ids.reduce((count, id) => ((rows[id] ?? -1) < 0 ? count : count + 1), 0);
  }

  /** Selects the tools to search, in the order that ranks equal ones. */
  select(ids: readonly number[]): Selection {
    return new Selection(ids, id => this.#keywords.getLength(id));
  }

  /**
   * Begins a search.
   *
   * @param vector embedding of the description; without one, only keywords are searched, for any ratio
   * @throws RangeError for an embedding whose length differs from that of the tools
   */
  search(query: ToolQuery, selection: Selection, settings: SearchSettings, vector?: ArrayLike<number>): ToolSearch {
    const vectors = settings.semanticRatio > 0 ? this.#vectors : undefined;
    const depth = settings.maxTools + FUSED_RANKS;
    const semantic =
      vector === undefined || vectors === undefined
        ? undefined
        : new VectorSearch(vectors, vector, selection, settings.distanceThreshold, depth);
    const ratio = semantic === undefined ? 0 : settings.semanticRatio;
    const byKeywords = () => (ratio === 1 ? [] : this.#keywords.find(queryTerms(query), selection, depth));
    return new ToolSearch(semantic, hits => fuse(byKeywords(), hits, ratio, settings.maxTools));
  }
}

/** A search in parts: call `step` until it is done, then read `hits`. A keyword search is done at once. */
export class ToolSearch {
  readonly #semantic: VectorSearch | undefined;
  readonly #fuse: (semantic: readonly Hit[]) => readonly Hit[];

  constructor(semantic: VectorSearch | undefined, fuseWith: (semantic: readonly Hit[]) => readonly Hit[]) {
    this.#semantic = semantic;
    this.#fuse = fuseWith;
  }

  get isDone(): boolean {
    return this.#semantic?.isDone ?? true;
  }

  /** Compares this many more tools. */
  step(count: number): void {
    this.#semantic?.step(count);
  }

  /** The hits, best first. */
  listHits(): readonly Hit[] {
    return this.#fuse(this.#semantic?.listHits() ?? []);
  }
}
