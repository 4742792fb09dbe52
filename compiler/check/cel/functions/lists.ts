/**
 * `isSorted`, `sum`, `min`, `max`, `indexOf` and `lastIndexOf` of lists.
 *
 * @see https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-list-library
 */
import { type CelFunc, type CelList, CelScalar, type CelValue, celMethod, listType } from '@bufbuild/cel';
import { UnsupportedError } from './unsupported.ts';

type OrderedScalar = bigint | number | string | boolean;

/** @throws UnsupportedError for items that Kubernetes can order and this code cannot, such as durations */
function listOrderedItems(list: CelList): OrderedScalar[] {
  return [...list].map(item => {
    if (typeof item === 'object') throw new UnsupportedError('the order of items that are no scalars');
    return item;
  });
}

function isLess(a: OrderedScalar, b: OrderedScalar): boolean {
  return typeof a === 'string' && typeof b === 'string' ? compareBytes(a, b) < 0 : a < b;
}

/** CEL orders strings by code points, JavaScript by UTF-16 code units. */
function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function findExtreme(list: CelList, isBetter: (a: OrderedScalar, b: OrderedScalar) => boolean): OrderedScalar {
  const items = listOrderedItems(list);
  if (items.length === 0) throw new Error('an empty list has no minimum and no maximum');
  return items.reduce((best, item) => (isBetter(item, best) ? item : best));
}

function sum(list: CelList): bigint | number {
  const items = listOrderedItems(list);
  if (items.every(item => typeof item === 'number') && items.length > 0) return items.reduce((a, b) => a + b, 0);
  // The sum of an empty list has the type of the list's items, which is unknown here.
  if (items.length === 0) throw new UnsupportedError('the sum of an empty list');
  if (!items.every(item => typeof item === 'bigint'))
    throw new UnsupportedError('the sum of items that are no numbers');
  const total = items.reduce((a, b) => a + b, 0n);
  if (BigInt.asIntN(64, total) !== total) throw new Error('integer overflow');
  return total;
}

function areScalarsEqual(a: CelValue, b: CelValue): boolean {
  if (typeof a === 'object' || typeof b === 'object')
    throw new UnsupportedError('the index of an item that is no scalar');
  // In CEL an integer equals a double with the same value. In JavaScript, `===` is false for a bigint and a number.
  return isNumber(a) && isNumber(b) ? a >= b && a <= b : a === b;
}

function isNumber(value: CelValue): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

const { BOOL, DYN, INT } = CelScalar;
const LIST = listType(DYN);

export const LIST_FUNCTIONS: readonly CelFunc[] = [
  celMethod('isSorted', LIST, [], BOOL, function () {
    const items = listOrderedItems(this);
    return items.every((item, index) => index === 0 || !isLess(item, items[index - 1] as OrderedScalar));
  }),
  celMethod('sum', LIST, [], DYN, function () {
    return sum(this);
  }),
  celMethod('min', LIST, [], DYN, function () {
    return findExtreme(this, isLess);
  }),
  celMethod('max', LIST, [], DYN, function () {
    return findExtreme(this, (a, b) => isLess(b, a));
  }),
  celMethod('indexOf', LIST, [DYN], INT, function (element) {
    return BigInt([...this].findIndex(item => areScalarsEqual(item, element)));
  }),
  celMethod('lastIndexOf', LIST, [DYN], INT, function (element) {
    return BigInt([...this].findLastIndex(item => areScalarsEqual(item, element)));
  }),
];
