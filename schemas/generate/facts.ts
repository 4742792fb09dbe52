/** The constraints of a schema besides its type, as short Markdown phrases for the TypeScript types and the reference. */
import type { StructuralSchema } from './structural-schema.ts';

/** Default, unit, bounds, pattern and the like, in a fixed order; values are in backticks. */
export function listFacts(schema: StructuralSchema): string[] {
  return [
    ...describeDefault(schema),
    ...describeUnit(schema),
    ...(schema.format === undefined ? [] : [`Format: ${formatCode(schema.format)}`]),
    ...formatRange('Value', schema.minimum, schema.maximum),
    ...(schema.exclusiveMinimum === undefined ? [] : [`Above ${schema.exclusiveMinimum}`]),
    ...(schema.exclusiveMaximum === undefined ? [] : [`Below ${schema.exclusiveMaximum}`]),
    ...(schema.multipleOf === undefined ? [] : [`A multiple of ${schema.multipleOf}`]),
    ...formatRange('Length', schema.minLength, schema.maxLength, 'characters'),
    ...formatRange('Holds', schema.minItems, schema.maxItems, 'items'),
    ...formatRange('Holds', schema.minProperties, schema.maxProperties, 'entries'),
    ...describeUniqueness(schema),
    ...(schema.pattern === undefined ? [] : [`Pattern: ${formatCode(schema.pattern)}`]),
    ...(schema['x-lintel-ref'] ? [`Names: ${schema['x-lintel-ref'].kind}`] : []),
    ...(schema['x-lintel-sensitive'] ? ['Sensitive: never shown in messages'] : []),
    ...(schema.nullable ? ['May be null'] : []),
  ];
}

/** A Markdown code span for any text, backticks included. */
export function formatCode(text: string): string {
  if (!text.includes('`')) return `\`${text}\``;
  const longest = Math.max(...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence} ${text} ${fence}`;
}

function describeDefault(schema: StructuralSchema): string[] {
  return schema.default === undefined ? [] : [`Default: ${formatCode(JSON.stringify(schema.default))}`];
}

function describeUnit(schema: StructuralSchema): string[] {
  const unit = schema['x-lintel-unit'];
  if (unit === undefined) return [];
  return [
    unit === 'duration' ? `Unit: duration, such as ${formatCode('30s')} or ${formatCode('1h30m')}` : `Unit: ${unit}`,
  ];
}

function describeUniqueness(schema: StructuralSchema): string[] {
  if (schema['x-kubernetes-list-type'] === 'set') return ['Items are unique'];
  const keys = schema['x-kubernetes-list-map-keys'];
  return keys ? [`Items are unique by ${keys.map(formatCode).join(', ')}`] : [];
}

function formatRange(what: string, low: number | undefined, high: number | undefined, of?: string): string[] {
  const tail = of === undefined ? '' : ` ${of}`;
  if (low !== undefined && high !== undefined) return [`${what}: ${low} to ${high}${tail}`];
  if (low !== undefined) return [`${what}: at least ${low}${tail}`];
  return high === undefined ? [] : [`${what}: at most ${high}${tail}`];
}
