/**
 * Amounts as the API server writes them back: `0.5` as `500m`, `1024Mi` as `1Gi`.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
 */

const DECIMAL = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

/** Nothing smaller is kept. */
const NANO = 10n ** 9n;

const QUANTITY = /^\+?(\d*)(?:\.(\d*))?([numkMGTPE]|[KMGTPE]i)?$/;

/** What is no amount, is written with an exponent, or is negative, is left as it is. */
export function canonicalQuantity(value: unknown): unknown {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint') return value;
  const [match, whole = '', fraction = '', suffix = ''] = QUANTITY.exec(String(value)) ?? [];
  if (match === undefined || whole + fraction === '') return value;
  const isBinary = suffix.endsWith('i');
  const digits = BigInt(whole + fraction);
  const unit = isBinary ? 1024n ** BigInt(BINARY.indexOf(suffix)) * NANO : 1000n ** BigInt(DECIMAL.indexOf(suffix));
  const nano = dividedUp(digits * unit, 10n ** BigInt(fraction.length));
  // Below the first binary unit there is nothing binary about it.
  return isBinary && nano >= 1024n * NANO
    ? written(dividedUp(nano, NANO), 1024n, BINARY)
    : written(nano, 1000n, nano === 0n ? [''] : DECIMAL);
}

function dividedUp(a: bigint, b: bigint): bigint {
  return (a + b - 1n) / b;
}

/** With the largest unit that leaves no fraction. */
function written(amount: bigint, base: bigint, units: readonly string[]): string {
  let rest = amount;
  let unit = 0;
  while (unit < units.length - 1 && rest % base === 0n) {
    rest /= base;
    unit++;
  }
  return `${rest}${units[unit]}`;
}
