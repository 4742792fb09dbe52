import { fuse } from './fuse.ts';
import { KeywordIndex } from './keyword-index.ts';
import { queryTerms, type ToolQuery } from './query.ts';
import type { Hit } from './ranking.ts';
import { Selection } from './selection.ts';
import { extractFields, type ToolDefinition } from './tool-text.ts';
import { type PlacedVectors, VectorSearch } from './vector-search.ts';
import { VectorTable } from './vector-table.ts';

export interface SearchSettings {
  /** Hits that a search returns at most. */
  readonly maxTools: number;
  /** Weight of meaning against keywords, from 0 (keywords only) to 1 (meaning only). */
  readonly semanticRatio: number;
  /** Largest cosine distance of a hit by meaning. */
  readonly distanceThreshold: number;
}

/** Ranks of each way of searching that have a say in what comes out, beyond those that are returned. */
const FUSED_RANKS = 50;

/**
 * Finds tools by words and, where they are embedded, by meaning. Tools are only ever added: what is searched is a selection of them, and
 * gives the same for any other contents of the index.
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

  /** @throws RangeError for an embedding of another length than earlier ones, or one that is no direction */
  embed(id: number, vector: ArrayLike<number>): void {
    if (this.#vectors === undefined) this.useVectors(new VectorTable(vector.length));
    this.place(id, (this.#vectors as unknown as PlacedVectors).table.add(vector));
  }

  /** Searches the vectors of this table from now on: no tool is embedded until it is placed. Searches that go on have the former one. */
  useVectors(table: VectorTable): void {
    this.#vectors = { table, rows: [] };
  }

  /** Says which row of the table is a tool's embedding. */
  place(id: number, row: number): void {
    const rows = this.#vectors?.rows ?? [];
    // Without a gap: an array with many is a slow one.
    while (rows.length <= id) rows.push(-1);
    rows[id] = row;
  }

  /** Tools of a selection that are embedded. */
  embeddedCount({ ids }: Selection): number {
    const rows = this.#vectors?.rows ?? [];
    return ids.reduce((count, id) => ((rows[id] ?? -1) < 0 ? count : count + 1), 0);
  }

  /** Tools to search among, in the order in which equals are ranked. */
  select(ids: readonly number[]): Selection {
    return new Selection(ids, id => this.#keywords.getLength(id));
  }

  /**
   * Begins a search.
   *
   * @param vector embedding of the description; without it keywords alone decide, for any ratio
   * @throws RangeError for an embedding of another length than those of the tools
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

/** A search in parts: `step` until it is done, then `hits`. One by keywords is done at once. */
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

  /** Looks at so many further tools. */
  step(count: number): void {
    this.#semantic?.step(count);
  }

  /** The best first. */
  hits(): readonly Hit[] {
    return this.#fuse(this.#semantic?.hits() ?? []);
  }
}
