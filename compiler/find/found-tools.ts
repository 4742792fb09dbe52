/** Computes the answer of a gateway's `find_tool` from the tool lock. */
import {
  computeTokenMetrics,
  estimateTokens,
  type Hit,
  isDirection,
  type ToolDefinition,
  ToolIndex,
  type ToolQuery,
  toEmbeddedQuery,
  toEmbeddedText,
} from '#shared/search';
import type { GatewayModel } from '../analysis/gateway/model.ts';
import { type ListedTool, listOfferedTools } from '../rules/support/listed-tools.ts';

export interface FoundTools {
  readonly gateway: { readonly namespace: string; readonly name: string };
  readonly query: string;
  /** `keyword` when embeddings are not used. */
  readonly search: 'keyword' | 'semantic' | 'hybrid';
  /** Number of tools that were searched. */
  readonly searched: number;
  /** Whether the catalog has all backends; otherwise other backends may have better matches. */
  readonly isComplete: boolean;
  /** Best match first. */
  readonly tools: readonly FoundTool[];
  readonly savedPercent: number;
}

export interface FoundTool {
  readonly name: string;
  /** Undefined for a workflow. */
  readonly backend: string | undefined;
  readonly description: string;
}

/** Returns the vectors of texts, in order. */
export type Embed = (texts: readonly string[]) => Promise<readonly (readonly number[])[]>;

export interface FindOptions {
  /** Whether the caller may see the tool; for the caller, other tools do not exist. */
  readonly isVisible?: ((name: string) => boolean) | undefined;
  /** Without it only keywords are used. */
  readonly embed?: Embed | undefined;
}

/** The search settings of a spec without `optimizer`. */
const DEFAULTS = { maxToolsToReturn: 8, hybridSearchSemanticRatio: '0.5', semanticDistanceThreshold: '1.0' };

/** @throws what `embed` throws */
export async function findTools(
  model: GatewayModel,
  query: ToolQuery,
  { isVisible = () => true, embed }: FindOptions = {},
): Promise<FoundTools> {
  const { maxToolsToReturn, hybridSearchSemanticRatio, semanticDistanceThreshold } = {
    ...DEFAULTS,
    ...model.resource.spec.config?.optimizer,
  };
  const offered = listOfferedTools(model).filter(({ name }) => isVisible(name));
  const definitions = offered.map(({ definition }) => definition as unknown as ToolDefinition);
  const semanticRatio = embed === undefined ? 0 : Number(hybridSearchSemanticRatio);
  const settings = {
    ...{ maxTools: maxToolsToReturn, semanticRatio },
    distanceThreshold: Number(semanticDistanceThreshold),
  };
  const index = new ToolIndex();
  const ids = definitions.map(definition => index.add(definition));
  let vector: readonly number[] | undefined;
  if (embed !== undefined && semanticRatio > 0) {
    const vectors = await embed([...definitions.map(toEmbeddedText), toEmbeddedQuery(query.description)]);
    // A gateway does the same: a text without a vector is found by keywords.
    for (const [at, id] of ids.entries()) {
      const found = vectors[at] ?? [];
      if (isDirection(found)) index.embed(id, found);
    }
    const ofQuery = vectors.at(-1) ?? [];
    if (isDirection(ofQuery)) vector = ofQuery;
  }
  const search = index.search(query, index.select(ids), settings, vector);
  while (!search.isDone) search.step(Number.MAX_SAFE_INTEGER);
  const found = search.listHits().flatMap(({ position }: Hit) => offered[position] ?? []);
  const tokens = ({ definition }: ListedTool) => estimateTokens(JSON.stringify(definition));
  const sum = (tools: readonly ListedTool[]) => tools.reduce((total, tool) => total + tokens(tool), 0);
  const { namespace, name } = model.resource;
  return {
    gateway: { namespace, name },
    query: query.description,
    search: vector === undefined ? 'keyword' : semanticRatio === 1 ? 'semantic' : 'hybrid',
    searched: offered.length,
    isComplete: model.isLocked,
    tools: found.map(tool => ({
      name: tool.name,
      backend: 'backend' in tool.source ? tool.source.backend : undefined,
      description: typeof tool.definition.description === 'string' ? tool.definition.description : '',
    })),
    savedPercent: computeTokenMetrics(sum(offered), sum(found)).savings_percent,
  };
}
