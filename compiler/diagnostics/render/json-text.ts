import { escapeUnprintable } from './printable.ts';

/**
 * A value as a JSON document with a final line break. JSON allows C1 and bidirectional control characters, which affect terminals, so they are
 * escaped (RFC 8259, section 7); programs read the same text.
 */
export function formatJson(value: unknown): string {
  const text = JSON.stringify(value, null, 2);
  return `${text.replace(/[^\n]+/g, escapeUnprintable)}\n`;
}
