/** Go's `strconv.Quote` and its relatives. */
import { isStrayByte } from '../byte-text.ts';

const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;
const SHORT: { readonly [code: number]: string } = {
  7: '\\a',
  8: '\\b',
  9: '\\t',
  10: '\\n',
  11: '\\v',
  12: '\\f',
  13: '\\r',
  92: '\\\\',
};

/** Letters, marks, numbers, punctuation, symbols and the ASCII space. */
export function isPrintable(code: number): boolean {
  return PRINTABLE.test(String.fromCodePoint(code));
}

export function quote(text: string, onlyAscii = false): string {
  return `"${Array.from(text, character => escapeCharacter(character.codePointAt(0) ?? 0, '"', onlyAscii)).join('')}"`;
}

/** A code point as a character literal; an invalid one becomes U+FFFD. */
export function quoteCharacter(code: number, onlyAscii: boolean): string {
  return `'${escapeCharacter(code, "'", onlyAscii)}'`;
}

/** Whether a text can be quoted by backquotes without escapes. */
export function canBackquote(text: string): boolean {
  return text.isWellFormed() && !/[^\t -_a-~\u{80}-\u{10ffff}]|\ufeff/u.test(text);
}

function escapeCharacter(code: number, delimiter: string, onlyAscii: boolean): string {
  const short = SHORT[code];
  if (short !== undefined) return short;
  const character = String.fromCodePoint(code);
  if (character === delimiter) return `\\${delimiter}`;
  if (isStrayByte(code)) return `\\x${formatHex(code - 0xdc00, 2)}`;
  if ((code < 0x80 || !onlyAscii) && isPrintable(code)) return character;
  if (code < 0x20 || code === 0x7f) return `\\x${formatHex(code, 2)}`;
  return code > 0xffff ? `\\U${formatHex(code, 8)}` : `\\u${formatHex(code, 4)}`;
}

function formatHex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}
