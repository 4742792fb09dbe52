import type { OptimizerPlan } from '#schemas';
import { type TokenMetrics, type ToolQuery, tokenMetrics, tokensOf } from '#search';
import type { PreparedList } from '../prepared-list.ts';
import type { Slices } from '../slices.ts';
import { type SearchableList, SearchableTools } from './searchable-tools.ts';

/** Which form of the definitions a caller gets. */
export type DefinitionForm = 'stateless' | 'sessions';

export interface FoundTools {
  /** Definitions as JSON text, the best first. */
  readonly tools: readonly string[];
  readonly metrics: TokenMetrics;
}

/** Finds tools by one plan. What is indexed outlives the plan. */
export class Optimizer {
  readonly plan: OptimizerPlan;
  readonly #slices: Slices;
  readonly #tools: SearchableTools;

  /** @param earlier of the bundle before: its index goes on */
  constructor(plan: OptimizerPlan, slices: Slices, earlier?: Optimizer) {
    this.plan = plan;
    this.#slices = slices;
    this.#tools = earlier === undefined ? new SearchableTools(slices) : earlier.#tools;
  }

  /** Definitions that can be searched by now. */
  get indexedCount(): number {
    return this.#tools.size;
  }

  /** Makes a list ready to be searched, so that the first search need not wait for it. */
  async index(list: PreparedList): Promise<void> {
    await this.#tools.of(list);
  }

  /**
   * Searches a list that holds what a caller may call.
   *
   * @param owner who asks: callers have their turns one after the other
   */
  async find(query: ToolQuery, list: PreparedList, form: DefinitionForm, owner: object): Promise<FoundTools> {
    const searchable = await this.#tools.of(list);
    const positions = await this.#search(query, searchable, owner);
    const tools = positions.map(position => {
      const item = searchable.items[position] as SearchableList['items'][number];
      return form === 'sessions' ? (item.sessionJson ?? item.json) : item.json;
    });
    const returned = tools.reduce((sum, json) => sum + tokensOf(json), 0);
    return { tools, metrics: tokenMetrics(searchable.tokens[form], returned) };
  }

  #search(query: ToolQuery, { index, selection }: SearchableList, owner: object): Promise<readonly number[]> {
    return this.#slices.run(owner, () =>
      index
        .search(query, selection, this.plan)
        .hits()
        .map(({ position }) => position),
    );
  }
}
