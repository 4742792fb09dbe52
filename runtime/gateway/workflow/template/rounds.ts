import { sortKeys } from './byte-text.ts';
import type { Budget } from './limits.ts';
import { EvaluationError } from './template-error.ts';
import { Byte, getTypeName, isList, isMap, type TemplateValue } from './value.ts';

export interface Round {
  readonly key: TemplateValue;
  readonly element: TemplateValue;
}

/** The values that a `range` passes through: lists, maps in the order of their keys, and the numbers below an integer. */
export function* iterateRounds(value: TemplateValue, variables: number, budget: Budget): Generator<Round> {
  if (value === undefined || value === null) return;
  if (isList(value)) {
    for (let index = 0; index < value.length; index += 1) yield { key: BigInt(index), element: value[index] };
  } else if (isMap(value)) {
    const keys = sortKeys(value);
    budget.spend(keys.length);
    for (const key of keys) yield { key, element: value[key] };
  } else if (typeof value === 'bigint' || value instanceof Byte) {
    if (variables > 1) throw new EvaluationError('ERR_TEMPLATE_TYPE', 'a range over an integer takes one variable');
    const isByte = value instanceof Byte;
    const end = isByte ? BigInt(value.value) : value;
    for (let count = 0n; count < end; count += 1n) {
      yield { key: undefined, element: isByte ? new Byte(Number(count)) : count };
    }
  } else {
    throw new EvaluationError('ERR_TEMPLATE_TYPE', `range cannot go through a ${getTypeName(value)}`);
  }
}
