/** Go's `strconv.FormatFloat` for finite non-negative values. */
import { binary, type Decimal, exact, rounded, shortest } from './decimal.ts';

/** @param precision -1 for the fewest digits that identify the value, which `e` and `f` do not support */
export function floatText(value: number, verb: string, precision: number): string {
  switch (verb) {
    case 'e':
    case 'E':
      return exponential(rounded(exact(value), precision + 1), precision, verb);
    case 'g':
    case 'G':
      return general(value, verb, precision);
    case 'x':
    case 'X':
      return hexadecimal(value, verb, precision);
    case 'b': {
      const { mantissa, exponent } = binary(value);
      return `${mantissa}p${exponent < 0 ? '-' : '+'}${Math.abs(exponent)}`;
    }
    default: {
      const decimal = exact(value);
      return fixed(rounded(decimal, decimal.point + precision), precision);
    }
  }
}

function exponential({ digits, point }: Decimal, precision: number, verb: string): string {
  const exponent = digits === '' ? 0 : point - 1;
  const fraction = precision > 0 ? `.${digits.slice(1).padEnd(precision, '0')}` : '';
  return `${digits.charAt(0) || '0'}${fraction}${verb}${signedExponent(exponent)}`;
}

function signedExponent(exponent: number): string {
  return `${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

function fixed({ digits, point }: Decimal, precision: number): string {
  const whole = point > 0 ? digits.slice(0, point).padEnd(point, '0') : '0';
  if (precision === 0) return whole;
  const fraction = point > 0 ? digits.slice(point) : '0'.repeat(Math.min(-point, precision)) + digits;
  return `${whole}.${fraction.slice(0, precision).padEnd(precision, '0')}`;
}

function general(value: number, verb: string, precision: number): string {
  const isShortest = precision < 0;
  const wanted = precision === 0 ? 1 : precision;
  const decimal = isShortest ? shortest(value) : rounded(exact(value), wanted);
  const { length } = decimal.digits;
  let threshold = isShortest ? 6 : wanted;
  if (!isShortest && threshold > length && length >= decimal.point) threshold = length;
  const exponent = decimal.point - 1;
  if (exponent < -4 || exponent >= threshold) {
    return exponential(decimal, Math.max(length - 1, 0), verb === 'g' ? 'e' : 'E');
  }
  return fixed(decimal, Math.max(length - decimal.point, 0));
}

function hexadecimal(value: number, verb: string, precision: number): string {
  const bits = binary(value);
  let mantissa = bits.mantissa << 8n;
  let exponent = mantissa === 0n ? 0 : bits.exponent + 52;
  while (mantissa !== 0n && mantissa < 1n << 60n) {
    mantissa <<= 1n;
    exponent -= 1;
  }
  if (precision >= 0 && precision < 15) {
    const dropped = BigInt(60 - precision * 4);
    const rest = mantissa & ((1n << dropped) - 1n);
    mantissa >>= dropped;
    const half = 1n << (dropped - 1n);
    if (rest > half || (rest === half && (mantissa & 1n) === 1n)) mantissa += 1n;
    mantissa <<= dropped;
    if (mantissa >= 1n << 61n) {
      mantissa >>= 1n;
      exponent += 1;
    }
  }
  const fraction = (mantissa & ((1n << 60n) - 1n)).toString(16).padStart(15, '0');
  const shown = precision < 0 ? fraction.replace(/0+$/, '') : fraction.slice(0, precision).padEnd(precision, '0');
  const text = `0x${mantissa >> 60n}${shown === '' ? '' : `.${shown}`}p${signedExponent(exponent)}`;
  return verb === 'X' ? text.toUpperCase() : text;
}
