import type { OptimizerPlan } from '#schemas';
import {
  computeTokenMetrics,
  estimateTokens,
  isDirection,
  type TokenMetrics,
  type ToolQuery,
  type ToolSearch,
  toEmbeddedQuery,
} from '#shared/search';
import type { PreparedList } from '../offers/prepared-list.ts';
import type { CooperativeScheduler } from '../scheduling/cooperative-scheduler.ts';
import type { Embedder } from './embeddings/embedder.ts';
import { type SearchableList, SearchableTools } from './searchable-tools.ts';

/** The form of the definitions that a caller gets. */
export type DefinitionForm = 'stateless' | 'sessions';

/** How the search found the tools. */
export type SearchKind = 'keyword' | 'semantic' | 'hybrid';

export interface FoundTools {
  /** The definitions of the found tools as JSON text, the best first. */
  readonly tools: readonly string[];
  readonly metrics: TokenMetrics;
  readonly search: SearchKind;
  /** Why only keywords were used although the plan has embeddings, as a sentence for the caller. */
  readonly notice?: string | undefined;
}

/** The share of a list's tools that may lack vectors in a search by meaning: if more lacked them, the tools with vectors would always come first. */
const MAX_MISSING = 0.1;

/** Numbers of vectors that are compared at a time: about a millisecond. */
const NUMBERS_AT_A_TIME = 400_000;

const NOT_READY = 'Tools were found by keywords only: the embedding service does not answer.';
const NO_MEANING = 'Tools were found by keywords only: the embedding service cannot embed this description.';
const NOT_EMBEDDED = 'Tools were found by keywords only: not all of them are embedded yet.';

/** Finds tools by one plan. Its index outlives the plan. */
export class Optimizer {
  readonly plan: OptimizerPlan;
  /** The source of vectors; undefined when only keywords are used. */
  readonly embedder: Embedder | undefined;
  readonly #slices: CooperativeScheduler;
  readonly #tools: SearchableTools;

  /** @param previous the optimizer of the previous bundle, whose index stays in use */
  constructor(plan: OptimizerPlan, scheduler: CooperativeScheduler, embedder?: Embedder, previous?: Optimizer) {
    this.plan = plan;
    this.embedder = embedder;
    this.#slices = scheduler;
    this.#tools = previous === undefined ? new SearchableTools(scheduler) : previous.#tools;
  }

  /** The number of definitions that are searchable now. */
  get indexedCount(): number {
    return this.#tools.size;
  }

  /** How tools are found, given the embedding service's current state. */
  get search(): SearchKind {
    const { semanticRatio } = this.plan;
    if (this.embedder?.isReady !== true || semanticRatio === 0) return 'keyword';
    return semanticRatio === 1 ? 'semantic' : 'hybrid';
  }

  /** Begins to serve the plan: an optimizer of a former plan stops searching by meaning. */
  use(): void {
    this.#tools.embedBy(this.embedder);
  }

  /** Releases the resources of this optimizer, except those that `other` uses as well. */
  async release(other?: Optimizer): Promise<void> {
    if (this.embedder !== other?.embedder) await this.embedder?.close();
  }

  /** Indexes a list, so that the first search does not have to wait. */
  async index(list: PreparedList): Promise<void> {
    await this.#tools.get(list);
  }

  /**
   * Searches a list of the tools that a caller may call.
   * @param owner the caller: the searches of different callers take turns
   */
  async find(query: ToolQuery, list: PreparedList, form: DefinitionForm, owner: object): Promise<FoundTools> {
    const searchable = await this.#tools.get(list);
    const meaning = await this.#embedMeaning(query, searchable);
    const positions = await this.#search(query, searchable, owner, meaning.vector);
    const tools = positions.map(position => {
      const item = searchable.items[position] as SearchableList['items'][number];
      return form === 'sessions' ? (item.sessionJson ?? item.json) : item.json;
    });
    const returned = tools.reduce((sum, json) => sum + estimateTokens(json), 0);
    return {
      tools,
      metrics: computeTokenMetrics(searchable.tokens[form], returned),
      search: meaning.vector === undefined ? 'keyword' : this.plan.semanticRatio === 1 ? 'semantic' : 'hybrid',
      notice: meaning.notice,
    };
  }

  async #embedMeaning(
    { description }: ToolQuery,
    { index, selection }: SearchableList,
  ): Promise<{ readonly vector?: ArrayLike<number>; readonly notice?: string }> {
    const { embedder } = this;
    if (embedder === undefined || this.plan.semanticRatio === 0 || selection.size === 0 || description.trim() === '')
      return {};
    const isEmbedded = () => selection.size - index.countEmbedded(selection) <= selection.size * MAX_MISSING;
    if (!isEmbedded()) return { notice: embedder.isReady ? NOT_EMBEDDED : NOT_READY };
    const vector = await embedder.findVector(toEmbeddedQuery(description));
    if (vector === undefined) {
      if (!embedder.isReady) return { notice: NOT_READY };
      return { notice: embedder.table === undefined ? NOT_EMBEDDED : NO_MEANING };
    }
    if (!isDirection(vector)) return { notice: NO_MEANING };
    // While the vector was requested, the service may have changed its model.
    return isEmbedded() && vector.length === embedder.table?.dimensions ? { vector } : { notice: NOT_EMBEDDED };
  }

  async #search(
    query: ToolQuery,
    { index, selection }: SearchableList,
    owner: object,
    vector: ArrayLike<number> | undefined,
  ): Promise<readonly number[]> {
    const rows = Math.ceil(NUMBERS_AT_A_TIME / (vector?.length ?? 1));
    let search: ToolSearch | undefined;
    const step = () => {
      search ??= index.search(query, selection, this.plan, vector);
      search.step(rows);
      return search.isDone;
    };
    while (!(await this.#slices.run(owner, step)));
    return this.#slices.run(owner, () => (search as ToolSearch).listHits().map(({ position }) => position));
  }
}
