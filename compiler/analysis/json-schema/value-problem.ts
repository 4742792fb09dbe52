/**
 * Checks a value in a spec against a JSON Schema. Only certain problems are reported: unknown keywords and external references allow everything.
 * Messages never contain the value, which may be secret.
 */
import { isObject } from '#schemas';
import type { Path } from '../../source/source-document.ts';
import { matchesPattern } from './pattern.ts';
import { readProperties, readTypes, resolveSchema, type Schema } from './schema.ts';

export interface ValueProblem {
  /** The path within the value. */
  readonly path: Path;
  /** What is wrong, as the end of a sentence: "must be one of …". */
  readonly message: string;
}

/** The possible values of a text once its workflow runs, the text itself included; undefined when only the run decides. */
export type ParsePossibleValues = (text: string) => readonly unknown[] | undefined;

/** Limits, because references may be circular and may branch at each level: deeper nesting, or more steps, is not checked. */
const MAX_DEPTH = 64;
const MAX_STEPS = 10_000;

/** Maximum number of choices in a message. */
const MAX_CHOICES = 10;

/**
 * The first problem of a value, or undefined.
 *
 * @param root the whole schema, for references within it
 */
export function findValueProblem(
  value: unknown,
  schema: unknown,
  readings: ParsePossibleValues,
  root: unknown = schema,
): ValueProblem | undefined {
  return check(value, schema, { root, readings, depth: 0, steps: { remainingSteps: MAX_STEPS } });
}

interface ValidationState {
  readonly root: unknown;
  readonly readings: ParsePossibleValues;
  readonly depth: number;
  /** Decremented for every schema that is evaluated. */
  readonly steps: { remainingSteps: number };
}

function check(value: unknown, schema: unknown, state: ValidationState): ValueProblem | undefined {
  if (schema === false) return createProblem('is not allowed');
  const self = resolveSchema(schema, state.root);
  state.steps.remainingSteps -= 1;
  if (self === undefined || state.depth > MAX_DEPTH || state.steps.remainingSteps < 0) return undefined;
  const below = { ...state, depth: state.depth + 1 };
  if (typeof value === 'bigint') return checkReading(Number(value), self, below);
  if (typeof value !== 'string') return checkReading(value, self, below);
  const readings = state.readings(value);
  if (readings === undefined) return undefined;
  const problems = readings.map(reading => ({ reading, found: checkReading(reading, self, below) }));
  if (problems.some(({ found }) => found === undefined)) return undefined;
  // Reports the problem of the reading that has the right type.
  const types = readTypes(self);
  const typed = problems.find(({ reading }) => types?.some(type => hasType(reading, type)));
  return (typed ?? problems[0])?.found;
}

function checkReading(value: unknown, schema: Schema, state: ValidationState): ValueProblem | undefined {
  const types = readTypes(schema);
  if (types !== undefined && types.length > 0 && !types.some(type => hasType(value, type))) {
    return createProblem(`must be ${types.join(' or ')}, not ${getJsonType(value)}`);
  }
  return (
    checkChoice(value, schema) ??
    checkScalar(value, schema) ??
    (Array.isArray(value) ? checkItems(value, schema, state) : undefined) ??
    (isObject(value) ? checkMembers(value, schema, state) : undefined) ??
    checkCombined(value, schema, state)
  );
}

function checkChoice(value: unknown, schema: Schema): ValueProblem | undefined {
  const { enum: choices } = schema;
  if (Array.isArray(choices) && !choices.some(choice => isEqual(choice, value))) {
    const shown = choices.slice(0, MAX_CHOICES).map(choice => JSON.stringify(choice));
    const remaining = choices.length - shown.length;
    return createProblem(`must be one of ${shown.join(', ')}${remaining > 0 ? ` and ${remaining} more` : ''}`);
  }
  if (Object.hasOwn(schema, 'const') && !isEqual(schema.const, value)) {
    return createProblem(`must be ${JSON.stringify(schema.const)}`);
  }
  return undefined;
}

function checkScalar(value: unknown, schema: Schema): ValueProblem | undefined {
  if (typeof value === 'string') {
    const { minLength, maxLength, pattern } = schema;
    const length = [...value].length;
    if (typeof minLength === 'number' && length < minLength)
      return createProblem(`must have at least ${minLength} characters`);
    if (typeof maxLength === 'number' && length > maxLength)
      return createProblem(`must have at most ${maxLength} characters`);
    if (typeof pattern === 'string' && !matchesPattern(value, pattern)) return createProblem(`must match ${pattern}`);
  }
  if (typeof value === 'number') {
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
    if (typeof minimum === 'number' && value < minimum) return createProblem(`must be at least ${minimum}`);
    if (typeof maximum === 'number' && value > maximum) return createProblem(`must be at most ${maximum}`);
    if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum) {
      return createProblem(`must be above ${exclusiveMinimum}`);
    }
    if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum) {
      return createProblem(`must be below ${exclusiveMaximum}`);
    }
  }
  return undefined;
}

function checkItems(value: readonly unknown[], schema: Schema, state: ValidationState): ValueProblem | undefined {
  const { minItems, maxItems, items, prefixItems } = schema;
  if (typeof minItems === 'number' && value.length < minItems)
    return createProblem(`must have at least ${minItems} items`);
  if (typeof maxItems === 'number' && value.length > maxItems)
    return createProblem(`must have at most ${maxItems} items`);
  // An array as `items` is a tuple of older drafts.
  if (prefixItems !== undefined || items === undefined || Array.isArray(items)) return undefined;
  return findFirstProblem(value.keys(), index => prependStep(index, check(value[index], items, state)));
}

function checkMembers(value: Schema, schema: Schema, state: ValidationState): ValueProblem | undefined {
  const properties = readProperties(schema);
  const { required, additionalProperties, patternProperties } = schema;
  const missing = Array.isArray(required)
    ? required.find(name => typeof name === 'string' && !Object.hasOwn(value, name))
    : undefined;
  if (missing !== undefined) return createProblem(`must have "${missing}"`);
  return findFirstProblem(Object.keys(value), name => {
    if (Object.hasOwn(properties, name)) return prependStep(name, check(value[name], properties[name], state));
    if (additionalProperties === undefined || patternProperties !== undefined) return undefined;
    return prependStep(name, check(value[name], additionalProperties, state));
  });
}

function checkCombined(value: unknown, schema: Schema, state: ValidationState): ValueProblem | undefined {
  const { allOf, anyOf, oneOf } = schema;
  const failed = Array.isArray(allOf) ? findFirstProblem(allOf, part => check(value, part, state)) : undefined;
  if (failed !== undefined) return failed;
  for (const choices of [anyOf, oneOf]) {
    if (!Array.isArray(choices) || choices.length === 0) continue;
    const problems = choices.map(part => check(value, part, state));
    if (problems.some(problem => problem === undefined)) continue;
    return problems.length === 1 ? problems[0] : createProblem('fits none of the alternatives of the schema');
  }
  return undefined;
}

function hasType(value: unknown, type: string): boolean {
  switch (type) {
    case 'integer':
      return Number.isInteger(value);
    case 'number':
    case 'string':
    case 'boolean':
    case 'object':
    case 'array':
    case 'null':
      return getJsonType(value) === type;
    default:
      return true;
  }
}

function getJsonType(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function isEqual(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  const [namesA, namesB] = [Object.keys(a), Object.keys(b)];
  if (Array.isArray(a) !== Array.isArray(b) || namesA.length !== namesB.length) return false;
  return namesA.every(name => Object.hasOwn(b, name) && isEqual((a as Schema)[name], (b as Schema)[name]));
}

function findFirstProblem<T>(
  parts: Iterable<T>,
  find: (part: T) => ValueProblem | undefined,
): ValueProblem | undefined {
  for (const part of parts) {
    const found = find(part);
    if (found !== undefined) return found;
  }
  return undefined;
}

function prependStep(step: string | number, found: ValueProblem | undefined): ValueProblem | undefined {
  return found && { path: [step, ...found.path], message: found.message };
}

function createProblem(message: string): ValueProblem {
  return { path: [], message };
}
