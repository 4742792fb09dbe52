import { findPolicySet, type NamedPolicy } from '../../analysis/cedar/authorization.ts';
import { parseEntityUid } from '../../analysis/cedar/expression.ts';
import { diagnoseText } from '../../analysis/cedar/locate-text.ts';
import { isShared } from '../../analysis/cedar/shared-policies.ts';
import type { GatewayModel } from '../../analysis/gateway/model.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';

/**
 * Reports a policy that permits tool calls at a gateway that offers no tools: a permit alone offers nothing.
 *
 * @holds incomingAuth | policies | permit calls if the gateway offers a tool | LNT5016
 * @for gateways, servers
 * @reads sign-in
 * @needs all backends
 */
export function nothingOffered(gateway: GatewayModel): Diagnostic[] {
  if (gateway.backends.length === 0 || mayOffer(gateway)) return [];
  const permit = findPolicySet(gateway)?.policies.find(permitsCalls);
  // Shared policies are written for other gateways as well.
  if (permit === undefined || isShared(gateway, permit.source)) return [];
  const part = { offset: permit.offset, length: permit.text.length };
  const message = `${permit.name} permits calls of tools, and VirtualMCPServer "${gateway.resource.name}" offers no tool`;
  return [diagnoseText(permit.source, 'LNT5016', part, message)];
}

/** Whether the gateway offers an item, or may offer one: a backend outside of the catalog may have any tool that the settings show. */
function mayOffer({ tools, composites, prompts, resources, resourceTemplates, backends }: GatewayModel): boolean {
  const others = [prompts, resources, resourceTemplates].some(items => items.length > 0);
  const isShown = backends.some(({ locked, plan }) => locked === undefined && plan.tools.advertise.type !== 'none');
  return composites.length > 0 || others || isShown || tools.some(({ advertised }) => advertised);
}

function permitsCalls({ json: { effect, action } }: NamedPolicy): boolean {
  if (effect !== 'permit') return false;
  if (action.op === 'All') return true;
  const entities = 'entities' in action ? action.entities : 'entity' in action ? [action.entity] : [];
  return entities.some(entity => parseEntityUid(entity).id === 'call_tool');
}
