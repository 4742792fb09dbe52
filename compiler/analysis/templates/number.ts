/** Go's number literals. */

export type NumberLiteral =
  | { readonly kind: 'int' | 'float'; readonly value: string }
  | { readonly kind: 'complex' | 'too-large' | 'malformed' };

const INTEGER = /^([+-]?)(?:0[xX]([\da-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9]\d*))$/;
const HEX_FLOAT = /^([+-]?)0[xX](?=\.?[\da-fA-F])([\da-fA-F]*)\.?([\da-fA-F]*)[pP]([+-]?\d+)$/;
const FLOAT = /^[+-]?(?=\.?\d)\d*\.?\d*(?:[eE][+-]?\d+)?$/;
const MAX_UINT64 = 2n ** 64n - 1n;
const MIN_INT64 = -(2n ** 63n);

/** The value of a literal according to its syntax alone, since no context gives it another type. */
export function readNumber(text: string): NumberLiteral {
  const plain = withoutUnderscores(text);
  if (plain === undefined) return { kind: 'malformed' };
  if (/^[+-]?[\d.][\w.+-]*i$/.test(plain)) return { kind: 'complex' };
  const integer = readInteger(plain);
  // A point or an exponent makes a float, even where the value is whole. Go also looks for exponent letters in a hex integer unless it starts
  // with 0x, so a signed hex integer with an `e` counts as a float.
  const looksLikeFloat = /[.eEpP]/.test(plain) && !/^0[xX][^pP]+$/.test(plain);
  if (integer !== undefined && !looksLikeFloat) {
    if (integer < MIN_INT64 || integer > MAX_UINT64) return { kind: 'too-large' };
    return { kind: 'int', value: String(integer) };
  }
  const float = integer === undefined ? readFloat(plain) : Number(integer);
  if (float === undefined || !looksLikeFloat) return { kind: 'malformed' };
  if (!Number.isFinite(float)) return { kind: 'too-large' };
  return { kind: 'float', value: Object.is(float, -0) ? '-0' : String(float) };
}

/** A number without underscores; undefined if one stands elsewhere than between two digits, or between the base prefix and a digit. */
function withoutUnderscores(text: string): string | undefined {
  if (!text.includes('_')) return text;
  const isHex = /^[+-]?0[xX]/.test(text);
  const digits = text.replace(/^([+-]?)0[xXoObB]/, '$10');
  const wrong = isHex ? /(?<![\da-fA-F])_|_(?![\da-fA-F])/ : /(?<!\d)_|_(?!\d)/;
  return wrong.test(digits) ? undefined : text.replaceAll('_', '');
}

function readInteger(text: string): bigint | undefined {
  const found = INTEGER.exec(text);
  if (found === null) return undefined;
  const [, sign, hex, binary, octal, decimal = '0'] = found;
  const value = BigInt(hex ? `0x${hex}` : binary ? `0b${binary}` : octal ? `0o${octal}` : decimal);
  return sign === '-' ? -value : value;
}

function readFloat(text: string): number | undefined {
  if (FLOAT.test(text)) return Number(text);
  const hex = HEX_FLOAT.exec(text);
  if (hex === null) return undefined;
  const [, sign, whole = '', fraction = '', exponent] = hex;
  const value = Number(BigInt(`0x${whole}${fraction}`)) * 2 ** (Number(exponent) - 4 * fraction.length);
  return sign === '-' ? -value : value;
}
