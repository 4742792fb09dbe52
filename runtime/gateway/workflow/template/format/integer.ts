import { type Flags, pad } from './flags.ts';
import { isPrintable, quoteCharacter } from './quote.ts';

const BASES: { readonly [verb: string]: number } = { v: 10, d: 10, b: 2, o: 8, O: 8, x: 16, X: 16 };

/** An integer by a verb, or `undefined` when the verb is not one for integers. */
export function formatInteger(value: bigint, verb: string, flags: Flags): string | undefined {
  const base = BASES[verb];
  if (base !== undefined) return formatInBase(value, base, verb, flags);
  switch (verb) {
    case 'c':
      return pad(String.fromCodePoint(toCodePoint(value)), flags);
    case 'q':
      return pad(quoteCharacter(toCodePoint(value), flags.plus), flags);
    case 'U':
      return formatUnicode(BigInt.asUintN(64, value), flags);
    default:
      return undefined;
  }
}

function formatInBase(value: bigint, base: number, verb: string, flags: Flags): string {
  const { width, precision } = flags;
  if (precision === 0 && value === 0n) return ' '.repeat(width ?? 0);
  const negative = value < 0n;
  const signed = negative || flags.plus || flags.space;
  let least = precision ?? 0;
  // Zeros up to the width are digits, so the sign stands before them.
  if (precision === undefined && flags.zero && !flags.minus && width !== undefined) least = signed ? width - 1 : width;
  let digits = (negative ? -value : value).toString(base).padStart(least, '0');
  if (verb === 'X') digits = digits.toUpperCase();
  if (flags.sharp) digits = formatPrefix(base, verb, digits) + digits;
  if (verb === 'O') digits = `0o${digits}`;
  const sign = negative ? '-' : flags.plus ? '+' : flags.space ? ' ' : '';
  return pad(sign + digits, flags, false);
}

function formatPrefix(base: number, verb: string, digits: string): string {
  if (base === 2) return '0b';
  if (base === 8) return digits.startsWith('0') ? '' : '0';
  return base === 16 ? `0${verb}` : '';
}

/** A number as a code point; U+FFFD for an invalid number. */
function toCodePoint(value: bigint): number {
  const exists = value >= 0n && value <= 0x10ffffn && (value < 0xd800n || value > 0xdfffn);
  return exists ? Number(value) : 0xfffd;
}

function formatUnicode(value: bigint, flags: Flags): string {
  const digits = value
    .toString(16)
    .toUpperCase()
    .padStart(Math.max(4, flags.precision ?? 0), '0');
  const code = value <= 0x10ffffn ? Number(value) : -1;
  const shown = flags.sharp && code >= 0 && isPrintable(code) ? ` '${String.fromCodePoint(code)}'` : '';
  return pad(`U+${digits}${shown}`, flags, false);
}
