/**
 * The tools of a gateway: the name that each gets, and which of them clients do not see because of what they are. The
 * compiler asks this of the tool lock and the runtime of live backends, so that what was reviewed is what runs.
 */

import type { AggregationPlan, BackendPlan } from './format.ts';
import { type NamedItem, resolveToolNames, type WithheldItem } from './item-names.ts';
import type { CatalogItem } from './presented-item.ts';
import { validateTool, validateToolName } from './validate-tool.ts';

/** The tools that one backend offers, each with a name of its own. */
export interface ToolOffer {
  readonly backend: string;
  readonly tools: readonly CatalogItem[];
}

export interface OfferedTool extends NamedItem {
  /** As its backend describes it. */
  readonly item: CatalogItem;
  /** Why clients do not see it although its settings show it. */
  readonly fault?: ToolFault;
}

/** Why a tool that has its name must not be shown. */
export interface ToolFault {
  readonly reason: 'invalid_schema' | 'unfit_name';
  /** What exactly is wrong, for people. */
  readonly detail: string;
}

export interface ToolResolution {
  readonly named: readonly OfferedTool[];
  readonly withheld: readonly WithheldItem[];
}

/**
 * Resolves the tools of all backends. A tool with a fault keeps its name, otherwise a backend that breaks its own schema
 * would hand the name to another; it is as a hidden one, which clients can neither list nor call and workflow steps can.
 * Hidden tools are not checked: no client reads what they say.
 */
export function resolveTools(
  aggregation: AggregationPlan,
  backends: readonly Pick<BackendPlan, 'name' | 'tools'>[],
  offers: readonly ToolOffer[],
): ToolResolution {
  const items = new Map(offers.map(({ backend, tools }) => [backend, new Map(tools.map(tool => [tool.name, tool]))]));
  const offered = offers.map(({ backend, tools }) => ({ backend, names: tools.map(tool => tool.name as string) }));
  const { named, withheld } = resolveToolNames(aggregation, backends, offered);
  const tools = named.flatMap(tool => {
    const item = items.get(tool.backend)?.get(tool.originalName);
    if (item === undefined) return [];
    const fault = tool.advertised ? findFault(item, tool.name) : undefined;
    return [{ ...tool, item, ...(fault === undefined ? {} : { advertised: false, fault }) }];
  });
  return { named: tools, withheld };
}

function findFault(item: CatalogItem, name: string): ToolFault | undefined {
  const nameViolation = validateToolName(name);
  if (nameViolation !== undefined) return { reason: 'unfit_name', detail: nameViolation };
  const detail = findToolViolation(item);
  return detail === undefined ? undefined : { reason: 'invalid_schema', detail };
}

const violations = new WeakMap<CatalogItem, string | null>();

/** Definitions are judged once: every change of any backend, and every gateway of a backend, asks again. */
function findToolViolation(tool: CatalogItem): string | undefined {
  let violation = violations.get(tool);
  if (violation === undefined) {
    violation = validateTool(tool) ?? null;
    violations.set(tool, violation);
  }
  return violation ?? undefined;
}
