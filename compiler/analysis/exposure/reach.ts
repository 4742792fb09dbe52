/**
 * Which callers reach which items. A workflow is authorized once, under its own name, and its steps are not authorized again: every caller
 * of the workflow reaches all tools that it calls, hidden ones included.
 */
import type { CatalogItem } from '#schemas';
import type { CedarAction } from '#shared/plan';
import { type Authorization, loadAuthorization } from '../cedar/access.ts';
import type { CompositeModel, StepCall } from '../gateway/composites.ts';
import type { GatewayModel, ToolModel } from '../gateway/model.ts';
import { findPolicySource } from './authentication.ts';
import { EVERYONE, NO_CALLERS, toWho, UNKNOWN, uniteCallers } from './caller-sets.ts';
import { buildCompositeDefinition } from './composite-definition.ts';
import type { Who } from './exposure.ts';

export interface Reach {
  /** The policies; undefined when there are none, or when they cannot be read. */
  readonly authorization: Authorization | undefined;
  /** The callers whom the policies permit an action, whether or not the item is offered. */
  readonly permits: (action: CedarAction, name: string, definition: CatalogItem) => Who;
  /** The tools with their callers, in the order of the model. */
  readonly tools: readonly ToolReach[];
  readonly composites: readonly CompositeReach[];
}

export interface ToolReach {
  readonly tool: ToolModel;
  /** The callers who may call the tool under its own name; none if it is hidden. */
  readonly direct: Who;
  readonly through: readonly ReachPath[];
  /** The callers who reach the tool in any way. */
  readonly reach: Who;
}

export interface ReachPath {
  readonly composite: CompositeReach;
  readonly call: StepCall;
}

export interface CompositeReach {
  readonly composite: CompositeModel;
  readonly who: Who;
}

const KNOWN = new WeakMap<GatewayModel, Reach>();

/** The reach of a gateway. It is cached as long as the gateway, because rules and the report need the same answers. */
export function getReach(gateway: GatewayModel): Reach {
  const known = KNOWN.get(gateway) ?? computeReach(gateway);
  KNOWN.set(gateway, known);
  return known;
}

function computeReach(gateway: GatewayModel): Reach {
  const authorization = loadAuthorization(gateway);
  // Policies that the compiler cannot read may permit or forbid anything.
  const unjudged = findPolicySource(gateway) === undefined ? EVERYONE : UNKNOWN;
  const permits: Reach['permits'] = (action, name, definition) =>
    authorization === undefined ? unjudged : toWho(authorization.getAccess(action, { name, definition }));
  const composites = gateway.composites.map(composite => ({
    composite,
    who: permits('call_tool', composite.name, buildCompositeDefinition(composite)),
  }));
  let tools: readonly ToolReach[] | undefined;
  return {
    authorization,
    permits,
    composites,
    // Computed on demand: there may be many tools, and some callers of this function need only a few.
    get tools() {
      tools ??= listTools(gateway, permits, composites);
      return tools;
    },
  };
}

function listTools(
  gateway: GatewayModel,
  permits: Reach['permits'],
  composites: readonly CompositeReach[],
): readonly ToolReach[] {
  const paths = groupPathsByTool(composites);
  return gateway.tools.map(tool => {
    const direct = tool.advertised ? permits('call_tool', tool.name, tool.definition) : NO_CALLERS;
    const through = paths.get(tool) ?? [];
    return { tool, direct, through, reach: uniteCallers([direct, ...through.map(path => path.composite.who)]) };
  });
}

function groupPathsByTool(composites: readonly CompositeReach[]): ReadonlyMap<ToolModel, readonly ReachPath[]> {
  const paths = new Map<ToolModel, ReachPath[]>();
  for (const composite of composites) {
    for (const call of composite.composite.calls) {
      if (call.target.type !== 'tool') continue;
      const known = paths.get(call.target.tool);
      if (known === undefined) paths.set(call.target.tool, [{ composite, call }]);
      else known.push({ composite, call });
    }
  }
  return paths;
}
