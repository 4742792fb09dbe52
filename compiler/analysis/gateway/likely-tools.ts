import type { CatalogItem } from '#schemas';
import { findOverride, TOOL_HINTS } from '#shared/plan';
import type { StepCall } from './composites.ts';
import type { GatewayModel } from './model.ts';

export interface NamedTool {
  readonly name: string;
  readonly definition: CatalogItem;
}

/**
 * The possible tools of a step whose backend is not in the catalog: the tool under the name that it would get, with both extremes of possible
 * hints. Empty when the catalog has the backend.
 */
export function listLikelyTools(gateway: GatewayModel, call: StepCall): readonly NamedTool[] {
  const name = findLikelyName(gateway, call);
  if (name === undefined) return [];
  const claiming = (annotations: CatalogItem): NamedTool => ({ name, definition: { name, annotations } });
  return [claiming({}), claiming(createUniformItem(true)), claiming(createUniformItem(false))];
}

/** The name of that tool; undefined when the catalog has the backend. */
export function findLikelyName({ backends, plan }: GatewayModel, { call, target }: StepCall): string | undefined {
  if (target.type === 'tool' || target.certain) return undefined;
  const reference = call.tool ?? '';
  if (target.backend === undefined) return reference;
  const backend = backends.find(({ name }) => name === target.backend);
  if (backend === undefined) return undefined;
  const own = reference.slice(target.backend.length + 1);
  const { overrides, prefix } = backend.plan.tools;
  const name = findOverride(overrides, own)?.name ?? own;
  return plan.aggregation.strategy === 'prefix' ? prefix + name : name;
}

function createUniformItem(value: boolean): CatalogItem {
  return Object.fromEntries(TOOL_HINTS.map(hint => [hint, value]));
}
