/**
 * Strings with the semantics of Go's bytes. A byte that is not part of valid UTF-8 is represented by the lone surrogate U+DC00 + byte, so that
 * splitting a character and joining it again gives the character.
 */

const encoder = new TextEncoder();
/** With the flag `u`, the pattern does not match half of a surrogate pair. */
const STRAY = /([\udc80-\udcff])/u;

export function encodeText(text: string): Uint8Array {
  if (text.isWellFormed()) return encoder.encode(text);
  const pieces = text.split(STRAY).map(piece => {
    const code = piece.length === 1 ? piece.charCodeAt(0) : 0;
    return isStrayByte(code) ? Buffer.of(code - 0xdc00) : encoder.encode(piece);
  });
  return Buffer.concat(pieces);
}

/** Whether a code point represents a byte. */
export function isStrayByte(code: number): boolean {
  return code >= 0xdc80 && code <= 0xdcff;
}

const whole = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function decodeText(bytes: Uint8Array): string {
  try {
    return whole.decode(bytes);
  } catch {
    return decodeStray(bytes);
  }
}

function decodeStray(bytes: Uint8Array): string {
  let text = '';
  let start = 0;
  for (let position = 0; position < bytes.length; ) {
    const length = getCharacterLength(bytes, position);
    if (length === 0) {
      text += whole.decode(bytes.subarray(start, position)) + String.fromCharCode(0xdc00 + (bytes[position] ?? 0));
      start = position + 1;
    }
    position += Math.max(length, 1);
  }
  return text + whole.decode(bytes.subarray(start));
}

/** The number of bytes of a character, or 0 when none starts here: RFC 3629, section 4. */
function getCharacterLength(bytes: Uint8Array, position: number): number {
  const first = bytes[position] ?? 0;
  if (first < 0x80) return 1;
  const length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (position + length > bytes.length) return 0;
  for (let index = 1; index < length; index += 1) if (((bytes[position + index] ?? 0) & 0xc0) !== 0x80) return 0;
  const second = bytes[position + 1] ?? 0;
  const least = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const most = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  return second >= least && second <= most ? length : 0;
}

export function countBytes(text: string): number {
  return text.isWellFormed() ? Buffer.byteLength(text) : encodeText(text).length;
}

/** The output of a template: each remaining stray byte becomes U+FFFD, as in Go's JSON. */
export function toWellFormed(text: string): string {
  return text.isWellFormed() ? text : decodeText(encodeText(text)).toWellFormed();
}

/** Go's order of strings, which compares their bytes. */
export function compareBytes(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(encodeText(a), encodeText(b));
}

/** The keys of a map in Go's order. */
export function sortKeys(map: { readonly [key: string]: unknown }): string[] {
  const keys = Object.keys(map);
  // UTF-16 and UTF-8 sort differently only beyond the basic multilingual plane.
  return keys.every(key => !/[\ud800-\udfff]/.test(key)) ? keys.sort() : keys.sort(compareBytes);
}
