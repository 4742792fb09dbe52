import { hasOptimizer } from '../../analysis/gateway/has-optimizer.ts';
import type { GatewayModel } from '../../analysis/gateway/model.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { toRelatedLocation } from '../../resolve/related-location.ts';
import { formatInGateway, locateName, locateTools } from '../support/gateway-locations.ts';

/**
 * Names of tools that code mode and the optimizer add are reserved.
 *
 * @holds config.aggregation, backends | (advertised names) | no names of tools of code mode or the optimizer | LNT3006
 */
export function reservedToolName(gateway: GatewayModel): Diagnostic[] {
  const { codeMode } = gateway.resource.spec.config ?? {};
  return [
    ...(codeMode?.enabled === true ? reportHolders(gateway, 'execute_tool_script', 'code mode') : []),
    ...(hasOptimizer(gateway)
      ? ['find_tool', 'call_tool'].flatMap(name => reportHolders(gateway, name, 'the optimizer'))
      : []),
  ];
}

function reportHolders(gateway: GatewayModel, name: string, feature: string): Diagnostic[] {
  const reserved = `has the name of a tool that ${feature} adds`;
  const composites = gateway.composites
    .filter(composite => composite.name === name)
    .map(({ resource, path }) => {
      const message = `the composite tool "${name}" ${reserved}${formatInGateway(gateway, resource)}`;
      return diagnose(resource.document, 'LNT3006', [...path, 'name'], message);
    });
  const tool = gateway.toolNames.findByName(name);
  if (!tool?.advertised) return composites;
  const { resource, path } = locateTools(gateway, tool.backend);
  const message = `the tool "${tool.originalName}" of "${tool.backend}" ${reserved}`;
  const location = locateName(gateway, tool.backend, tool.originalName);
  const related = location === undefined ? [] : [toRelatedLocation('the tool gets its name here', location)];
  return [...composites, diagnose(resource.document, 'LNT3006', path, message, { related })];
}
