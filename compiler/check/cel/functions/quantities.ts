/**
 * `quantity`, `isQuantity` and the methods of quantities.
 * @see https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-quantity-library
 */
import { type CelFunc, type CelMap, CelScalar, celFunc, celMethod } from '@bufbuild/cel';
import { createOpaque, OPAQUE, readOpaque } from './opaque.ts';

/** Maximum length of a quantity in UTF-16 code units; nothing else limits its size. */
const MAX_LENGTH = 128;
/** Largest accepted exponent, positive or negative. */
const MAX_EXPONENT = 999;

const QUANTITY = /^([+-]?)([0-9]*)(?:\.([0-9]*))?(|[numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]+)$/;

const DECIMAL: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const BINARY: Readonly<Record<string, bigint>> = { Ki: 10n, Mi: 20n, Gi: 30n, Ti: 40n, Pi: 50n, Ei: 60n };
const NANO_DIGITS = 9;
const NANO: bigint = 10n ** BigInt(NANO_DIGITS);

/** In billionths, the finest supported unit; finer values are rounded away from zero. Undefined for an invalid quantity. */
function parseQuantity(text: string): bigint | undefined {
  const match = text.length > MAX_LENGTH ? null : QUANTITY.exec(text);
  if (match === null) return undefined;
  const [, sign = '', whole = '', fraction = '', suffix = ''] = match;
  if (whole === '' && fraction === '') return undefined;
  const digits = BigInt(whole + fraction);
  const binary = BINARY[suffix];
  const exponent = binary === undefined ? (DECIMAL[suffix] ?? Number(suffix.slice(1))) : 0;
  if (Math.abs(exponent) > MAX_EXPONENT) return undefined;
  const shift = exponent - fraction.length + NANO_DIGITS;
  const scaled = digits << (binary ?? 0n);
  const nanos = shift >= 0 ? scaled * 10n ** BigInt(shift) : roundUp(scaled, 10n ** BigInt(-shift));
  return sign === '-' ? -nanos : nanos;
}

function roundUp(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by;
}

function readNanos(value: CelMap): bigint {
  return BigInt(readOpaque('quantity', value));
}

const computeSign = (value: bigint): bigint => (value > 0n ? 1n : value < 0n ? -1n : 0n);
const fits = (value: bigint): boolean => BigInt.asIntN(64, value) === value;
const isInteger = (nanos: bigint): boolean => nanos % NANO === 0n && fits(nanos / NANO);

const { STRING, BOOL, INT, DOUBLE } = CelScalar;

export const QUANTITY_FUNCTIONS: readonly CelFunc[] = [
  celFunc('isQuantity', [STRING], BOOL, text => parseQuantity(text) !== undefined),
  celFunc('quantity', [STRING], OPAQUE, text => {
    const nanos = parseQuantity(text);
    if (nanos === undefined) throw new Error('the text is no quantity');
    return createOpaque('quantity', nanos);
  }),
  celMethod('sign', OPAQUE, [], INT, function () {
    return computeSign(readNanos(this));
  }),
  celMethod('isInteger', OPAQUE, [], BOOL, function () {
    return isInteger(readNanos(this));
  }),
  celMethod('asInteger', OPAQUE, [], INT, function () {
    const nanos = readNanos(this);
    if (!isInteger(nanos)) throw new Error('the quantity is no integer of 64 bits');
    return nanos / NANO;
  }),
  celMethod('asApproximateFloat', OPAQUE, [], DOUBLE, function () {
    return Number(readNanos(this)) / Number(NANO);
  }),
  celMethod('isLessThan', OPAQUE, [OPAQUE], BOOL, function (other) {
    return readNanos(this) < readNanos(other);
  }),
  celMethod('isGreaterThan', OPAQUE, [OPAQUE], BOOL, function (other) {
    return readNanos(this) > readNanos(other);
  }),
  celMethod('compareTo', OPAQUE, [OPAQUE], INT, function (other) {
    return computeSign(readNanos(this) - readNanos(other));
  }),
  celMethod('add', OPAQUE, [OPAQUE], OPAQUE, function (other) {
    return createOpaque('quantity', readNanos(this) + readNanos(other));
  }),
  celMethod('add', OPAQUE, [INT], OPAQUE, function (other) {
    return createOpaque('quantity', readNanos(this) + other * NANO);
  }),
  celMethod('sub', OPAQUE, [OPAQUE], OPAQUE, function (other) {
    return createOpaque('quantity', readNanos(this) - readNanos(other));
  }),
  celMethod('sub', OPAQUE, [INT], OPAQUE, function (other) {
    return createOpaque('quantity', readNanos(this) - other * NANO);
  }),
];
