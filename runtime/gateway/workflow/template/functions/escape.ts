/** `html`, `js` and `urlquery`: escape their printed arguments. */
import { encodeText, isStrayByte } from '../byte-text.ts';
import { printAll } from '../format/print.ts';
import { isPrintable } from '../format/quote.ts';
import type { Budget } from '../limits.ts';
import type { TemplateValue } from '../value.ts';

/** A function that prints its arguments, nil as `<no value>`, and escapes the result. */
export function escaped(
  escapeText: (text: string) => string,
): (values: readonly TemplateValue[], budget: Budget) => string {
  return (values, budget) =>
    escapeText(
      printAll(
        values.map(value => value ?? '<no value>'),
        budget,
      ),
    );
}

const HTML: { readonly [character: string]: string } = {
  '\0': '\ufffd',
  '"': '&#34;',
  "'": '&#39;',
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
};

export function escapeHtml(text: string): string {
  return text.replace(/[\0"'&<>]/g, character => HTML[character] ?? character);
}

const JS: { readonly [character: string]: string } = { '\\': '\\\\', "'": "\\'", '"': '\\"' };

export function escapeJs(text: string): string {
  return text.replace(/[^ -~]|[\\'"<>&=]/gu, character => {
    const code = character.codePointAt(0) ?? 0;
    if (code === 0x7f || isStrayByte(code) || (code >= 0x80 && isPrintable(code))) return character;
    return JS[character] ?? `\\u${code.toString(16).toUpperCase().padStart(4, '0')}`;
  });
}

export function escapeQuery(text: string): string {
  if (/^[\w.~-]*$/.test(text)) return text;
  const pieces = Array.from(encodeText(text), byte => {
    if (byte === 0x20) return '+';
    const character = String.fromCharCode(byte);
    return /[\w.~-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  });
  return pieces.join('');
}
