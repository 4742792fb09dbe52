/** Wording that all text formats of a matrix share. */
import { type Cell, type GatewayMatrix, ITEM_TYPES, type ItemType, type MatrixItem } from '../matrix.ts';

export const CELL_TEXTS: { readonly [C in Cell]: string } = { yes: 'yes', no: 'no', arguments: 'depends' };

const TITLES: { readonly [T in ItemType]: string } = {
  tool: 'Tools',
  prompt: 'Prompts',
  resource: 'Resources',
  resourceTemplate: 'Resource templates',
};

/** Shown below a table with a cell that depends on arguments. */
export const DEPENDS_NOTE = 'depends: on the arguments; lists show it, and without arguments it is not permitted';

/** Shown when the tool lock does not have all backends. */
export const INCOMPLETE_NOTE = 'The tool lock does not know all backends, so there may be more.';

export interface Section {
  readonly title: string;
  readonly items: readonly MatrixItem[];
}

/** One section for each item type that occurs. */
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
