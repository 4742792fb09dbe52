/** Values of backends in a line: nothing in them may act on a terminal, hide, or go on for pages. */
import { canonicalJson } from '#schemas';
import { printable } from '../../../diagnostics/render/printable.ts';

/** Longer values are cut, in UTF-16 code units. */
const MAX_SHOWN = 120;

/** Format characters and private ones, which people do not see and models read. Joiners of emoji are not among them. */
const HIDDEN = /[\p{Cf}\p{Co}](?<![\u200d\u00ad])/gu;

/** Text in which every character is seen. */
export function visible(text: string): string {
  const escaped = text.replace(HIDDEN, char => `\\u{${char.codePointAt(0)?.toString(16)}}`);
  return printable(escaped);
}

export function hidesSomething(text: string): boolean {
  return text.search(HIDDEN) !== -1;
}

/** A value as JSON, cut where it gets long. */
export function formatValue(value: unknown): string {
  const text = canonicalJson(value);
  return visible(text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`.toWellFormed());
}
