import { type Selection, type ToolDefinition, ToolIndex, tokensOf } from '#search';
import type { PreparedItem, PreparedList } from '../prepared-list.ts';
import type { Slices } from '../slices.ts';

/** Tools that are read at a time; others have their turn after about so many milliseconds. */
const AT_A_TIME = 10;

/** Definitions that the index may hold beyond twice those of a list before it is rebuilt. */
const MAX_FORMER = 20_000;

/** A list that can be searched. */
export interface SearchableList {
  readonly index: ToolIndex;
  /** Stands in the order of the list. */
  readonly selection: Selection;
  readonly items: readonly PreparedItem[];
  /** What the definitions take, in each of their two forms. */
  readonly tokens: { readonly stateless: number; readonly sessions: number };
}

/**
 * The index of all tools that any caller is offered. Definitions are distinguished by their text: what several callers are offered is in it
 * once, and a changed list costs what has changed.
 */
export class SearchableTools {
  readonly #slices: Slices;
  #index = new ToolIndex();
  /** By the text of the definition. */
  #ids = new Map<string, number>();
  #lists = new WeakMap<PreparedList, Promise<SearchableList>>();

  constructor(slices: Slices) {
    this.#slices = slices;
  }

  /** Definitions that are in the index. */
  get size(): number {
    return this.#ids.size;
  }

  /** Reads what of a list is not in the index yet, a little at a time. */
  of(list: PreparedList): Promise<SearchableList> {
    let reading = this.#lists.get(list);
    if (reading === undefined) {
      this.#makeRoom(list);
      reading = this.#read(list);
      this.#lists.set(list, reading);
      reading.catch(() => this.#lists.delete(list));
    }
    return reading;
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
            id = index.add(JSON.parse(json) as ToolDefinition);
            known.set(json, id);
          }
          ids.push(id);
          const own = tokensOf(json);
          tokens.stateless += own;
          tokens.sessions += sessionJson === undefined ? own : tokensOf(sessionJson);
        }
      });
    }
    return { index, selection: index.select(ids), items, tokens };
  }

  /** Searches that go on have the former index. */
  #makeRoom({ items }: PreparedList): void {
    if (this.#ids.size <= 2 * items.length + MAX_FORMER) return;
    this.#index = new ToolIndex();
    this.#ids = new Map();
    this.#lists = new WeakMap();
  }
}
