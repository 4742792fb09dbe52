import type { StructuralSchema } from '#schemas';
import { KINDS } from '../source/kinds.ts';
import { range } from '../text/describe.ts';
import { EXPLAINED_FILES, type FieldLocation, innermost, listApiVersions } from './field-place.ts';
import { columns, firstSentence, indented, item, paragraph, titled } from './layout.ts';
import { getFieldPage } from './site-pages.ts';

/**
 * Describes a kind or a field in the style of `kubectl explain`: its meaning, its values, and the fields one level below.
 *
 * @param site address of the documentation, if there is one
 */
export function explainField(location: FieldLocation, site?: string): string {
  const { kind, path, schema, isRequired } = location;
  const isKind = path === kind;
  const inner = innermost(location);
  const facts = [
    ...(EXPLAINED_FILES.includes(kind) ? [['FILE:', kind]] : [['KIND:', kind]]),
    ...(KINDS.has(kind) ? [['VERSION:', listApiVersions(kind).join(', ')]] : []),
    ...(isKind
      ? []
      : [
          ['PATH:', path],
          ['TYPE:', typeName(schema)],
          ['REQUIRED:', isRequired ? 'yes' : 'no'],
        ]),
    ...(schema.deprecated ? [['DEPRECATED:', 'yes']] : []),
    ...constraints(schema).map(([name, value]) => [`${name.toUpperCase()}:`, value]),
    ...(inner.path === path
      ? []
      : constraints(inner.schema).map(([name, value]) => [`EACH ${name.toUpperCase()}:`, value])),
  ];
  const rules = [...(schema['x-kubernetes-validations'] ?? []), ...innerRules(inner, path)];
  return `${[
    columns(facts).replace(/^ {2}/gm, ''),
    ...titled('description', getDescription(schema)),
    ...titled('rules', rules.map(({ rule, message }) => item(message ?? rule)).join('\n')),
    ...titled('page', site === undefined ? '' : indented(site + getFieldPage(path))),
    ...titled(
      inner.path === path ? 'fields' : `fields of each ${inner.path.endsWith('[]') ? 'item' : 'value'}`,
      fieldTable(inner.schema),
    ),
  ].join('\n\n')}\n`;
}

/** The properties of a field in its schema, except the description, as names and values. */
export function listFieldFacts({
  schema,
  isRequired,
}: FieldLocation): readonly (readonly [name: string, value: string])[] {
  return [
    ['type', typeName(schema)],
    ...(isRequired ? [['required', 'yes'] as const] : []),
    ...(schema.deprecated ? [['deprecated', 'yes'] as const] : []),
    ...constraints(schema),
  ];
}

function innerRules(inner: FieldLocation, path: string) {
  return inner.path === path ? [] : (inner.schema['x-kubernetes-validations'] ?? []);
}

function getDescription({ description = '' }: StructuralSchema): string {
  return description === '' ? '' : paragraph(description);
}

function fieldTable({ properties = {}, required = [] }: StructuralSchema): string {
  const fields = Object.entries(properties);
  const facts = columns(
    fields.map(([name, field]) => [
      name,
      typeName(field),
      required.includes(name) ? 'required' : '',
      field.deprecated ? 'deprecated' : '',
      field.default === undefined ? '' : `default ${JSON.stringify(field.default)}`,
    ]),
  ).split('\n');
  // Descriptions go below the facts, so that lines fit a terminal even with long names.
  return fields
    .flatMap(([, { description = '' }], at) => [
      facts[at] ?? '',
      ...(description === '' ? [] : [paragraph(firstSentence(description), '      ')]),
    ])
    .join('\n');
}

function typeName(schema: StructuralSchema): string {
  if (schema['x-kubernetes-int-or-string']) return 'integer or string';
  if (schema.items) return `list of ${typeName(schema.items)}`;
  if (schema.additionalProperties) return `map of ${typeName(schema.additionalProperties)}`;
  if (schema['x-lintel-string-or-strings']) return 'string or list of strings';
  if (schema.type === undefined) return 'any';
  if (schema.type !== 'object') return schema.type;
  return schema.properties ? (schema.title ?? 'object') : 'any object';
}

/** The constraints of a schema besides its type, as names and values. */
function constraints(schema: StructuralSchema): readonly (readonly [name: string, value: string])[] {
  const bounds = (low: number | undefined, high: number | undefined, unit?: string) =>
    low === undefined && high === undefined ? undefined : range(low, high, unit);
  const keys = schema['x-kubernetes-list-map-keys']?.join(', ');
  const unique = schema['x-kubernetes-list-type'] === 'set' ? 'every item' : keys;
  const all: readonly (readonly [name: string, value: string | undefined])[] = [
    ['default', schema.default === undefined ? undefined : JSON.stringify(schema.default)],
    ['one of', schema.enum?.map(String).join(', ')],
    ['unit', schema['x-lintel-unit']],
    ['format', schema.format],
    ['pattern', schema.pattern],
    ['value', bounds(schema.minimum, schema.maximum)],
    ['above', schema.exclusiveMinimum?.toString()],
    ['below', schema.exclusiveMaximum?.toString()],
    ['multiple of', schema.multipleOf?.toString()],
    ['length', bounds(schema.minLength, schema.maxLength, 'character')],
    ['items', bounds(schema.minItems, schema.maxItems, 'item')],
    ['entries', schema.properties ? undefined : bounds(schema.minProperties, schema.maxProperties, 'field')],
    ['unique', unique],
    ['names', schema['x-lintel-ref']?.kind],
    ['sensitive', schema['x-lintel-sensitive'] ? 'yes: never shown in messages' : undefined],
    ['nullable', schema.nullable ? 'yes' : undefined],
  ];
  return all.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
}
