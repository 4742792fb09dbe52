/** A whole number without exponent, fraction or leading zeros, with few enough digits for a double to represent it exactly. */
const USUAL = /^(?:0|-?[1-9]\d{0,14})$/;

/** A number in JSON's notation, but leading zeros are permitted, because headers may have them. */
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** The number of digits of 2^53 − 1. */
const MAX_DIGITS = 16;

const ZERO = 0x30;

/**
 * Formats the number in a text as a plain decimal: digits with an optional minus. Undefined if the number is not whole, or outside of
 * −(2^53 − 1) … 2^53 − 1, the integers on which all parsers agree. The function works on the digits: as a double, 2^53 + 1 would be a different
 * number, and 0.99999999999999999 would be whole.
 */
export function formatInteger(text: string): string | undefined {
  if (USUAL.test(text)) return text;
  const [, sign = '', whole, fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const all = whole + fraction;
  let start = 0;
  while (all.charCodeAt(start) === ZERO) start++;
  if (start === all.length) return '0';
  let end = all.length;
  while (all.charCodeAt(end - 1) === ZERO) end--;
  const zeros = Number(exponent) - fraction.length + all.length - end;
  if (zeros < 0 || end - start + zeros > MAX_DIGITS) return undefined;
  const plain = sign + all.slice(start, end) + '0'.repeat(zeros);
  return Number.isSafeInteger(Number(plain)) ? plain : undefined;
}
