/** The words of a matrix, the same in every format for people. */
import { type Cell, type GatewayMatrix, ITEM_TYPES, type ItemType, type MatrixItem } from '../matrix.ts';

export const CELL_TEXTS: { readonly [C in Cell]: string } = { yes: 'yes', no: 'no', arguments: 'depends' };

const TITLES: { readonly [T in ItemType]: string } = {
  tool: 'Tools',
  prompt: 'Prompts',
  resource: 'Resources',
  resourceTemplate: 'Resource templates',
};

/** Said below a table in which something depends. */
export const DEPENDS_NOTE = 'depends: on the arguments; lists show it, and without arguments it is not permitted';

/** Said where the tool lock does not know all. */
export const INCOMPLETE_NOTE = 'The tool lock does not know all backends, so there may be more.';

export interface Section {
  readonly title: string;
  readonly items: readonly MatrixItem[];
}

/** A section for each type of which there is something. */
export function groupByItemType({ items }: GatewayMatrix): readonly Section[] {
  const byType = Map.groupBy(items, ({ type }) => type);
  return ITEM_TYPES.flatMap(type => {
    const own = byType.get(type);
    return own === undefined ? [] : [{ title: TITLES[type], items: own }];
  });
}

export function collectNotes({
  matrix,
  notes,
}: {
  matrix: GatewayMatrix;
  notes: readonly string[];
}): readonly string[] {
  const depends = matrix.items.some(({ access }) => Object.values(access).includes('arguments'));
  return [...(depends ? [DEPENDS_NOTE] : []), ...(matrix.complete ? [] : [INCOMPLETE_NOTE]), ...notes];
}
