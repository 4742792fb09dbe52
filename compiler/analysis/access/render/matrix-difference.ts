import { printable } from '../../../diagnostics/render/printable.ts';
import type { Cell } from '../matrix.ts';
import type { CellChange } from '../matrix-difference.ts';
import { CELL_TEXTS } from './matrix-words.ts';

/** One line per cell, below its gateway. A line with `!` says that a caller may do more than expected. */
export function renderMatrixDifference(changes: readonly CellChange[]): string {
  const byGateway = Map.groupBy(changes, ({ gateway }) => gateway);
  return [...byGateway]
    .map(
      ([gateway, own]) =>
        `${printable(gateway)}\n${own.map(change => `  ${printable(formatLine(change))}\n`).join('')}`,
    )
    .join('');
}

function formatLine({ item, persona, before, after }: CellChange): string {
  const type = item.type === 'resourceTemplate' ? 'resource template' : item.type;
  return `${isWider(before, after) ? '!' : '~'} ${persona}, ${type} ${item.name}: ${formatCell(before)} -> ${formatCell(after)}`;
}

function formatCell(cell: Cell | undefined): string {
  return cell === undefined ? 'not there' : CELL_TEXTS[cell];
}

const WEIGHT: { readonly [C in Cell]: number } = { no: 0, arguments: 1, yes: 2 };

function isWider(before: Cell = 'no', after: Cell = 'no'): boolean {
  return WEIGHT[after] > WEIGHT[before];
}
