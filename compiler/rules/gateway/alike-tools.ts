import { findOvershadowedTools, type ToolDefinition } from '#shared/search';
import { hasOptimizer } from '../../analysis/gateway/has-optimizer.ts';
import type { GatewayModel } from '../../analysis/gateway/model.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { ObjectLocation } from '../../resolve/related-location.ts';
import { findBackend } from '../support/gateway-locations.ts';
import { type ListedTool, listOfferedTools } from '../support/listed-tools.ts';
import { formatQuotedList } from '../support/texts.ts';

/**
 * Tools that `find_tool` never ranks first, even for queries with their own words. Tools that rank below the same tool share a finding, at the
 * description of the first of them.
 *
 * @holds config.aggregation, backends | (`name`, `title`, `description` of tools) | the optimizer's search finds each tool first by its own
 *   words | LNT3029
 */
export function alikeTools(gateway: GatewayModel): Diagnostic[] {
  if (!hasOptimizer(gateway) || findsByMeaningAlone(gateway)) return [];
  const offered = listOfferedTools(gateway);
  const overshadowed = findOvershadowedTools(offered.map(({ definition }) => definition as unknown as ToolDefinition));
  const groups = Map.groupBy(overshadowed, ([, first]) => first);
  return [...groups].flatMap(([first, members]) => {
    const tools = members.flatMap(([at]) => offered[at] ?? []);
    const location = tools[0] && findPlace(gateway, tools[0]);
    if (location === undefined) return [];
    const names = formatQuotedList(tools.map(({ name }) => name));
    const message = `every search for the words of ${names} finds "${offered[first]?.name}" first`;
    return [diagnose(location.resource.document, 'LNT3029', location.path, message)];
  });
}

function findPlace(gateway: GatewayModel, { source }: ListedTool): ObjectLocation | undefined {
  return 'backend' in source ? findBackend(gateway, source.backend)?.origin : source;
}

/** Keyword search applies only while the embedding service is unavailable. */
function findsByMeaningAlone({ resource: { spec } }: GatewayModel): boolean {
  const { hybridSearchSemanticRatio: ratio, embeddingService } = spec.config?.optimizer ?? {};
  return Number(ratio) === 1 && (embeddingService !== undefined || spec.embeddingServerRef !== undefined);
}
