/** The names of a backend's items according to the tool lock, for runtimes that start while the backend is unavailable. */
import { type BackendPlan, type CatalogItem, compareText } from '#schemas';
import type { Catalog } from '../analysis/catalog/index.ts';
import type { BackendOrigin } from '../resolve/backend-origin.ts';

/** The plan member with the names; absent when the lock does not have the backend. */
export function lowerLockedNames(
  catalog: Catalog | undefined,
  origin: BackendOrigin | undefined,
): Pick<BackendPlan, 'locked'> {
  const entry = origin && catalog?.backend(origin.key);
  if (entry === undefined) return {};
  return {
    locked: {
      tools: sortKeys(entry.tools, 'name'),
      prompts: sortKeys(entry.prompts, 'name'),
      resources: sortKeys(entry.resources, 'uri'),
      resourceTemplates: sortKeys(entry.resourceTemplates, 'uriTemplate'),
    },
  };
}

function sortKeys(items: readonly CatalogItem[], key: 'name' | 'uri' | 'uriTemplate'): string[] {
  return items.map(item => item[key] as string).sort(compareText);
}
