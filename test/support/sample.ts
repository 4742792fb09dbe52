/** Valid values for any of Lintel's schemas, generated from the schema. */
import type { StructuralSchema } from '#schemas';

/** Texts of which at least one satisfies each pattern and bound in the schemas; the first match is used. */
const STRINGS = [
  'sample',
  '7s',
  'https://sample.example.com/mcp',
  'https://sample.example.com',
  '0.25',
  '0.5',
  'us-east-1',
  'arn:aws:iam::123456789012:role/sample',
  '2026-01-01T00:00:00Z',
  '/sample',
  '0123456789abcdef0123456789abcdef01234567',
];

/** A value that satisfies the schema and, where possible, differs from the default; objects only have required fields. */
export function buildSample(schema: StructuralSchema): unknown {
  if (schema.enum !== undefined)
    return schema.enum.findLast(value => value !== schema.default && value !== '') ?? schema.enum[0];
  switch (schema.type) {
    case 'boolean':
      return schema.default !== true;
    case 'integer':
    case 'number': {
      const low = schema.minimum ?? 1;
      return low === schema.default ? low + 1 : Math.max(low, Math.min(7, schema.maximum ?? 7));
    }
    case 'array':
      return schema.items === undefined ? [] : [buildSample(schema.items)];
    case 'object':
      return sampleObject(schema);
    case 'string':
      return sampleString(schema);
    default:
      return 'sample';
  }
}

function sampleObject(schema: StructuralSchema): object {
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) return { type: 'object' };
  if (schema.additionalProperties !== undefined) return { sample: buildSample(schema.additionalProperties) };
  const required = schema.required ?? [];
  return Object.fromEntries(required.map(name => [name, buildSample(schema.properties?.[name] ?? {})]));
}

function sampleString(schema: StructuralSchema): string {
  const fits = STRINGS.find(
    text =>
      text !== schema.default &&
      (schema.pattern === undefined || new RegExp(schema.pattern, 'u').test(text)) &&
      (schema.format !== 'date-time' || text.includes('T00')),
  );
  if (fits === undefined) throw new Error(`no sample for ${JSON.stringify(schema)}`);
  return fits;
}

export type Path = readonly (string | number)[];

/** The paths of all leaves of a schema: scalars, free-form parts, and maps and lists of them (with one entry). */
export function listLeaves(
  schema: StructuralSchema,
  path: Path = [],
): { readonly path: Path; readonly schema: StructuralSchema }[] {
  if (schema.type === 'array' && schema.items !== undefined) return listLeaves(schema.items, [...path, 0]);
  if (schema.type === 'object' && schema.additionalProperties !== undefined) {
    return listLeaves(schema.additionalProperties, [...path, 'sample']);
  }
  const fields = Object.entries(schema.properties ?? {});
  if (fields.length === 0) return [{ path, schema }];
  return fields.flatMap(([name, field]) => listLeaves(field, [...path, name]));
}

/** `base` with a sample at `path`, and with the required fields of everything above it. */
export function withLeaf(schema: StructuralSchema, base: unknown, path: Path): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return buildSample(schema);
  if (typeof step === 'number') {
    const [first] = Array.isArray(base) ? base : [];
    return [withLeaf(schema.items ?? {}, first ?? buildSample(schema.items ?? {}), rest)];
  }
  const field = schema.properties?.[step] ?? schema.additionalProperties ?? {};
  const object = (base ?? buildSample(schema)) as Record<string, unknown>;
  return { ...object, [step]: withLeaf(field, object[step], rest) };
}

/** `value` without the value at `path`. */
export function withoutLeaf(value: unknown, path: Path): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return undefined;
  if (Array.isArray(value)) {
    return rest.length === 0
      ? value.filter((_, index) => index !== step)
      : value.map((item, index) => (index === step ? withoutLeaf(item, rest) : item));
  }
  const entries = Object.entries(value as object);
  return Object.fromEntries(
    rest.length === 0
      ? entries.filter(([key]) => key !== step)
      : entries.map(([key, member]) => [key, key === step ? withoutLeaf(member, rest) : member]),
  );
}
