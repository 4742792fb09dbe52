/** `index`, `slice` and `len`. A string is its bytes. */
import { countBytes, decodeText, encodeText } from '../byte-text.ts';
import type { Budget } from '../limits.ts';
import { EvaluationError } from '../template-error.ts';
import { Byte, countEntries, getTypeName, isList, isMap, type TemplateValue } from '../value.ts';

export function index([item, ...keys]: readonly TemplateValue[]): TemplateValue {
  let value = item;
  if (value === undefined || value === null) throw new EvaluationError('ERR_TEMPLATE_TYPE', 'index takes no nil');
  for (const key of keys) value = getItem(value, key);
  return value;
}

function getItem(item: TemplateValue, key: TemplateValue): TemplateValue {
  if (isList(item)) return item[toPosition(key, item.length - 1)];
  if (typeof item === 'string') {
    const bytes = encodeText(item);
    return new Byte(bytes[toPosition(key, bytes.length - 1)] ?? 0);
  }
  if (!isMap(item)) throw new EvaluationError('ERR_TEMPLATE_TYPE', `a ${getTypeName(item)} has no elements`);
  if (typeof key !== 'string')
    throw new EvaluationError('ERR_TEMPLATE_TYPE', `a map has no keys of type ${getTypeName(key)}`);
  return Object.hasOwn(item, key) ? item[key] : null;
}

export function slice([item, ...bounds]: readonly TemplateValue[], budget: Budget): TemplateValue {
  if (item === undefined || item === null) throw new EvaluationError('ERR_TEMPLATE_TYPE', 'slice takes no nil');
  if (bounds.length > 3) throw new EvaluationError('ERR_TEMPLATE_ARGUMENTS', 'slice takes at most three bounds');
  if (typeof item === 'string') {
    if (bounds.length === 3)
      throw new EvaluationError('ERR_TEMPLATE_ARGUMENTS', 'slice of a string takes at most two bounds');
    const bytes = encodeText(item);
    const [start, end] = computeRange(bounds, bytes.length);
    return decodeText(bytes.subarray(start, end));
  }
  if (!isList(item)) throw new EvaluationError('ERR_TEMPLATE_TYPE', `slice takes no ${getTypeName(item)}`);
  const [start, end] = computeRange(bounds, item.length);
  budget.spendOn(end - start);
  return item.slice(start, end);
}

/** The start and end of a slice. Go's third bound is a capacity, which no value here has, so it is only checked. */
function computeRange(bounds: readonly TemplateValue[], length: number): [start: number, end: number] {
  const positions = bounds.map(bound => toPosition(bound, length));
  const [start = 0, end = length, capacity = end] = positions;
  if (start <= end && end <= capacity) return [start, end];
  throw new EvaluationError('ERR_TEMPLATE_INDEX', 'the bounds of slice are not in order');
}

function toPosition(key: TemplateValue, most: number): number {
  if (typeof key !== 'bigint' && !(key instanceof Byte)) {
    throw new EvaluationError('ERR_TEMPLATE_TYPE', `a position is an int, not a ${getTypeName(key)}`);
  }
  const value = typeof key === 'bigint' ? key : BigInt(key.value);
  if (value < 0n || value > BigInt(most))
    throw new EvaluationError('ERR_TEMPLATE_INDEX', 'the position is out of range');
  return Number(value);
}

export function computeLength(value: TemplateValue, budget: Budget): bigint {
  if (typeof value === 'string') return BigInt(countBytes(value));
  if (isList(value)) return BigInt(value.length);
  if (isMap(value)) return BigInt(countEntries(value, budget));
  throw new EvaluationError('ERR_TEMPLATE_TYPE', `a ${getTypeName(value)} has no length`);
}
