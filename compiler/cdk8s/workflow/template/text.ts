import { quoted } from './quoted.ts';

/** Literal text, or a command whose result is printed. */
export type TemplatePart = string | { readonly command: string };

/** A template that prints these parts in order. */
export function templateText(parts: readonly TemplatePart[]): string {
  const merged: TemplatePart[] = [];
  for (const part of parts) {
    const last = merged.at(-1);
    if (typeof part === 'string' && typeof last === 'string') merged[merged.length - 1] = last + part;
    else merged.push(part);
  }
  return merged
    .map((part, index) => (typeof part === 'string' ? escaped(part, index < merged.length - 1) : `{{${part.command}}}`))
    .join('');
}

/** Whether a template prints the text unchanged. */
export function isPlain(text: string): boolean {
  return !text.includes('{{');
}

/** Escapes literal text: text that would open an action is printed by an action, and so are braces that would join the action after them. */
function escaped(text: string, isBeforeAction: boolean): string {
  const braces = isBeforeAction ? /\{{2,}|\{$/g : /\{{2,}/g;
  return text.toWellFormed().replace(braces, run => `{{${quoted(run)}}}`);
}
