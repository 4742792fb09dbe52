import type { OptimizerPlan } from '#schemas';
import {
  embeddedQuery,
  estimateTokens,
  isDirection,
  type TokenMetrics,
  type ToolQuery,
  type ToolSearch,
  tokenMetrics,
} from '#search';
import type { PreparedList } from '../offers/prepared-list.ts';
import type { CooperativeScheduler } from '../scheduling/cooperative-scheduler.ts';
import type { Embedder } from './embeddings/embedder.ts';
import { type SearchableList, SearchableTools } from './searchable-tools.ts';

/** Which form of the definitions a caller gets. */
export type DefinitionForm = 'stateless' | 'sessions';

/** What tools were found by. */
export type SearchKind = 'keyword' | 'semantic' | 'hybrid';

export interface FoundTools {
  /** Definitions as JSON text, the best first. */
  readonly tools: readonly string[];
  readonly metrics: TokenMetrics;
  readonly search: SearchKind;
  /** Why they were found by keywords only where the plan has it otherwise, as a sentence for the caller. */
  readonly notice?: string | undefined;
}

/** Share of the tools of a list that may lack their vectors in a search by meaning: of more, those that have them would always win. */
const MAX_MISSING = 0.1;

/** Numbers of vectors that are looked at at a time: about a millisecond. */
const NUMBERS_AT_A_TIME = 400_000;

const NOT_READY = 'Tools were found by keywords only: the embedding service does not answer.';
const NO_MEANING = 'Tools were found by keywords only: the embedding service makes nothing of this description.';
const NOT_EMBEDDED = 'Tools were found by keywords only: not all of them are embedded yet.';

/** Finds tools by one plan. What is indexed outlives the plan. */
export class Optimizer {
  readonly plan: OptimizerPlan;
  /** Undefined where tools are found by keywords only. */
  readonly embedder: Embedder | undefined;
  readonly #slices: CooperativeScheduler;
  readonly #tools: SearchableTools;

  /** @param earlier of the bundle before: its index goes on */
  constructor(plan: OptimizerPlan, slices: CooperativeScheduler, embedder?: Embedder, earlier?: Optimizer) {
    this.plan = plan;
    this.embedder = embedder;
    this.#slices = slices;
    this.#tools = earlier === undefined ? new SearchableTools(slices) : earlier.#tools;
  }

  /** Definitions that can be searched by now. */
  get indexedCount(): number {
    return this.#tools.size;
  }

  /** What tools are found by as long as the embedding service answers as it does now. */
  get search(): SearchKind {
    const { semanticRatio } = this.plan;
    if (this.embedder?.isReady !== true || semanticRatio === 0) return 'keyword';
    return semanticRatio === 1 ? 'semantic' : 'hybrid';
  }

  /** Its plan is served from now on: an earlier one finds nothing by meaning any more. */
  use(): void {
    this.#tools.embedBy(this.embedder);
  }

  /** Lets go of what `other` does not go on with. */
  async release(other?: Optimizer): Promise<void> {
    if (this.embedder !== other?.embedder) await this.embedder?.close();
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
    const meaning = await this.#embedMeaning(query, searchable);
    const positions = await this.#search(query, searchable, owner, meaning.vector);
    const tools = positions.map(position => {
      const item = searchable.items[position] as SearchableList['items'][number];
      return form === 'sessions' ? (item.sessionJson ?? item.json) : item.json;
    });
    const returned = tools.reduce((sum, json) => sum + estimateTokens(json), 0);
    return {
      tools,
      metrics: tokenMetrics(searchable.tokens[form], returned),
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
    const isEmbedded = () => selection.size - index.embeddedCount(selection) <= selection.size * MAX_MISSING;
    if (!isEmbedded()) return { notice: embedder.isReady ? NOT_EMBEDDED : NOT_READY };
    const vector = await embedder.findVector(embeddedQuery(description));
    if (vector === undefined) {
      if (!embedder.isReady) return { notice: NOT_READY };
      return { notice: embedder.table === undefined ? NOT_EMBEDDED : NO_MEANING };
    }
    if (!isDirection(vector)) return { notice: NO_MEANING };
    // Another model may have come meanwhile.
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
    return this.#slices.run(owner, () => (search as ToolSearch).hits().map(({ position }) => position));
  }
}
