import { type CatalogItem, TOOL_HINTS } from '#schemas';
import type { CompositeModel } from '../gateway/composites.ts';
import { compositeHints } from './hints.ts';

/** How a workflow looks to clients: as a tool with the hints that its steps allow. */
export function compositeDefinition(composite: CompositeModel): CatalogItem {
  const { name, description, parameters, annotations } = composite.tool;
  const hints = compositeHints(composite);
  const shown = {
    ...annotations,
    ...Object.fromEntries(TOOL_HINTS.flatMap(hint => (hints[hint] === undefined ? [] : [[hint, hints[hint].value]]))),
  };
  return {
    name,
    ...(description === undefined ? {} : { description }),
    inputSchema: parameters ?? { type: 'object' },
    ...(Object.keys(shown).length === 0 ? {} : { annotations: shown }),
  };
}
