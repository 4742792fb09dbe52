import { findLabelKeyProblem, findLabelValueProblem } from '../../../source/name-syntax.ts';
import { checkLabels } from './metadata.ts';
import { getMapping, getText, listItems, listMappings, type PodMapping, type Refusal, refuse } from './pod.ts';

/** The number of values that an operator needs. */
const VALUES: Readonly<Record<string, 'some' | 'none' | 'one'>> = {
  In: 'some',
  NotIn: 'some',
  Exists: 'none',
  DoesNotExist: 'none',
  Gt: 'one',
  Lt: 'one',
};

const WORDS = { some: 'at least one value', none: 'no values', one: 'one value' };

/** Errors about a `labelSelector`. */
export function checkSelector(parent: PodMapping, name = 'labelSelector'): Refusal[] {
  const selector = getMapping(parent, name);
  if (selector === undefined) return [];
  const operators = ['In', 'NotIn', 'Exists', 'DoesNotExist'];
  return [
    ...checkLabels(selector, 'matchLabels'),
    ...listMappings(selector, 'matchExpressions').flatMap(mapping => checkRequirement(mapping, operators)),
  ];
}

/** One requirement: a key, an operator, and the right number of values. */
export function checkRequirement(requirement: PodMapping, operators = Object.keys(VALUES)): Refusal[] {
  const operator = getText(requirement, 'operator') ?? '';
  if (!operators.includes(operator)) {
    return [refuse(requirement, 'operator', `the operator is one of ${operators.join(', ')}`)];
  }
  const values = listItems(requirement, 'values');
  const required = VALUES[operator] ?? 'some';
  const fits = { some: values.length > 0, none: values.length === 0, one: values.length === 1 }[required];
  const key = getText(requirement, 'key');
  const problem = key === undefined ? undefined : findLabelKeyProblem(key);
  return [
    ...(fits ? [] : [refuse(requirement, 'values', `${operator} compares with ${WORDS[required]}`, { at: 'key' })]),
    ...(problem === undefined ? [] : [refuse(requirement, 'key', `the name ${JSON.stringify(key)} ${problem}`)]),
    ...values.flatMap(({ value, path }) => {
      const wrong = typeof value === 'string' ? findLabelValueProblem(value) : undefined;
      return wrong === undefined ? [] : [{ places: [path], message: wrong }];
    }),
  ];
}
