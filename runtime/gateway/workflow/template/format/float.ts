import { type Flags, pad } from './flags.ts';
import { formatFloatText } from './float-text.ts';

/** The default precision of each verb; -1 for the fewest digits that identify the value. */
const PRECISION: { readonly [verb: string]: number } = {
  v: -1,
  b: -1,
  g: -1,
  G: -1,
  x: -1,
  X: -1,
  f: 6,
  F: 6,
  e: 6,
  E: 6,
};

/** A `float64` by a verb, or `undefined` when the verb is not one for floats. */
export function formatFloat(value: number, verb: string, flags: Flags): string | undefined {
  const usual = PRECISION[verb];
  if (usual === undefined) return undefined;
  const negative = value < 0 || Object.is(value, -0);
  const sign = negative ? '-' : flags.plus ? '+' : flags.space ? ' ' : '';
  if (!Number.isFinite(value)) return pad(`${negative ? '-' : '+'}Inf`, flags, false);
  const real = verb === 'v' ? 'g' : verb === 'F' ? 'f' : verb;
  const precision = flags.precision ?? usual;
  const plain = formatFloatText(Math.abs(value), real, precision);
  const text = flags.sharp && verb !== 'b' ? withPoint(plain, real, precision) : plain;
  const { width = 0, zero, minus } = flags;
  if (!zero || minus) return pad(sign + text, flags, false);
  return sign + text.padStart(width - sign.length, '0');
}

/** `%#g` and the like: always a decimal point, and zeros up to the precision. */
function withPoint(text: string, verb: string, precision: number): string {
  const end = text.search(/[xX]/.test(verb) ? /[pP]/ : /[eEpP]/);
  const [mantissa, tail] = end === -1 ? [text, ''] : [text.slice(0, end), text.slice(end)];
  let missing = ['g', 'G', 'x'].includes(verb) ? (precision === -1 ? 6 : precision) : 0;
  missing -= mantissa.replace('.', '').replace(/^0+/, '').length;
  const point = mantissa.includes('.') ? '' : '.';
  // A lone zero counts as one digit.
  if (point !== '' && mantissa === '0') missing -= 1;
  return mantissa + point + '0'.repeat(Math.max(missing, 0)) + tail;
}
