import type { GatewayModel } from '../../analysis/gateway/model.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { toRelatedLocation } from '../../resolve/related-location.ts';
import { formatInGateway, locateName } from '../support/gateway-locations.ts';

/**
 * A composite tool must not have the name of a backend's tool, hidden or not; the gateway would withhold the composite tool.
 *
 * @holds config.compositeTools and VirtualMCPCompositeToolDefinition | `name` | not the name of a backend's tool | LNT3021
 * @needs all backends
 */
export function compositeNamedLikeTool(gateway: GatewayModel): Diagnostic[] {
  return gateway.composites.flatMap(({ name, resource, path }) => {
    const tool = gateway.toolNames.findByName(name);
    if (tool === undefined) return [];
    const location = locateName(gateway, tool.backend, tool.originalName);
    const related =
      location === undefined ? [] : [toRelatedLocation(`"${tool.originalName}" of "${tool.backend}"`, location)];
    const message = `"${name}" is a tool of "${tool.backend}" already, so the composite tool is not served${formatInGateway(gateway, resource)}`;
    return [diagnose(resource.document, 'LNT3021', [...path, 'name'], message, { related })];
  });
}
