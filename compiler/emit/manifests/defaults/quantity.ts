/**
 * Quantities in the API server's canonical form: `0.5` becomes `500m`, `1024Mi` becomes `1Gi`.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
 */

const DECIMAL = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

/** The finest supported unit. */
const NANO = 10n ** 9n;

const QUANTITY = /^\+?(\d*)(?:\.(\d*))?([numkMGTPE]|[KMGTPE]i)?$/;

/** Invalid, exponential and negative quantities are returned unchanged. */
export function canonicalizeQuantity(value: unknown): unknown {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint') return value;
  const [match, whole = '', fraction = '', suffix = ''] = QUANTITY.exec(String(value)) ?? [];
  if (match === undefined || whole + fraction === '') return value;
  const isBinary = suffix.endsWith('i');
  const digits = BigInt(whole + fraction);
  const unit = isBinary ? 1024n ** BigInt(BINARY.indexOf(suffix)) * NANO : 1000n ** BigInt(DECIMAL.indexOf(suffix));
  const nano = divideRoundingUp(digits * unit, 10n ** BigInt(fraction.length));
  // Values below the first binary unit are written in decimal form.
  return isBinary && nano >= 1024n * NANO
    ? formatAmount(divideRoundingUp(nano, NANO), 1024n, BINARY)
    : formatAmount(nano, 1000n, nano === 0n ? [''] : DECIMAL);
}

function divideRoundingUp(a: bigint, b: bigint): bigint {
  return (a + b - 1n) / b;
}

/** With the largest unit that gives an integer. */
function formatAmount(amount: bigint, base: bigint, units: readonly string[]): string {
  let rest = amount;
  let unit = 0;
  while (unit < units.length - 1 && rest % base === 0n) {
    rest /= base;
    unit++;
  }
  return `${rest}${units[unit]}`;
}
