/** Decodes Go's quoted literals. */

const SIMPLE: { readonly [letter: string]: number } = { a: 7, b: 8, f: 12, n: 10, r: 13, t: 9, v: 11, '\\': 92 };
const ESCAPE = /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-7]{3})|(.))/suy;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

/** The text of a `"…"` literal, or `undefined` when an escape is wrong or the bytes are not UTF-8. */
export function unquote(literal: string): string | undefined {
  const inner = literal.slice(1, -1);
  if (!inner.includes('\\')) return inner;
  const bytes: number[] = [];
  for (let position = 0; position < inner.length; ) {
    const piece = readCharacter(inner, position, '"');
    if (piece === undefined) return undefined;
    if (piece.isByte) bytes.push(piece.code);
    else bytes.push(...encoder.encode(String.fromCodePoint(piece.code)));
    position += piece.length;
  }
  try {
    return utf8.decode(Uint8Array.from(bytes));
  } catch {
    return undefined;
  }
}

/** The text of a `` `…` `` literal. Go drops carriage returns from it. */
export function unquoteRaw(literal: string): string {
  return literal.slice(1, -1).replaceAll('\r', '');
}

/** The code point of a `'…'` literal, or `undefined` when it does not hold exactly one character. */
export function unquoteCharacter(literal: string): number | undefined {
  const inner = literal.slice(1, -1);
  const piece = readCharacter(inner, 0, "'");
  return piece !== undefined && piece.length === inner.length ? piece.code : undefined;
}

interface Piece {
  readonly code: number;
  /** `\x` and octal escapes are bytes, all others characters. */
  readonly isByte: boolean;
  readonly length: number;
}

function readCharacter(text: string, position: number, quote: string): Piece | undefined {
  const code = text.codePointAt(position);
  if (code === undefined) return undefined;
  if (text.charAt(position) !== '\\') return { code, isByte: false, length: code > 0xffff ? 2 : 1 };
  ESCAPE.lastIndex = position;
  const found = ESCAPE.exec(text);
  if (found === null) return undefined;
  const [{ length }, hex, short, long, octal, simple = ''] = found;
  if (hex !== undefined) return { code: Number.parseInt(hex, 16), isByte: true, length };
  if (octal !== undefined) return toBytePiece(Number.parseInt(octal, 8), length);
  const point = short ?? long;
  if (point !== undefined) return toCharacterPiece(Number.parseInt(point, 16), length);
  return simple === quote
    ? toCharacterPiece(quote.charCodeAt(0), length)
    : toCharacterPiece(SIMPLE[simple] ?? -1, length);
}

function toBytePiece(code: number, length: number): Piece | undefined {
  return code > 0xff ? undefined : { code, isByte: true, length };
}

function toCharacterPiece(code: number, length: number): Piece | undefined {
  const valid = code >= 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return valid ? { code, isByte: false, length } : undefined;
}
