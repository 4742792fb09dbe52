/**
 * Who reaches what. A workflow is authorized once, under its own name, and its steps are not authorized again: each caller that may
 * call it reaches every tool that it calls, hidden ones included.
 */
import type { CatalogItem, CedarAction } from '#schemas';
import { type Authorization, loadAuthorization } from '../cedar/access.ts';
import type { CompositeModel, StepCall } from '../gateway/composites.ts';
import type { GatewayModel, ToolModel } from '../gateway/model.ts';
import { policySource } from './authentication.ts';
import { compositeDefinition } from './composite-definition.ts';
import type { Who } from './exposure.ts';
import { EVERYONE, NOBODY, toWho, UNKNOWN, uniteCallers } from './who.ts';

export interface Reach {
  /** Undefined when no policies are named, or they cannot be read. */
  readonly authorization: Authorization | undefined;
  /** Whom the policies permit an action, whether or not it is offered. */
  readonly permits: (action: CedarAction, name: string, definition: CatalogItem) => Who;
  /** In the order of the model. */
  readonly tools: readonly ToolReach[];
  readonly composites: readonly CompositeReach[];
}

export interface ToolReach {
  readonly tool: ToolModel;
  /** Who may call it under its own name: no caller when it is hidden. */
  readonly direct: Who;
  readonly through: readonly Path[];
  /** All ways taken together. */
  readonly reach: Who;
}

export interface Path {
  readonly composite: CompositeReach;
  readonly call: StepCall;
}

export interface CompositeReach {
  readonly composite: CompositeModel;
  readonly who: Who;
}

const KNOWN = new WeakMap<GatewayModel, Reach>();

/** Rules and the report ask about the same gateway, so the answer is kept as long as the gateway. */
export function getReach(gateway: GatewayModel): Reach {
  const known = KNOWN.get(gateway) ?? computeReach(gateway);
  KNOWN.set(gateway, known);
  return known;
}

function computeReach(gateway: GatewayModel): Reach {
  const authorization = loadAuthorization(gateway);
  // Policies that cannot be read here may permit or forbid anything.
  const unjudged = policySource(gateway) === undefined ? EVERYONE : UNKNOWN;
  const permits: Reach['permits'] = (action, name, definition) =>
    authorization === undefined ? unjudged : toWho(authorization.access(action, { name, definition }));
  const composites = gateway.composites.map(composite => ({
    composite,
    who: permits('call_tool', composite.name, compositeDefinition(composite)),
  }));
  let tools: readonly ToolReach[] | undefined;
  return {
    authorization,
    permits,
    composites,
    // Tools may be many, and not everyone who asks looks at all of them.
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
  const paths = pathsByTool(composites);
  return gateway.tools.map(tool => {
    const direct = tool.advertised ? permits('call_tool', tool.name, tool.definition) : NOBODY;
    const through = paths.get(tool) ?? [];
    return { tool, direct, through, reach: uniteCallers([direct, ...through.map(path => path.composite.who)]) };
  });
}

function pathsByTool(composites: readonly CompositeReach[]): ReadonlyMap<ToolModel, readonly Path[]> {
  const paths = new Map<ToolModel, Path[]>();
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
