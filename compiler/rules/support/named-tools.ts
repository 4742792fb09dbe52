/** Findings about client-visible names. */
import { findOverride } from '#shared/plan';
import { isMcpName } from '../../analysis/gateway/client-profiles.ts';
import type { CompositeModel } from '../../analysis/gateway/composites.ts';
import type { GatewayModel, ToolModel } from '../../analysis/gateway/model.ts';
import { type DiagnoseDetails, diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { findBackend, formatInGateway, locateTools } from './gateway-locations.ts';
import { type ListedTool, listedTools } from './listed-tools.ts';

/** Groups tools by backend or composite tool: a prefix may affect hundreds of tools, which share one finding. */
export function groupByHolder(tools: readonly ListedTool[]): readonly (readonly ListedTool[])[] {
  const formatKey = ({ source }: ListedTool) => (isOfBackend(source) ? `b ${source.backend}` : `c ${source.name}`);
  return [...Map.groupBy(tools, formatKey).values()];
}

/** @param newName suggested name before prefixing */
export function diagnoseName(
  gateway: GatewayModel,
  code: 'LNT3022' | 'LNT3023' | 'LNT3027',
  { source }: ListedTool,
  message: string,
  newName: string | undefined,
): Diagnostic {
  const { resource, path } = isOfBackend(source)
    ? locateTools(gateway, source.backend)
    : { resource: source.resource, path: [...source.path, 'name'] };
  const details: DiagnoseDetails = {
    at: isOfBackend(source) ? 'key' : 'value',
    ...(newName === undefined ? {} : { fix: formatRenaming(source, newName) }),
  };
  return diagnose(resource.document, code, path, `${message}${formatInGateway(gateway, resource)}`, details);
}

/** Client-visible tools, without those whose names are invalid where they are written, which LNT1047 reports. */
export function listWellNamedTools(gateway: GatewayModel): readonly ListedTool[] {
  return listedTools(gateway).filter(tool => isWellNamed(gateway, tool));
}

export function isWellNamed(gateway: GatewayModel, tool: ListedTool): boolean {
  const authoredName = findWrittenName(gateway, tool);
  return authoredName === undefined || isMcpName(authoredName);
}

/** The name without its prefix. */
export function getNameBeforePrefix(gateway: GatewayModel, tool: ListedTool): string {
  const { name, source } = tool;
  return findWrittenName(gateway, tool) ?? (isOfBackend(source) ? source.originalName : name);
}

/** The name in the specs; undefined when the backend's own name applies. */
function findWrittenName(gateway: GatewayModel, { name, source }: ListedTool): string | undefined {
  if (!isOfBackend(source)) return name;
  const overrides = findBackend(gateway, source.backend)?.plan.tools.overrides ?? {};
  return findOverride(overrides, source.originalName)?.name;
}

function formatRenaming(source: ListedTool['source'], name: string): string {
  if (!isOfBackend(source)) return `name it "${name}"`;
  const key = JSON.stringify(source.originalName);
  return `rename it in aggregation.tools: { workload: ${source.backend}, overrides: { ${key}: { name: ${name} } } }`;
}

function isOfBackend(source: ToolModel | CompositeModel): source is ToolModel {
  return 'originalName' in source;
}
