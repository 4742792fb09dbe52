/** The decimal digits of a float: the shortest that identify it, or exact and rounded half to even as in Go. */
export interface Decimal {
  /** The digits without zeros at either end; empty for zero. */
  readonly digits: string;
  /** Position of the decimal point, counted from the first digit. */
  readonly point: number;
}

/**
 * The shortest digits that identify a float.
 * @param value finite and not negative
 */
export function toShortest(value: number): Decimal {
  const [mantissa = '', exponent = '0'] = value.toExponential().split('e');
  return trimZeros(mantissa.replace('.', ''), Number(exponent) + 1);
}

/** All digits of a float, which is an integer times a power of two. */
export function toExact(value: number): Decimal {
  const { mantissa, exponent } = toBinary(value);
  if (exponent >= 0) {
    const digits = (mantissa << BigInt(exponent)).toString();
    return trimZeros(digits, digits.length);
  }
  // m / 2^k is m * 5^k / 10^k.
  const digits = (mantissa * 5n ** BigInt(-exponent)).toString();
  return trimZeros(digits, digits.length + exponent);
}

/** Rounds to at most `count` digits; a negative `count` gives zero. */
export function roundTo({ digits, point }: Decimal, count: number): Decimal {
  if (count < 0) return { digits: '', point: 0 };
  if (count >= digits.length) return { digits, point };
  const keptDigits = digits.slice(0, count);
  const next = digits.charAt(count);
  const half = next === '5' && digits.length === count + 1;
  const up = half ? count > 0 && Number(keptDigits.at(-1)) % 2 === 1 : next >= '5';
  if (!up) return trimZeros(keptDigits, point);
  const raised = (BigInt(`0${keptDigits}`) + 1n).toString().padStart(count, '0');
  return trimZeros(raised, point + raised.length - count);
}

/** The bits of a float: the value is `mantissa` times 2 to the `exponent`. */
export function toBinary(value: number): { readonly mantissa: bigint; readonly exponent: number } {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const biased = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  return biased === 0
    ? { mantissa: fraction, exponent: -1074 }
    : { mantissa: fraction | (1n << 52n), exponent: biased - 1075 };
}

function trimZeros(digits: string, point: number): Decimal {
  const start = digits.search(/[1-9]/);
  if (start === -1) return { digits: '', point: 0 };
  let end = digits.length;
  while (digits.charAt(end - 1) === '0') end -= 1;
  return { digits: digits.slice(start, end), point: point - start };
}
