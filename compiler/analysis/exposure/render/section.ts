/** Tables of a report, independent of the output format. */
import type { ExposedTool, Who } from '../exposure.ts';
import { judgedHints } from '../judged-hints.ts';
import { whoText } from '../who-text.ts';
import { hintsText } from './words.ts';

export interface Section {
  readonly title: string;
  readonly head: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
  /** Shown below the table. */
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

export function cell(text: string, tone?: Cell['tone']): Cell {
  return tone === undefined ? { text } : { text, tone };
}

export function whoCell(who: Who): Cell {
  return cell(whoText(who), who.type === 'unknown' ? 'dim' : undefined);
}

export function hintsCell(hints: ExposedTool['hints']): Cell {
  const text = hintsText(hints);
  return judgedHints(hints).readOnlyHint?.value === true ? cell(text) : cell(text, text === '?' ? 'dim' : 'warn');
}
