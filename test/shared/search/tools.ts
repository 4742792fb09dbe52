import { type SearchSettings, type ToolDefinition, ToolIndex, type ToolQuery } from '#shared/search';

export const SETTINGS: SearchSettings = { maxTools: 8, semanticRatio: 0.5, distanceThreshold: 2 };

export function tool(name: string, description = '', parts: Partial<ToolDefinition> = {}): ToolDefinition {
  return { name, description, inputSchema: { type: 'object' }, ...parts };
}

/** Names of the tools that are found among `visible`, the best first. */
export function namesFound(
  tools: readonly ToolDefinition[],
  query: string | ToolQuery,
  settings: Partial<SearchSettings> = {},
  vectors: { readonly of?: readonly (readonly number[])[]; readonly query?: readonly number[] } = {},
): readonly string[] {
  const index = new ToolIndex();
  const ids = tools.map(each => index.add(each));
  for (const [at, vector] of (vectors.of ?? []).entries()) index.embed(ids[at] as number, vector);
  const search = index.search(
    typeof query === 'string' ? { description: query } : query,
    index.select(ids),
    { ...SETTINGS, ...settings },
    vectors.query,
  );
  while (!search.isDone) search.step(2);
  return search.listHits().map(({ position }) => (tools[position] as ToolDefinition).name);
}
