/**
 * Kubernetes quantities, such as `500m` or `256Mi`.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
 */

/** How messages describe a quantity. */
export const QUANTITY_FORM = 'a quantity such as "500m", "2" or "256Mi"';

const QUANTITY = /^([+-]?)(\d*)(?:\.(\d*))?(?:([KMGTPE])i|([numkMGTPE])|[eE]([+-]?\d{1,3}))?$/;

/** Powers of 1000. */
const DECIMAL: Readonly<Record<string, number>> = { n: -3, u: -2, m: -1, k: 1, M: 2, G: 3, T: 4, P: 5, E: 6 };

/** Powers of 1024. */
const BINARY = ' KMGTPE';

/** The number of decimals of a parsed quantity; smaller fractions are rounded up. */
const NANO = 9;

/** Whether a text or number is a quantity, which may be negative. */
export function isQuantity(value: unknown): boolean {
  return parseQuantity(value) !== undefined;
}

/** In billionths, rounded away from zero; undefined for an invalid quantity. */
export function parseQuantity(value: unknown): bigint | undefined {
  if (!['string', 'number', 'bigint'].includes(typeof value)) return undefined;
  const match = QUANTITY.exec(String(value));
  if (match === null) return undefined;
  const [, sign, whole = '', fraction = '', binary, decimal, exponent = '0'] = match;
  if (whole + fraction === '') return undefined;
  const power = (decimal === undefined ? 0 : (DECIMAL[decimal] ?? 0) * 3) + Number(exponent) - fraction.length + NANO;
  const unit = binary === undefined ? 1n : 1024n ** BigInt(BINARY.indexOf(binary));
  const digits = BigInt(whole + fraction) * unit;
  const amount = power >= 0 ? digits * 10n ** BigInt(power) : divideRoundingUp(digits, 10n ** BigInt(-power));
  return sign === '-' ? -amount : amount;
}

function divideRoundingUp(a: bigint, b: bigint): bigint {
  return (a + b - 1n) / b;
}
