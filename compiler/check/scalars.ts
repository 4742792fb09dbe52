/** Checks strings and numbers against the bounds, patterns and formats of a schema. */
import type { StructuralSchema } from '#schemas';
import { describeFound, formatAlternatives, formatRange } from '../text/describe.ts';
import { FORMATS } from './formats.ts';
import type { Finding } from './violation.ts';

/** Violations of a scalar of the right type. `isShown` allows its value in messages. */
export function checkScalar(schema: StructuralSchema, value: unknown, isShown: boolean): Finding[] {
  return [
    ...checkEnum(schema, value, isShown),
    ...(typeof value === 'string' ? checkString(schema, value, isShown) : []),
    ...(typeof value === 'number' || typeof value === 'bigint' ? checkNumber(schema, value, isShown) : []),
    ...formatFinding(schema, value, isShown),
  ];
}

function checkEnum(schema: StructuralSchema, value: unknown, isShown: boolean): Finding[] {
  if (schema.enum === undefined || schema.enum.includes(value)) return [];
  if (value === '' && schema['x-lintel-empty-is-default']) return [];
  const expected = formatAlternatives(schema.enum);
  const message = `expected ${expected}, found ${describeFound(value, isShown)}`;
  return [{ kind: 'not-in-enum', message, expected, candidates: schema.enum.map(String) }];
}

function checkString(schema: StructuralSchema, value: string, isShown: boolean): Finding[] {
  const length = countCodePoints(value);
  const tooLong = length > (schema.maxLength ?? Number.POSITIVE_INFINITY);
  if (tooLong || length < (schema.minLength ?? 0)) {
    const expected = formatRange(schema.minLength, schema.maxLength, 'character');
    const finding: Finding = { kind: 'bounds', message: `expected ${expected}, found ${length}`, expected };
    // A string over its length limit is not matched against a pattern.
    return tooLong ? [finding] : [finding, ...checkPattern(schema, value, isShown)];
  }
  return checkPattern(schema, value, isShown);
}

/**
 * Maximum length of a text that is matched against a pattern, in UTF-16 code units: on megabytes of text the regex engine overflows its stack.
 */
const MAX_MATCHED_LENGTH = 100_000;

function checkPattern(schema: StructuralSchema, value: string, isShown: boolean): Finding[] {
  if (schema.pattern === undefined) return [];
  if (value.length > MAX_MATCHED_LENGTH) {
    const expected = formatRange(undefined, MAX_MATCHED_LENGTH, 'character');
    return [{ kind: 'bounds', message: `expected ${expected}, found ${countCodePoints(value)}`, expected }];
  }
  if (compilePattern(schema.pattern).test(value)) return [];
  const expected = schema['x-lintel-form'] ?? `a string that matches ${schema.pattern}`;
  const message = `expected ${expected}, found ${describeFound(value, isShown)}`;
  return [{ kind: 'pattern', message, expected, ...readExample(schema) }];
}

/** An allowed value, if the schema has one. */
export function readExample(schema: StructuralSchema): { readonly example?: string } {
  const example = schema['x-lintel-example'];
  return example === undefined ? {} : { example };
}

function checkNumber(schema: StructuralSchema, exact: number | bigint, isShown: boolean): Finding[] {
  const value = Number(exact);
  const out: Finding[] = [];
  const bounds = (expected: string): void => {
    out.push({ kind: 'bounds', message: `expected ${expected}, found ${describeFound(exact, isShown)}`, expected });
  };
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if ((minimum !== undefined && value < minimum) || (maximum !== undefined && value > maximum))
    bounds(formatRange(minimum, maximum));
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) bounds(`more than ${exclusiveMinimum}`);
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum) bounds(`less than ${exclusiveMaximum}`);
  if (multipleOf !== undefined && !Number.isInteger(value / multipleOf)) bounds(`a multiple of ${multipleOf}`);
  return out;
}

function formatFinding(schema: StructuralSchema, value: unknown, isShown: boolean): Finding[] {
  const format = FORMATS.get(schema.format ?? '');
  if (format === undefined || format.holds(value)) return [];
  const { expected, example } = format;
  return [
    { kind: 'format', message: `expected ${expected}, found ${describeFound(value, isShown)}`, expected, example },
  ];
}

function countCodePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

const compiled = new Map<string, RegExp>();

/** Compiles a pattern with the flag `u`, as JSON Schema recommends, unless that makes the pattern invalid. Cached. */
function compilePattern(pattern: string): RegExp {
  const known = compiled.get(pattern);
  if (known) return known;
  const made = compile(pattern);
  compiled.set(pattern, made);
  return made;
}

function compile(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return new RegExp(pattern);
  }
}
