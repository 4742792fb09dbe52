import type { CatalogItem } from '#schemas';
import { memberOf } from '#schemas';

/** The title for people: the item's own, or that among the annotations of a tool, which is older. */
export function titleOf(definition: CatalogItem): { readonly title?: string } {
  const own = memberOf(definition, 'title');
  const title = typeof own === 'string' && own !== '' ? own : memberOf(memberOf(definition, 'annotations'), 'title');
  return typeof title === 'string' && title !== '' ? { title } : {};
}
