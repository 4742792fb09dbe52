import type { CatalogItem } from '#schemas';
import type { CompositeModel } from '../../analysis/gateway/composites.ts';
import { hasOptimizer } from '../../analysis/gateway/has-optimizer.ts';
import type { GatewayModel, ToolModel } from '../../analysis/gateway/model.ts';

/** The known content of `tools/list`: advertised tools of backends, and composite tools. */
export interface ListedTool {
  readonly name: string;
  readonly definition: CatalogItem;
  readonly source: ToolModel | CompositeModel;
}

/** Empty with the optimizer, whose own two tools are valid. */
export function listedTools(gateway: GatewayModel): readonly ListedTool[] {
  return hasOptimizer(gateway) ? [] : listOfferedTools(gateway);
}

/** The tools that clients list, or find with the optimizer. */
export function listOfferedTools(gateway: GatewayModel): readonly ListedTool[] {
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
