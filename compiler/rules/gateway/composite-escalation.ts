import { findUnconditionalForbid } from '../../analysis/cedar/unconditional-forbid.ts';
import { isCoveredBy, listGrants } from '../../analysis/exposure/caller-sets.ts';
import type { Who } from '../../analysis/exposure/exposure.ts';
import { formatWho } from '../../analysis/exposure/format-who.ts';
import { type CompositeReach, getReach, type Reach } from '../../analysis/exposure/reach.ts';
import type { StepCall } from '../../analysis/gateway/composites.ts';
import { listLikelyTools, type NamedTool } from '../../analysis/gateway/likely-tools.ts';
import type { GatewayModel } from '../../analysis/gateway/model.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { toRelatedLocation } from '../../resolve/related-location.ts';
import { formatInGateway } from '../support/gateway-locations.ts';

/**
 * The gateway authorizes the call of a workflow, and not the calls of its steps: every caller of the workflow reaches the tools of its steps, even
 * tools that policies deny to that caller. One finding per workflow and tool. A tool that is only hidden is not reported: workflows are a legitimate
 * use of hidden tools.
 *
 * @holds Who reaches what | `compositeTools[].steps[].tool` | no tool that the policies deny to callers of the workflow | LNT5008
 * @reads sign-in
 * @needs all backends
 */
export function compositeEscalation(gateway: GatewayModel): Diagnostic[] {
  if (gateway.composites.length === 0) return [];
  const reach = getReach(gateway);
  // Without policies there is nothing to bypass.
  if (reach.authorization === undefined) return [];
  return reach.composites.flatMap(composite => checkEscalations(gateway, reach, composite));
}

interface Escalation {
  readonly tool: NamedTool;
  readonly permitted: Who;
  /** Whether the catalog has the tool. */
  readonly certain: boolean;
}

/** If several steps call the same tool, the first is reported. */
function checkEscalations(gateway: GatewayModel, reach: Reach, composite: CompositeReach): Diagnostic[] {
  const seen = new Set<string>();
  return composite.composite.calls.flatMap(call => {
    const found = findEscalation(gateway, reach, composite, call);
    if (found === undefined || seen.has(found.tool.name)) return [];
    seen.add(found.tool.name);
    return [reportEscalation(gateway, composite, call, found)];
  });
}

function findEscalation(
  gateway: GatewayModel,
  { permits }: Reach,
  { who }: CompositeReach,
  call: StepCall,
): Escalation | undefined {
  const certain = call.target.type === 'tool';
  const tools = call.target.type === 'tool' ? [call.target.tool] : listLikelyTools(gateway, call);
  let first: Escalation | undefined;
  // A tool outside of the catalog may have any hints: there is a finding only if the workflow bypasses the policies with every combination of hints.
  for (const tool of tools) {
    const permitted = permits('call_tool', tool.name, tool.definition);
    if (isCoveredBy(who, permitted)) return undefined;
    first ??= { tool, permitted, certain };
  }
  return first;
}

function reportEscalation(
  gateway: GatewayModel,
  { composite, who }: CompositeReach,
  { call, callPath }: StepCall,
  { tool, permitted, certain }: Escalation,
): Diagnostic {
  const { name, resource } = composite;
  const forbid = permitted.type === 'nobody' ? findUnconditionalForbid(gateway, 'call_tool', tool) : undefined;
  const way = `${name} → ${call.id} → ${tool.name}`;
  const unsure = certain ? '' : ' (its backend is not in the tool lock)';
  const message = `"${name}" lets ${formatWho(subtractPermitted(who, permitted))} reach "${tool.name}" (${way}), which ${formatDenial(permitted, forbid?.name)}${unsure}${formatInGateway(gateway, resource)}`;
  // A tool that no policy permits may be intended for workflows alone; a forbidden tool is intended for no caller.
  const severity = forbid === undefined ? 'warning' : 'error';
  return diagnose(resource.document, 'LNT5008', [...callPath, 'tool'], message, {
    severity: certain ? severity : 'hint',
    related: forbid === undefined ? [] : [toRelatedLocation('the policy that forbids it', forbid.source)],
  });
}

/** Callers of the workflow who may not call the tool directly. */
function subtractPermitted(who: Who, permitted: Who): Who {
  if (who.type !== 'some') return who;
  return {
    type: 'some',
    anyOf: listGrants(who).filter(grant => !isCoveredBy({ type: 'some', anyOf: [grant] }, permitted)),
  };
}

function formatDenial(permitted: Who, forbid: string | undefined): string {
  if (forbid !== undefined) return `policy "${forbid}" forbids to every caller`;
  if (permitted.type === 'nobody') return 'no policy permits any caller to call';
  return `the policies permit only to ${formatWho(permitted)}`;
}
