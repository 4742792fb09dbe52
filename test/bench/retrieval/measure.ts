/** Measures how often the search finds an expected tool, and how many tokens of definitions it saves a model. */
import { computeTokenMetrics, estimateTokens, ToolIndex, toEmbeddedText } from '#shared/search';
import { corpusTools, isRight, type JudgedQuery } from './corpus.ts';

export interface Quality {
  /** Share of queries with an expected tool among the first hits, by number of hits. */
  readonly recall: { readonly 1: number; readonly 5: number; readonly 8: number };
  /** Mean percentage of tokens that a model saves. */
  readonly savedPercent: number;
  /** Queries without an expected tool among the first eight hits. */
  readonly missed: readonly string[];
}

/** Values of `hybridSearchSemanticRatio` to compare. The hybrid one is the spec's default. */
export const RATIOS = { keyword: 0, semantic: 1, hybrid: 0.5 } as const;

/** The spec's defaults. */
const SETTINGS = { maxTools: 8, distanceThreshold: 1 };

export class RetrievalBench {
  readonly #tools = corpusTools();
  readonly #tokens = this.#tools.map(tool => estimateTokens(JSON.stringify(tool)));
  readonly #index = new ToolIndex();
  readonly #vectorOf: (text: string) => ArrayLike<number>;

  constructor(vectorOf: (text: string) => ArrayLike<number>) {
    this.#vectorOf = vectorOf;
    for (const tool of this.#tools) this.#index.embed(this.#index.add(tool), vectorOf(toEmbeddedText(tool)));
  }

  get tools(): number {
    return this.#tools.length;
  }

  measure(queries: readonly JudgedQuery[], semanticRatio: number): Quality {
    const selection = this.#index.select([...this.#tools.keys()]);
    const baseline = this.#tokens.reduce((sum, tokens) => sum + tokens, 0);
    const ranks: number[] = [];
    let saved = 0;
    for (const judged of queries) {
      const search = this.#index.search(
        { description: judged.query },
        selection,
        { ...SETTINGS, semanticRatio },
        this.#vectorOf(judged.query),
      );
      while (!search.isDone) search.step(1_000);
      const found = search.listHits().map(({ position }) => position);
      ranks.push(found.findIndex(position => isRight(judged, this.#tools[position]?.name)));
      const returned = found.reduce((sum, position) => sum + (this.#tokens[position] ?? 0), 0);
      saved += computeTokenMetrics(baseline, returned).savings_percent;
    }
    const within = (limit: number) => ranks.filter(rank => rank >= 0 && rank < limit).length / ranks.length;
    return {
      recall: { 1: within(1), 5: within(5), 8: within(8) },
      savedPercent: saved / queries.length,
      missed: queries.filter((_, at) => (ranks[at] ?? -1) < 0).map(({ query }) => query),
    };
  }
}
