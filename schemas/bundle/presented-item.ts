/** How clients see a backend's tool or prompt: the compiler shows what the runtime will send. */
import type { ToolOverridePlan } from './format.ts';
import { readableItem } from './item-shape.ts';

/** A definition as the backend sent it, unknown members included. */
export type CatalogItem = { readonly [member: string]: unknown };

/** Changes only what the plan says, and what clients could not read; every other member of the backend's definition stays. */
export function presentTool(item: CatalogItem, name: string, override: ToolOverridePlan | undefined): CatalogItem {
  const shown = readableItem(item, 'tools');
  return {
    ...shown,
    ...readable(item, 'inputSchema'),
    ...readable(item, 'outputSchema'),
    name,
    ...(override?.description === undefined ? {} : { description: override.description }),
    ...(override?.annotations === undefined
      ? {}
      : { annotations: { ...(shown.annotations as CatalogItem | undefined), ...override.annotations } }),
  };
}

/**
 * A schema whose properties are all objects. Clients refuse `true` as a property, which some generators write for any value and which means the
 * same as `{}`.
 */
function readable(item: CatalogItem, member: 'inputSchema' | 'outputSchema'): CatalogItem {
  const schema = item[member] as { readonly properties?: CatalogItem } | undefined;
  const properties = schema?.properties;
  if (properties === undefined || properties === null || !Object.values(properties).some(isBoolean)) return {};
  const written = Object.entries(properties).map(([name, value]) => [name, isBoolean(value) ? spelt(value) : value]);
  return { [member]: { ...schema, properties: Object.fromEntries(written) } };
}

const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
const spelt = (schema: boolean): CatalogItem => (schema ? {} : { not: {} });

export function presentPrompt(item: CatalogItem, name: string): CatalogItem {
  return { ...readableItem(item, 'prompts'), name };
}

/** A resource, or a template. */
export function presentResource(item: CatalogItem, list: 'resources' | 'resourceTemplates'): CatalogItem {
  return readableItem(item, list);
}

/** The override for one tool of a backend, by the backend's own name. */
export function findOverride(
  overrides: { readonly [tool: string]: ToolOverridePlan },
  originalName: string,
): ToolOverridePlan | undefined {
  return Object.hasOwn(overrides, originalName) ? overrides[originalName] : undefined;
}
