/** How clients see a backend's tool or prompt: the compiler shows what the runtime will send. */
import type { CatalogItem, ToolOverridePlan } from '#schemas';
import { toReadableItem } from './item-shape.ts';

/** Changes only the members in the plan, and those that clients could not read; every other member of the backend's definition stays. */
export function presentTool(item: CatalogItem, name: string, override: ToolOverridePlan | undefined): CatalogItem {
  const shown = toReadableItem(item, 'tools');
  return {
    ...shown,
    ...toReadable(item, 'inputSchema'),
    ...toReadable(item, 'outputSchema'),
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
function toReadable(item: CatalogItem, member: 'inputSchema' | 'outputSchema'): CatalogItem {
  const schema = item[member] as { readonly properties?: CatalogItem } | undefined;
  const properties = schema?.properties;
  if (properties === undefined || properties === null || !Object.values(properties).some(isBoolean)) return {};
  const presentedProperties = Object.entries(properties).map(([name, value]) => [
    name,
    isBoolean(value) ? respellSchema(value) : value,
  ]);
  return { [member]: { ...schema, properties: Object.fromEntries(presentedProperties) } };
}

const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
const respellSchema = (schema: boolean): CatalogItem => (schema ? {} : { not: {} });

export function presentPrompt(item: CatalogItem, name: string): CatalogItem {
  return { ...toReadableItem(item, 'prompts'), name };
}

/** A resource, or a template. */
export function presentResource(item: CatalogItem, list: 'resources' | 'resourceTemplates'): CatalogItem {
  return toReadableItem(item, list);
}

/** The override for one tool of a backend, by the backend's own name. */
export function findOverride(
  overrides: { readonly [tool: string]: ToolOverridePlan },
  originalName: string,
): ToolOverridePlan | undefined {
  return Object.hasOwn(overrides, originalName) ? overrides[originalName] : undefined;
}
