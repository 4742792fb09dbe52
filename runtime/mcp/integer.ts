/** What fits is a whole number without exponent, fraction or zeros in front, in so few digits that it is one that doubles tell apart. */
const USUAL = /^(?:0|-?[1-9]\d{0,14})$/;

/** A number as JSON writes it; headers may have zeros in front. */
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** The number of digits of 2^53 − 1. */
const MAX_DIGITS = 16;

const ZERO = 0x30;

/**
 * The number that a text stands for, in plain decimal: digits, and nothing before them but a minus. Undefined when it is not whole,
 * or outside of −(2^53 − 1) … 2^53 − 1, the integers that every reader takes for the same. Decided by the digits: parsed, 2^53 + 1
 * would be another number, and 0.99999999999999999 whole.
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
