/** How a backend's tool or prompt looks to clients: the compiler shows what the runtime will send. */
import type { ToolOverridePlan } from './format.ts';

/** A definition as the backend sent it, unknown members included. */
export type CatalogItem = { readonly [member: string]: unknown };

/** Only what the plan says changes; every other member of the backend's definition passes. */
export function shownTool(item: CatalogItem, name: string, override: ToolOverridePlan | undefined): CatalogItem {
  return {
    ...item,
    name,
    ...(override?.description === undefined ? {} : { description: override.description }),
    ...(override?.annotations === undefined
      ? {}
      : { annotations: { ...(item.annotations as CatalogItem | undefined), ...override.annotations } }),
  };
}

export function shownPrompt(item: CatalogItem, name: string): CatalogItem {
  return { ...item, name };
}

/** What an override says about one tool of a backend; the name is the backend's own. */
export function overrideOf(
  overrides: { readonly [tool: string]: ToolOverridePlan },
  originalName: string,
): ToolOverridePlan | undefined {
  return Object.hasOwn(overrides, originalName) ? overrides[originalName] : undefined;
}
