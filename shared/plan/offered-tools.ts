/**
 * Resolves the tools of a gateway: the name of each, and which ones clients do not see because of their definition. The compiler uses it for the
 * tool lock and the runtime for live backends, so that the runtime serves what was reviewed.
 */

import type { AggregationPlan, BackendPlan, CatalogItem } from '#schemas';
import { type NamedItem, resolveToolNames, type WithheldItem } from './item-names.ts';
import { validateTool, validateToolName } from './validate-tool.ts';

/** The tools that one backend offers, with unique names. */
export interface ToolOffer {
  readonly backend: string;
  readonly tools: readonly CatalogItem[];
}

export interface OfferedTool extends NamedItem {
  /** The definition that the backend sent. */
  readonly item: CatalogItem;
  /** Why clients do not see the tool although its settings show it. */
  readonly fault?: ToolFault;
}

/** Why a named tool must not be shown; `changed_definition`: it differs from the definition that the gateway has pinned. */
export interface ToolFault {
  readonly reason: 'invalid_schema' | 'unfit_name' | 'changed_definition';
  /** The exact violation, for operators. */
  readonly detail: string;
}

export interface ToolResolution {
  readonly named: readonly OfferedTool[];
  readonly withheld: readonly WithheldItem[];
}

/**
 * Resolves the tools of all backends. A tool with a fault keeps its name: otherwise a backend that breaks its own schema would give the
 * name to another backend. Such a tool is treated as hidden: clients can neither list nor call it, but workflow steps can call it. Hidden
 * tools are not checked, because no client reads their definitions.
 *
 * @param isChanged whether a backend's definition of a tool differs from the pinned one; those of the tool lock never do
 */
export function resolveTools(
  aggregation: AggregationPlan,
  backends: readonly Pick<BackendPlan, 'name' | 'tools'>[],
  offers: readonly ToolOffer[],
  isChanged: (backend: string, tool: CatalogItem) => boolean = () => false,
): ToolResolution {
  const items = new Map(offers.map(({ backend, tools }) => [backend, new Map(tools.map(tool => [tool.name, tool]))]));
  const offered = offers.map(({ backend, tools }) => ({ backend, names: tools.map(tool => tool.name as string) }));
  const { named, withheld } = resolveToolNames(aggregation, backends, offered);
  const tools = named.flatMap(tool => {
    const item = items.get(tool.backend)?.get(tool.originalName);
    if (item === undefined) return [];
    const fault = isChanged(tool.backend, item) ? CHANGED : tool.advertised ? findFault(item, tool.name) : undefined;
    return [{ ...tool, item, ...(fault === undefined ? {} : { advertised: false, fault }) }];
  });
  return { named: tools, withheld };
}

const CHANGED: ToolFault = {
  reason: 'changed_definition',
  detail: 'its definition differs from the tool lock; run "lintel lock", review the difference, and roll it out',
};

function findFault(item: CatalogItem, name: string): ToolFault | undefined {
  const nameViolation = validateToolName(name);
  if (nameViolation !== undefined) return { reason: 'unfit_name', detail: nameViolation };
  const detail = findToolViolation(item);
  return detail === undefined ? undefined : { reason: 'invalid_schema', detail };
}

const violations = new WeakMap<CatalogItem, string | null>();

/** Cached for each definition, because every change of a backend leads to a new check, in every gateway that has the backend. */
function findToolViolation(tool: CatalogItem): string | undefined {
  let violation = violations.get(tool);
  if (violation === undefined) {
    violation = validateTool(tool) ?? null;
    violations.set(tool, violation);
  }
  return violation ?? undefined;
}
