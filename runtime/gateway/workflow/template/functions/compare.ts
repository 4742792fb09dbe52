/** Go's comparisons: only values of the same basic type are comparable; signed and unsigned integers count as one. */
import { compareBytes } from '../byte-text.ts';
import { EvaluationError } from '../template-error.ts';
import { Byte, getTypeName, type TemplateValue } from '../value.ts';

type Basic = boolean | number | bigint | string;

/** The value as one of the basic types; `undefined` for nil, lists and maps. */
function toBasic(value: TemplateValue): Basic | undefined {
  if (value instanceof Byte) return BigInt(value.value);
  return typeof value === 'object' || value === undefined ? undefined : value;
}

/** Whether the first value equals any of the others. */
export function equal([first, ...others]: readonly TemplateValue[]): boolean {
  if (others.length === 0) throw new EvaluationError('ERR_TEMPLATE_ARGUMENTS', 'eq has nothing to compare with');
  return others.some(other => equalTwo(first, other));
}

function equalTwo(a: TemplateValue, b: TemplateValue): boolean {
  const aNil = a === undefined || a === null;
  const bNil = b === undefined || b === null;
  if (aNil || bNil) return aNil && bNil;
  const left = toBasic(a);
  const right = toBasic(b);
  if (left === undefined || right === undefined || typeof left !== typeof right) throw createIncomparableError(a, b);
  return left === right;
}

export function isLess(a: TemplateValue, b: TemplateValue): boolean {
  const left = toBasic(a);
  const right = toBasic(b);
  if (left === undefined || right === undefined || typeof left !== typeof right) throw createIncomparableError(a, b);
  if (typeof left === 'boolean') throw createIncomparableError(a, b);
  return typeof left === 'string' ? compareBytes(left, String(right)) < 0 : left < (right as typeof left);
}

function createIncomparableError(a: TemplateValue, b: TemplateValue): EvaluationError {
  return new EvaluationError('ERR_TEMPLATE_TYPE', `a ${getTypeName(a)} cannot be compared with a ${getTypeName(b)}`);
}
