/** Tables of a report, independent of the output format. */
import type { ExposedTool, Who } from '../exposure.ts';
import { formatWho } from '../format-who.ts';
import { toReportHints } from '../report-hints.ts';
import { formatHints } from './words.ts';

export interface Section {
  readonly title: string;
  readonly head: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
  /** A note that is shown below the table. */
  readonly note?: string;
}

export interface Column {
  readonly name: string;
  readonly align?: 'right';
}

/** `tone`: highlights what deserves a look, in terminals with colors. */
export interface Cell {
  readonly text: string;
  readonly tone?: 'warn' | 'dim';
}

export function toCell(text: string, tone?: Cell['tone']): Cell {
  return tone === undefined ? { text } : { text, tone };
}

export function renderWho(who: Who): Cell {
  return toCell(formatWho(who), who.type === 'unknown' ? 'dim' : undefined);
}

export function renderHints(hints: ExposedTool['hints']): Cell {
  const text = formatHints(hints);
  return toReportHints(hints).readOnlyHint?.value === true ? toCell(text) : toCell(text, text === '?' ? 'dim' : 'warn');
}
