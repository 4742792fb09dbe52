import { escapeUnprintable } from '../diagnostics/render/printable.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Untrusted text for an element or a quoted attribute: it opens no tag, and bidirectional controls become visible. */
export function escapeHtml(text: string): string {
  return escapeUnprintable(text.replace(/\s*\n\s*/g, ' ')).replace(/[&<>"']/g, char => ENTITIES[char] as string);
}
