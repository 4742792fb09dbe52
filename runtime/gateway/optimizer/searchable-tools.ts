import {
  estimateTokens,
  type Selection,
  type ToolDefinition,
  ToolIndex,
  toEmbeddedText,
  type VectorTable,
} from '#shared/search';
import type { PreparedItem, PreparedList } from '../offers/prepared-list.ts';
import type { CooperativeScheduler } from '../scheduling/cooperative-scheduler.ts';
import { digestText } from './embeddings/embedded-texts.ts';
import type { Embedder, EmbedderListener } from './embeddings/embedder.ts';

/** Tools that are read at a time; other work runs after about as many milliseconds. */
const AT_A_TIME = 10;

/** Definitions that the index may contain beyond twice those of a list before it is rebuilt. */
const MAX_FORMER = 20_000;

/** A searchable list. */
export interface SearchableList {
  readonly index: ToolIndex;
  /** The tools of the list, in the order of the list. */
  readonly selection: Selection;
  readonly items: readonly PreparedItem[];
  /** The tokens of the definitions, in each of their two forms. */
  readonly tokens: { readonly stateless: number; readonly sessions: number };
}

/**
 * The index of the tools of all callers. Definitions are identified by their text: a definition that several callers have is in the index once, and a
 * changed list costs only its changes.
 */
export class SearchableTools implements EmbedderListener {
  readonly #slices: CooperativeScheduler;
  #index = new ToolIndex();
  /** Document ids, by the text of the definition. */
  #ids = new Map<string, number>();
  #lists = new WeakMap<PreparedList, Promise<SearchableList>>();
  #embedder: Embedder | undefined;
  /** The key of each tool's embedded text, by the tool's id; empty without embeddings. */
  #keys: string[] = [];
  /** Ids of tools that wait for the vector of a text, by the key of the text. */
  #waiting = new Map<string, number[]>();

  constructor(scheduler: CooperativeScheduler) {
    this.#slices = scheduler;
  }

  /** Definitions that are in the index. */
  get size(): number {
    return this.#ids.size;
  }

  /** Sets the source of vectors for the next searches; undefined for none. */
  embedBy(embedder: Embedder | undefined): void {
    if (embedder === this.#embedder) return;
    if (this.#embedder !== undefined) this.#embedder.listener = undefined;
    this.#embedder = embedder;
    this.#keys = [];
    if (embedder === undefined) return;
    embedder.listener = this;
    this.replaced(embedder.table);
  }

  /** Indexes the items of a list that are not in the index yet, a few at a time. */
  get(list: PreparedList): Promise<SearchableList> {
    let reading = this.#lists.get(list);
    if (reading === undefined) {
      this.#makeRoom(list);
      reading = this.#read(list);
      this.#lists.set(list, reading);
      reading.catch(() => this.#lists.delete(list));
    }
    return reading;
  }

  embedded(key: string, row: number): void {
    for (const id of this.#waiting.get(key) ?? []) this.#index.assignRow(id, row);
    this.#waiting.delete(key);
  }

  replaced(table: VectorTable | undefined): void {
    this.#waiting.clear();
    if (table !== undefined) this.#index.useVectors(table);
    void this.#placeAll(table);
  }

  keysInUse(): Iterable<string> {
    return this.#keys;
  }

  async #read({ items }: PreparedList): Promise<SearchableList> {
    const index = this.#index;
    const known = this.#ids;
    const ids: number[] = [];
    const tokens = { stateless: 0, sessions: 0 };
    for (let start = 0; start < items.length; start += AT_A_TIME) {
      await this.#slices.run(this, () => {
        for (const { json, sessionJson } of items.slice(start, start + AT_A_TIME)) {
          let id = known.get(json);
          if (id === undefined) {
            const definition = JSON.parse(json) as ToolDefinition;
            id = index.add(definition);
            known.set(json, id);
            if (index === this.#index) this.#embed(id, definition);
          }
          ids.push(id);
          const own = estimateTokens(json);
          tokens.stateless += own;
          tokens.sessions += sessionJson === undefined ? own : estimateTokens(sessionJson);
        }
      });
    }
    return { index, selection: index.select(ids), items, tokens };
  }

  /** Assigns all indexed tools their vectors again: at once for known ones. */
  async #placeAll(table: VectorTable | undefined): Promise<void> {
    const index = this.#index;
    const embedder = this.#embedder;
    const entries = [...this.#ids];
    for (let start = 0; start < entries.length; start += AT_A_TIME) {
      await this.#slices.run(this, () => {
        // The vectors have been replaced again meanwhile, and that replacement assigns them.
        if (index !== this.#index || embedder !== this.#embedder || table !== embedder?.table) return;
        for (const [json, id] of entries.slice(start, start + AT_A_TIME)) {
          const key = this.#keys[id];
          const row = key === undefined ? undefined : embedder?.findRow(key);
          if (row === undefined) this.#embed(id, JSON.parse(json) as ToolDefinition);
          else index.assignRow(id, row);
        }
      });
    }
  }

  #embed(id: number, definition: ToolDefinition): void {
    const embedder = this.#embedder;
    if (embedder === undefined) return;
    const text = toEmbeddedText(definition);
    const key = digestText(text);
    while (this.#keys.length <= id) this.#keys.push('');
    this.#keys[id] = key;
    const row = embedder.findRow(key);
    if (row !== undefined) {
      this.#index.assignRow(id, row);
      return;
    }
    const waiting = this.#waiting.get(key);
    if (waiting === undefined) this.#waiting.set(key, [id]);
    else waiting.push(id);
    embedder.want(key, text);
  }

  /** Begins a new index when the current one has too many definitions that no list contains. Running searches continue with the former index. */
  #makeRoom({ items }: PreparedList): void {
    if (this.#ids.size <= 2 * items.length + MAX_FORMER) return;
    this.#index = new ToolIndex();
    this.#ids = new Map();
    this.#lists = new WeakMap();
    this.#keys = [];
    this.#waiting.clear();
    this.#embedder?.forgetWaiting();
    if (this.#embedder?.table !== undefined) this.#index.useVectors(this.#embedder.table);
  }
}
