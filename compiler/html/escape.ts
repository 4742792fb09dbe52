import { printable } from '../diagnostics/render/printable.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text from outside in an element or a quoted attribute: it opens no tag, and marks that reorder text are visible. */
export function escapeHtml(text: string): string {
  return printable(text.replace(/\s*\n\s*/g, ' ')).replace(/[&<>"']/g, char => ENTITIES[char] as string);
}
