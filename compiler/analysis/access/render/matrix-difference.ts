import { escapeUnprintable } from '../../../diagnostics/render/printable.ts';
import type { Cell } from '../matrix.ts';
import type { CellChange, PersonaAccess } from '../matrix-difference.ts';
import { CELL_TEXTS, ITEM_WORDS } from './matrix-words.ts';

/** One line per cell, below its server. A line with `!` says that a caller may do more than expected. */
export function renderMatrixDifference(changes: readonly CellChange[]): string {
  const byServer = Map.groupBy(changes, ({ server }) => server);
  return [...byServer]
    .map(
      ([server, own]) =>
        `${escapeUnprintable(server)}\n${own.map(change => `  ${escapeUnprintable(formatLine(change))}\n`).join('')}`,
    )
    .join('');
}

function formatLine({ item, persona, before, after }: CellChange): string {
  const type = ITEM_WORDS[item.type];
  return `${isWider(before, after) ? '!' : '~'} ${persona}, ${type} ${item.name}: ${formatAccess(before)} -> ${formatAccess(after)}${formatRedirection(before, after)}`;
}

function formatAccess(access: PersonaAccess | undefined): string {
  if (access === undefined) return 'not there';
  const { direct, through } = access;
  if (through.length === 0) return CELL_TEXTS[direct];
  const workflows = `through ${through.join(', ')}`;
  return direct === 'no' ? workflows : `${CELL_TEXTS[direct]}, and ${workflows}`;
}

const CELL_RANK: { readonly [C in Cell]: number } = { no: 0, arguments: 1, yes: 2 };

function isWider(before: PersonaAccess | undefined, after: PersonaAccess | undefined): boolean {
  const isNewWay = after?.through.some(workflow => before?.through.includes(workflow) !== true) === true;
  return (
    isNewWay ||
    formatRedirection(before, after) !== '' ||
    CELL_RANK[after?.direct ?? 'no'] > CELL_RANK[before?.direct ?? 'no']
  );
}

/** Names the backend's item that a name leads to now, if it led to another one before. */
function formatRedirection(before: PersonaAccess | undefined, after: PersonaAccess | undefined): string {
  if (before?.origin === undefined || after === undefined || before.origin === after.origin) return '';
  return `, now ${after.origin ?? 'a workflow'} and not ${before.origin}`;
}
