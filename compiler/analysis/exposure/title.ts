import type { CatalogItem } from '#schemas';
import { getMember } from '#schemas';

/** The title for people: the item's own, or that among the annotations of a tool, which is older. */
export function readTitle(definition: CatalogItem): { readonly title?: string } {
  const own = getMember(definition, 'title');
  const title = typeof own === 'string' && own !== '' ? own : getMember(getMember(definition, 'annotations'), 'title');
  return typeof title === 'string' && title !== '' ? { title } : {};
}
