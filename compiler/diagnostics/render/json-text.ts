import { printable } from './printable.ts';

/**
 * A value as a JSON document for files and terminals, with a line break at its end. JSON leaves C1 and bidirectional characters
 * as they are, and a terminal obeys them; they are written as the escapes of RFC 8259 section 7, so that programs read the same text.
 */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value, null, 2);
  return `${text.replace(/[^\n]+/g, printable)}\n`;
}
