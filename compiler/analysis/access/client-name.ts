import { findOverride } from '#shared/plan';
import type { GatewayModel } from '../gateway/model.ts';

/** A tool by its backend and the backend's own name. */
export interface ToolOfBackend {
  readonly backend: string;
  readonly name: string;
}

/** The name that clients see, hidden or not; undefined for a backend or tool that the gateway does not have. */
export function findClientName(
  { backends, plan, toolNames, withheld }: GatewayModel,
  { backend, name }: ToolOfBackend,
): string | undefined {
  const known =
    toolNames.findByOriginalName(backend, name) ??
    withheld.tools.find(tool => tool.backend === backend && tool.originalName === name);
  if (known !== undefined) return known.name;
  const unlocked = backends.find(entry => entry.name === backend && entry.locked === undefined);
  if (unlocked === undefined) return undefined;
  const { overrides, prefix } = unlocked.plan.tools;
  const bare = findOverride(overrides, name)?.name ?? name;
  return plan.aggregation.strategy === 'prefix' ? prefix + bare : bare;
}
