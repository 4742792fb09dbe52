/** Whether a value fits a schema. Patterns, references and alternatives are not evaluated, so an answer is only given when it is certain. */
import { isInteger, isPlainObject } from '../../text/value-types.ts';

/** Why the value does not fit, without repeating it; undefined when no violation is certain. */
export function findViolation(value: unknown, schema: unknown): string | undefined {
  if (schema === false) return 'nothing fits here';
  if (!isPlainObject(schema)) return undefined;
  const { type, enum: allowed, const: only } = schema;
  const types = Array.isArray(type) ? type : type === undefined ? [] : [type];
  if (types.length > 0 && !types.some(name => isOfType(value, name))) return `it is not of type ${types.join(' or ')}`;
  if (Array.isArray(allowed) && !allowed.some(item => isSame(item, value))) return 'it is not in enum';
  if (only !== undefined && !isSame(only, value)) return 'it is not the value of const';
  if (typeof value === 'string')
    return findOutOfBounds([...value].length, schema.minLength, schema.maxLength, 'characters');
  if (typeof value === 'number' || typeof value === 'bigint') return findNumberViolation(Number(value), schema);
  if (Array.isArray(value)) return findListViolation(value, schema);
  return isPlainObject(value) ? findObjectViolation(value, schema) : undefined;
}

function findNumberViolation(value: number, schema: Readonly<Record<string, unknown>>): string | undefined {
  const { exclusiveMinimum: above, exclusiveMaximum: below } = schema;
  if (typeof above === 'number' && value <= above) return `it is not above ${above}`;
  if (typeof below === 'number' && value >= below) return `it is not below ${below}`;
  return findOutOfBounds(value, schema.minimum, schema.maximum);
}

function findListViolation(list: readonly unknown[], schema: Readonly<Record<string, unknown>>): string | undefined {
  const { items, prefixItems, minItems, maxItems } = schema;
  const size = findOutOfBounds(list.length, minItems, maxItems, 'items');
  if (size !== undefined || prefixItems !== undefined || Array.isArray(items)) return size;
  return findFirstProblem(list.map((item, index) => [`item ${index}`, findViolation(item, items)] as const));
}

function findObjectViolation(
  object: Readonly<Record<string, unknown>>,
  { properties, required }: Readonly<Record<string, unknown>>,
): string | undefined {
  const names = Array.isArray(required) ? required : [];
  const missing = names.find(name => typeof name === 'string' && !Object.hasOwn(object, name));
  if (missing !== undefined) return `it has no ${JSON.stringify(missing)}`;
  const described = isPlainObject(properties) ? Object.entries(properties) : [];
  return findFirstProblem(
    described.flatMap(([name, member]) =>
      Object.hasOwn(object, name) ? [[JSON.stringify(name), findViolation(object[name], member)] as const] : [],
    ),
  );
}

function findFirstProblem(
  problems: readonly (readonly [location: string, problem: string | undefined])[],
): string | undefined {
  const found = problems.find(([, problem]) => problem !== undefined);
  return found && `at ${found[0]}, ${found[1]}`;
}

function findOutOfBounds(size: number, low: unknown, high: unknown, unit = ''): string | undefined {
  const counted = unit === '' ? '' : ` ${unit}`;
  if (typeof low === 'number' && size < low) return `at least ${low}${counted} are asked for`;
  return typeof high === 'number' && size > high ? `at most ${high}${counted} are allowed` : undefined;
}

function isOfType(value: unknown, type: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isPlainObject(value);
    case 'integer':
      return isInteger(value);
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint';
    case 'string':
    case 'boolean':
      return typeof value === type;
    default:
      // An error in the schema is not an error in the value.
      return true;
  }
}

function isSame(a: unknown, b: unknown): boolean {
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, at) => isSame(item, b[at]));
  if (isPlainObject(a)) {
    const names = Object.keys(a);
    if (!isPlainObject(b) || names.length !== Object.keys(b).length) return false;
    return names.every(name => Object.hasOwn(b, name) && isSame(a[name], b[name]));
  }
  // biome-ignore lint/suspicious/noDoubleEquals: 1n and 1 are one number in JSON
  return typeof a === 'bigint' || typeof b === 'bigint' ? a == b : Object.is(a, b);
}
