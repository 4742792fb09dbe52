import type { CatalogItem } from '#schemas';
import type { CompositeModel } from '../../analysis/gateway/composites.ts';
import { hasOptimizer } from '../../analysis/gateway/has-optimizer.ts';
import type { GatewayModel, ToolModel } from '../../analysis/gateway/model.ts';

/** What `tools/list` shows, as far as it is known: advertised tools of backends, and composite tools. */
export interface ListedTool {
  readonly name: string;
  readonly definition: CatalogItem;
  readonly source: ToolModel | CompositeModel;
}

/** Empty with the optimizer, whose own two tools are as they should be. */
export function listedTools(gateway: GatewayModel): readonly ListedTool[] {
  return hasOptimizer(gateway) ? [] : offeredTools(gateway);
}

/** What is listed without the optimizer, and what is found with it. */
export function offeredTools(gateway: GatewayModel): readonly ListedTool[] {
  return [
    ...gateway.tools
      .filter(({ advertised }) => advertised)
      .map(tool => ({ name: tool.name, definition: tool.definition, source: tool })),
    ...gateway.composites.map(composite => ({
      name: composite.name,
      definition: toDefinition(composite),
      source: composite,
    })),
  ];
}

function toDefinition({ name, tool: { description, parameters } }: CompositeModel): CatalogItem {
  return { name, description, inputSchema: parameters ?? { type: 'object' } };
}
