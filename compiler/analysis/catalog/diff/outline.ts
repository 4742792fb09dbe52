/** A diff as an outline, which the text and Markdown formats lay out. */
import { ITEM_KINDS } from '../item-kinds.ts';
import type { BackendDiff, Change, ItemDiff } from './change.ts';
import { escapeInvisible } from './escape-invisible.ts';

/** The kind of a line: added, removed, changed, or worth a second look. */
export type Mark = '+' | '-' | '~' | '!';

export interface OutlineLine {
  readonly depth: 0 | 1 | 2;
  readonly mark: Mark;
  readonly text: string;
}

export function outlineDiff(diff: BackendDiff): readonly OutlineLine[] {
  const head = { depth: 0, mark: MARKS[diff.change], text: `${escapeInvisible(diff.key)}${countText(diff)}` } as const;
  return [head, ...diff.facts.map(fact => changeLine(1, fact)), ...diff.items.flatMap(outlineItem)];
}

const MARKS = { added: '+', removed: '-', changed: '~', renamed: '~' } as const;

function outlineItem(item: ItemDiff): OutlineLine[] {
  const { kind, change, effect, changes } = item;
  const from = item.from === undefined ? '' : `, was ${escapeInvisible(item.from)}`;
  const does = effect === undefined ? '' : ` (${effect})`;
  const text = `${kind} ${escapeInvisible(item.name)}${from}${does}`;
  return [{ depth: 1, mark: MARKS[change], text }, ...changes.map(entry => changeLine(2, entry))];
}

function changeLine(depth: 1 | 2, { part, text, alarm }: Change): OutlineLine {
  return { depth, mark: alarm === true ? '!' : '~', text: `${part}: ${text}` };
}

/** How many items a new backend offers. */
function countText({ change, items }: BackendDiff): string {
  if (change !== 'added') return '';
  const counts = ITEM_KINDS.flatMap(({ noun }) => {
    const count = items.filter(({ kind }) => kind === noun).length;
    return count === 0 ? [] : `${count} ${noun}${count === 1 ? '' : 's'}`;
  });
  return counts.length === 0 ? ': offers nothing' : `: ${counts.join(', ')}`;
}
