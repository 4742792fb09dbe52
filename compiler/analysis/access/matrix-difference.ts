/** Differences from an expected matrix, by gateway. */
import { compareText } from '#schemas';
import type { Cell, GatewayMatrix, Matrix, MatrixItem } from './matrix.ts';

/** A cell that differs between two matrices; undefined on the side that lacks it. */
export interface CellChange {
  readonly gateway: string;
  readonly item: Pick<MatrixItem, 'type' | 'name'>;
  readonly persona: string;
  readonly before: Cell | undefined;
  readonly after: Cell | undefined;
}

/**
 * Sorted by gateway, type, name and persona. A missing cell counts as denied: adding or removing an item that no caller may use is not a
 * difference.
 */
export function matrixDifference(before: Matrix, after: Matrix): readonly CellChange[] {
  const [old, now] = [listCells(before), listCells(after)];
  const keys = [...new Set([...old.keys(), ...now.keys()])].sort(compareText);
  return keys.flatMap(key => {
    const [was, is] = [old.get(key), now.get(key)];
    const one = is ?? was;
    if (one === undefined || (was?.cell ?? 'no') === (is?.cell ?? 'no')) return [];
    const { gateway, item, persona } = one;
    return [{ gateway, item: { type: item.type, name: item.name }, persona, before: was?.cell, after: is?.cell }];
  });
}

interface PlacedCell {
  readonly gateway: string;
  readonly item: MatrixItem;
  readonly persona: string;
  readonly cell: Cell;
}

function listCells({ gateways }: Matrix): ReadonlyMap<string, PlacedCell> {
  const cells = gateways.flatMap(gateway =>
    gateway.items.flatMap(item =>
      Object.entries(item.access).map(([persona, cell]) => ({ gateway: formatName(gateway), item, persona, cell })),
    ),
  );
  return new Map(cells.map(one => [JSON.stringify([one.gateway, one.item.type, one.item.name, one.persona]), one]));
}

function formatName({ namespace, name }: GatewayMatrix): string {
  return `${namespace}/${name}`;
}
