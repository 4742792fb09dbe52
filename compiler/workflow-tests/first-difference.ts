import { isDeepStrictEqual } from 'node:util';
import { isObject } from '#schemas';
import type { Path } from '../source/source-document.ts';

/** The first difference between two values. */
export interface Difference {
  /** The longest part of the path that exists in the expected value. */
  readonly path: Path;
  /** The path of the differing member from the root; empty for the whole values. */
  readonly member: string;
  /** In one sentence. */
  readonly message: string;
}

/** The first difference in the order of the expected value; undefined for equal values. */
export function findFirstDifference(expected: unknown, actual: unknown): Difference | undefined {
  if (isDeepStrictEqual(expected, actual)) return undefined;
  return (
    findMembersDifference(expected, actual) ?? {
      path: [],
      member: '',
      message: `is ${formatValue(actual)}, not ${formatValue(expected)}`,
    }
  );
}

function findMembersDifference(expected: unknown, actual: unknown): Difference | undefined {
  if (Array.isArray(expected) && Array.isArray(actual)) {
    const index = expected.findIndex((value, at) => at >= actual.length || !isDeepStrictEqual(value, actual[at]));
    if (index !== -1 && index < actual.length) return prependStep(index, expected[index], actual[index]);
    const message = `has ${actual.length} items, not ${expected.length}`;
    return { path: index === -1 ? [] : [index], member: '', message };
  }
  if (!isObject(expected) || !isObject(actual)) return undefined;
  const name = Object.keys(expected).find(
    value => !Object.hasOwn(actual, value) || !isDeepStrictEqual(expected[value], actual[value]),
  );
  if (name === undefined) {
    const more = Object.keys(actual).filter(value => !Object.hasOwn(expected, value));
    return { path: [], member: '', message: `has ${more.join(', ')} as well` };
  }
  if (!Object.hasOwn(actual, name)) return { path: [name], member: '', message: `has no ${name}` };
  return prependStep(name, expected[name], actual[name]);
}

function prependStep(step: string | number, expected: unknown, actual: unknown): Difference {
  const found = findFirstDifference(expected, actual) as Difference;
  const member = typeof step === 'number' ? `[${step}]` : `.${step}`;
  return { path: [step, ...found.path], member: `${member}${found.member}`, message: found.message };
}

const LONGEST = 120;

function formatValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
