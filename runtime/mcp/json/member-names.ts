import { foldName } from '#shared/plan';
import { META } from '../meta-keys.ts';
import { QUOTE } from './characters.ts';

/** The members of a message that the gateway uses for decisions, and how their names are recognized in the text. */

/** The member names that the gateway reads, at any level. Each is a bit, so that a set of names is a number. */
export const BIT = {
  jsonrpc: 1 << 0,
  id: 1 << 1,
  method: 1 << 2,
  params: 1 << 3,
  result: 1 << 4,
  error: 1 << 5,
  name: 1 << 6,
  uri: 1 << 7,
  cursor: 1 << 8,
  arguments: 1 << 9,
  ref: 1 << 10,
  requestId: 1 << 11,
  type: 1 << 12,
  _meta: 1 << 13,
  [META.protocolVersion]: 1 << 14,
  [META.clientCapabilities]: 1 << 15,
  [META.clientInfo]: 1 << 16,
  [META.logLevel]: 1 << 17,
  [META.subscriptionId]: 1 << 18,
  task: 1 << 19,
  taskId: 1 << 20,
  requestState: 1 << 21,
} as const;

/** Stands for a name that only a case-insensitive parser would treat as a known name. No known name has this bit. */
export const WRONG_CASE: number = 1 << 30;

/** The known names with their closing quotes, by length. They are compared in the text of the message, without copying the name. */
const BY_LENGTH: readonly (readonly { readonly quoted: string; readonly bit: number }[])[] = Array.from(
  { length: Math.max(...Object.keys(BIT).map(name => name.length)) + 1 },
  (_, length) =>
    Object.entries(BIT)
      .filter(([name]) => name.length === length)
      .map(([name, bit]) => ({ quoted: `${name}"`, bit })),
);
const BIT_OF: ReadonlyMap<string, number> = new Map(Object.entries(BIT));
const BIT_OF_FOLDED: ReadonlyMap<string, number> = new Map(
  Object.entries(BIT).map(([name, bit]) => [foldName(name), bit]),
);

/**
 * The bit of the known name at `start`, 0 for another name, or {@link WRONG_CASE}.
 * @param value start of the member's value: only space and a colon are between it and the name
 */
export function getNameBit(text: string, start: number, value: number, looked: number): number {
  let end = value - 1;
  while (text.charCodeAt(end) !== QUOTE) end--;
  const candidates = BY_LENGTH[end - start - 1];
  if (candidates !== undefined) {
    for (const { quoted, bit } of candidates) {
      if ((bit & looked) !== 0 && text.startsWith(quoted, start + 1)) return bit;
    }
  }
  return getUnusualNameBit(decodeString(text, start, end + 1), looked);
}

/** Does the same as `getNameBit` for a name in another spelling: with escapes, or in the wrong case. */
function getUnusualNameBit(name: string, looked: number): number {
  // Case folding does not change the length, so the length excludes most names.
  const candidates = BY_LENGTH[name.length];
  if (candidates === undefined || candidates.length === 0) return 0;
  const bit = (BIT_OF.get(name) ?? 0) & looked;
  if (bit !== 0) return bit;
  return ((BIT_OF_FOLDED.get(foldName(name)) ?? 0) & looked) === 0 ? 0 : WRONG_CASE;
}

/** The decoded name that starts at `start`; `value` as for {@link getNameBit}. */
export function decodeNameAt(text: string, start: number, value: number): string {
  return decodeString(text, start, text.lastIndexOf('"', value - 1) + 1);
}

/** The value of the string from `start` to `end`, quotes included. Without an escape, the value is the text between the quotes. */
export function decodeString(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end - 1);
  return raw.includes('\\') ? JSON.parse(text.slice(start, end)) : raw;
}
