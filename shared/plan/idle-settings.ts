import type { BackendPlan } from '#schemas';
import { findOverride } from './presented-item.ts';

/** A setting for a tool that the backend does not have. */
export interface IdleSetting {
  readonly backend: string;
  /** `filter`: a tool to advertise; `override`: a tool to change, by the backend's own name. */
  readonly setting: 'filter' | 'override';
  readonly tool: string;
}

/**
 * Filters and overrides that match no tool of the backend. A misspelt name would hide a tool, or leave it unchanged, without notice.
 *
 * @param toolNames the backend's own names of all its tools
 */
export function findIdleSettings(
  plan: Pick<BackendPlan, 'name' | 'tools'>,
  toolNames: readonly string[],
): IdleSetting[] {
  const { overrides, advertise } = plan.tools;
  const own = new Set(toolNames);
  const shown = new Set([...own].map(name => findOverride(overrides, name)?.name ?? name));
  const idle = (setting: IdleSetting['setting'], names: readonly string[], known: ReadonlySet<string>) =>
    names.filter(tool => !known.has(tool)).map(tool => ({ backend: plan.name, setting, tool }));
  return [
    ...idle('filter', advertise.type === 'only' ? advertise.names : [], shown),
    ...idle('override', Object.keys(overrides), own),
  ];
}
