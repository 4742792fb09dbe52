import { readHint } from '#shared/plan';
import { getReach } from '../../analysis/exposure/reach.ts';
import type { GatewayModel, ToolModel } from '../../analysis/gateway/model.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { formatInGateway } from '../support/gateway-locations.ts';

/**
 * A filter hides a tool without protecting it: a workflow still calls it for each of its callers. Reported for tools that claim to be
 * destructive and that everyone reaches, once each, at the first such step.
 *
 * @holds Who reaches what | `compositeTools[].steps[].tool` | not a destructive tool that is hidden, where everyone may call the workflow |
 *   LNT3008
 * @reads sign-in
 */
export function hiddenYetReachable(gateway: GatewayModel): Diagnostic[] {
  if (gateway.composites.length === 0) return [];
  const open = getReach(gateway).composites.filter(({ who }) => who.type === 'everyone');
  const seen = new Set<ToolModel>();
  return open.flatMap(({ composite: { name, resource, calls } }) =>
    calls.flatMap(({ call, callPath, target }) => {
      if (target.type !== 'tool' || seen.has(target.tool) || !isHiddenDanger(target.tool)) return [];
      seen.add(target.tool);
      const tool = target.tool.name;
      const message = `"${tool}" is destructive and hidden, yet everyone reaches it through "${name}" (${name} → ${call.id} → ${tool})${formatInGateway(gateway, resource)}`;
      return [diagnose(resource.document, 'LNT3008', [...callPath, 'tool'], message)];
    }),
  );
}

function isHiddenDanger({ advertised, definition }: ToolModel): boolean {
  return !advertised && readHint(definition, 'destructiveHint') === true;
}
