import type { CatalogItem } from '#schemas';
import { getMember } from '#schemas';

/** The display title: the member of the item, or the older member in a tool's annotations. */
export function readTitle(definition: CatalogItem): { readonly title?: string } {
  const own = getMember(definition, 'title');
  const title = typeof own === 'string' && own !== '' ? own : getMember(getMember(definition, 'annotations'), 'title');
  return typeof title === 'string' && title !== '' ? { title } : {};
}
