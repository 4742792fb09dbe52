/** Values from backends on one line: they cannot control a terminal, hide text, or run on for pages. */
import { formatCanonicalJson } from '#schemas';
import { escapeUnprintable } from '../../../diagnostics/render/printable.ts';

/** Maximum length in UTF-16 code units; longer values are truncated. */
const MAX_SHOWN = 120;

/** Format and private-use characters, which people do not see and models read; emoji joiners are exempt. */
const HIDDEN = /[\p{Cf}\p{Co}](?<![\u200d\u00ad])/gu;

/** Escapes every invisible character. */
export function escapeInvisible(text: string): string {
  const escaped = text.replace(HIDDEN, char => `\\u{${char.codePointAt(0)?.toString(16)}}`);
  return escapeUnprintable(escaped);
}

export function hidesSomething(text: string): boolean {
  return text.search(HIDDEN) !== -1;
}

/** A value as JSON, truncated where it is long. */
export function formatValue(value: unknown): string {
  const text = formatCanonicalJson(value);
  return escapeInvisible(text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`.toWellFormed());
}
