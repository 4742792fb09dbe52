/**
 * Converts a TypeBox schema into a {@link StructuralSchema} with a fixed order of keys. It throws when the schema could not become a CRD, and
 * names the place: such a schema is a bug in a kind definition.
 */
import { isObject } from '../json-object.ts';
import { CONSTRAINTS, type StructuralSchema } from './structural-schema.ts';

/** Allowed keywords, in the order of the output. `x-lintel-*` follow. */
const KEYWORDS: readonly string[] = [
  'type',
  'title',
  'description',
  'deprecated',
  'default',
  'examples',
  'nullable',
  'enum',
  ...CONSTRAINTS,
  'properties',
  'additionalProperties',
  'items',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
  'x-kubernetes-validations',
];

const TYPES: readonly string[] = ['object', 'array', 'string', 'integer', 'number', 'boolean'];

type Raw = Readonly<Record<string, unknown>>;

/**
 * The structural form of a schema written with TypeBox.
 *
 * `const` becomes a one-value `enum`; `additionalProperties: false` is removed, because `properties` implies it.
 *
 * @param where dotted place for messages, such as `MCPGroup.spec`
 * @throws Error on a keyword or a combination that a structural schema must not have
 */
export function toStructural(schema: unknown, where: string): StructuralSchema {
  if (!isObject(schema)) throw new Error(`${where}: a schema must be an object`);
  const read = normalizeConst(schema);
  const unknown = Object.keys(read).find(key => !isKnown(key) && !key.startsWith('~'));
  if (unknown !== undefined) throw new Error(`${where}: keyword "${unknown}" has no place in a structural schema`);
  const ours = Object.keys(read).filter(key => key.startsWith('x-lintel-'));
  const out: Record<string, unknown> = {};
  for (const key of [...KEYWORDS, ...ours.sort()]) {
    const value = convertKeyword(key, read[key], where);
    if (value !== undefined) out[key] = value;
  }
  const result = out as StructuralSchema;
  verify(result, where);
  return result;
}

function convertKeyword(key: string, value: unknown, where: string): unknown {
  if (value === undefined) return undefined;
  switch (key) {
    case 'properties':
      return Object.fromEntries(
        Object.entries(value as Raw).map(([name, child]) => [name, toStructural(child, `${where}.${name}`)]),
      );
    case 'items':
      return toStructural(value, `${where}[]`);
    case 'additionalProperties':
      return value === false ? undefined : toStructural(value, `${where}.*`);
    case 'required':
      return (value as readonly string[]).length === 0 ? undefined : value;
    default:
      return structuredClone(value);
  }
}

function verify(schema: StructuralSchema, where: string): void {
  const problem = findShapeProblem(schema) ?? listProblem(schema);
  if (problem !== undefined) throw new Error(`${where}: ${problem}`);
}

function findShapeProblem(schema: StructuralSchema): string | undefined {
  const open = schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (schema.type === undefined && !open && schema['x-kubernetes-int-or-string'] !== true) return '`type` is missing';
  if (Array.isArray(schema.type)) return '`type` must be one type; use `nullable`';
  if (schema.type !== undefined && !TYPES.includes(schema.type)) return `type "${schema.type}" has no place here`;
  if (schema.type === 'array' && schema.items === undefined) return 'an array needs `items`';
  if (schema.type === 'object' && !open && !schema.properties && !schema.additionalProperties)
    return 'an object needs `properties`, `additionalProperties` or `x-kubernetes-preserve-unknown-fields`';
  if (schema.properties && schema.additionalProperties)
    return '`properties` and `additionalProperties` exclude each other';
  const stray = schema.required?.find(name => findField(schema, name) === undefined);
  return stray === undefined ? undefined : `required field "${stray}" is not among the properties`;
}

/** Why a schema violates Kubernetes' constraints on `x-kubernetes-list-type`. */
function listProblem(schema: StructuralSchema): string | undefined {
  const listType = schema['x-kubernetes-list-type'];
  if (listType === undefined) return undefined;
  const items = schema.items;
  if (items === undefined) return '`x-kubernetes-list-type` stands on something that is no list';
  if (listType === 'set' && !isScalar(items)) return 'items of a set must be scalars';
  if (listType !== 'map') return undefined;
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  if (keys.length === 0) return 'a list map needs `x-kubernetes-list-map-keys`';
  return keys.map(key => listKeyProblem(items, key)).find(problem => problem !== undefined);
}

function listKeyProblem(items: StructuralSchema, key: string): string | undefined {
  const field = findField(items, key);
  if (field === undefined) return `list-map key "${key}" is not a field of the items`;
  if (!isScalar(field)) return `list-map key "${key}" must be a scalar`;
  if (items.required?.includes(key) || field.default !== undefined) return undefined;
  return `list-map key "${key}" must be required or have a default`;
}

function findField(schema: StructuralSchema, name: string): StructuralSchema | undefined {
  return Object.hasOwn(schema.properties ?? {}, name) ? schema.properties?.[name] : undefined;
}

function isScalar(schema: StructuralSchema): boolean {
  return ['string', 'integer', 'number', 'boolean'].includes(schema.type ?? '');
}

function normalizeConst(schema: Raw): Raw {
  if (!Object.hasOwn(schema, 'const')) return schema;
  const { const: only, ...rest } = schema;
  return { ...rest, enum: [only] };
}

function isKnown(key: string): boolean {
  return KEYWORDS.includes(key) || key.startsWith('x-lintel-');
}
