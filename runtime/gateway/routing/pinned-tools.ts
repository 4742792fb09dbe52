/** Pinned tools: clients of the gateway get them only as the tool lock has them. */
import type { BackendPlan, CatalogItem } from '#schemas';
import { computeItemDigest } from '#shared/plan';
import type { BackendOffer } from './table.ts';
import type { WithheldItems } from './withheld.ts';

const UNLOCKED = 'the tool lock does not have it; run "lintel lock", review the difference, and roll it out';

/** Removes tools that the tool lock does not contain, before names are assigned: they cannot take a name from another tool. */
export function dropUnlocked(
  { name: backend, pinned }: Pick<BackendPlan, 'name' | 'pinned'>,
  tools: readonly CatalogItem[],
  withheld: WithheldItems,
): readonly CatalogItem[] {
  if (pinned === undefined) return tools;
  return tools.filter(tool => {
    const name = tool.name as string;
    if (Object.hasOwn(pinned.tools, name)) return true;
    withheld.add({ kind: 'tools', backend, name, originalName: name, reason: 'not_locked', detail: UNLOCKED });
    return false;
  });
}

/** Whether a backend defines a tool differently from the pinned definition. Undefined when the gateway does not pin tools. */
export function findChangedTools(
  offers: readonly BackendOffer[],
): ((backend: string, tool: CatalogItem) => boolean) | undefined {
  // An unavailable backend is skipped: only its names are known, and nothing serves them.
  const pinned = offers.flatMap(({ plan, available }) =>
    available && plan.pinned !== undefined ? [[plan.name, plan.pinned.tools] as const] : [],
  );
  if (pinned.length === 0) return undefined;
  const digests = new Map(pinned);
  return (backend, tool) => {
    const tools = digests.get(backend);
    return tools !== undefined && tools[tool.name as string] !== getCachedDigest(tool);
  };
}

const known = new WeakMap<CatalogItem, string | undefined>();

/** The digest of a tool, computed once: each change of any backend builds the table again. */
function getCachedDigest(tool: CatalogItem): string | undefined {
  if (!known.has(tool)) known.set(tool, computeItemDigest(tool));
  return known.get(tool);
}
