import type { CatalogItem } from '#schemas';
import { getMember } from '#schemas';

/** The display title: the item's own, or the older one in a tool's annotations. */
export function readTitle(definition: CatalogItem): { readonly title?: string } {
  const own = getMember(definition, 'title');
  const title = typeof own === 'string' && own !== '' ? own : getMember(getMember(definition, 'annotations'), 'title');
  return typeof title === 'string' && title !== '' ? { title } : {};
}
