/** Implements Go's `strconv.FormatFloat` for finite non-negative values. */
import { type Decimal, roundTo, toBinary, toExact, toShortest } from './decimal.ts';

/**
 * Formats a value.
 * @param precision -1 for the fewest digits that identify the value, which `e` and `f` do not support
 */
export function formatFloatText(value: number, verb: string, precision: number): string {
  switch (verb) {
    case 'e':
    case 'E':
      return formatExponential(roundTo(toExact(value), precision + 1), precision, verb);
    case 'g':
    case 'G':
      return formatGeneral(value, verb, precision);
    case 'x':
    case 'X':
      return formatHexadecimal(value, verb, precision);
    case 'b': {
      const { mantissa, exponent } = toBinary(value);
      return `${mantissa}p${exponent < 0 ? '-' : '+'}${Math.abs(exponent)}`;
    }
    default: {
      const decimal = toExact(value);
      return formatFixed(roundTo(decimal, decimal.point + precision), precision);
    }
  }
}

function formatExponential({ digits, point }: Decimal, precision: number, verb: string): string {
  const exponent = digits === '' ? 0 : point - 1;
  const fraction = precision > 0 ? `.${digits.slice(1).padEnd(precision, '0')}` : '';
  return `${digits.charAt(0) || '0'}${fraction}${verb}${formatSignedExponent(exponent)}`;
}

function formatSignedExponent(exponent: number): string {
  return `${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

function formatFixed({ digits, point }: Decimal, precision: number): string {
  const whole = point > 0 ? digits.slice(0, point).padEnd(point, '0') : '0';
  if (precision === 0) return whole;
  const fraction = point > 0 ? digits.slice(point) : '0'.repeat(Math.min(-point, precision)) + digits;
  return `${whole}.${fraction.slice(0, precision).padEnd(precision, '0')}`;
}

function formatGeneral(value: number, verb: string, precision: number): string {
  const isShortest = precision < 0;
  const significant = precision === 0 ? 1 : precision;
  const decimal = isShortest ? toShortest(value) : roundTo(toExact(value), significant);
  const { length } = decimal.digits;
  let threshold = isShortest ? 6 : significant;
  if (!isShortest && threshold > length && length >= decimal.point) threshold = length;
  const exponent = decimal.point - 1;
  if (exponent < -4 || exponent >= threshold) {
    return formatExponential(decimal, Math.max(length - 1, 0), verb === 'g' ? 'e' : 'E');
  }
  return formatFixed(decimal, Math.max(length - decimal.point, 0));
}

function formatHexadecimal(value: number, verb: string, precision: number): string {
  const bits = toBinary(value);
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
  const text = `0x${mantissa >> 60n}${shown === '' ? '' : `.${shown}`}p${formatSignedExponent(exponent)}`;
  return verb === 'X' ? text.toUpperCase() : text;
}
