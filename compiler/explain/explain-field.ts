import type { StructuralSchema } from '#schemas';
import { KINDS } from '../source/kinds.ts';
import { formatRange } from '../text/describe.ts';
import { EXPLAINED_FILES, type FieldLocation, findInnermost, listApiVersions } from './find-field.ts';
import { alignColumns, formatTitled, indentText, takeFirstSentence, wrapItem, wrapParagraph } from './layout.ts';
import { getFieldPage } from './site-pages.ts';

/**
 * Describes a kind or a field in the style of `kubectl explain`: its meaning, its values, and the fields one level below.
 *
 * @param site address of the documentation, if there is one
 */
export function explainField(location: FieldLocation, site?: string): string {
  const { kind, path, schema, isRequired } = location;
  const isKind = path === kind;
  const inner = findInnermost(location);
  const rows = [
    ...(EXPLAINED_FILES.includes(kind) ? [['FILE:', kind]] : [['KIND:', kind]]),
    ...(KINDS.has(kind) ? [['VERSION:', listApiVersions(kind).join(', ')]] : []),
    ...(isKind
      ? []
      : [
          ['PATH:', path],
          ['TYPE:', formatTypeName(schema)],
          ['REQUIRED:', isRequired ? 'yes' : 'no'],
        ]),
    ...(schema.deprecated ? [['DEPRECATED:', 'yes']] : []),
    ...listConstraints(schema).map(([name, value]) => [`${name.toUpperCase()}:`, value]),
    ...(inner.path === path
      ? []
      : listConstraints(inner.schema).map(([name, value]) => [`EACH ${name.toUpperCase()}:`, value])),
  ];
  const rules = [...(schema['x-kubernetes-validations'] ?? []), ...formatInnerRules(inner, path)];
  return `${[
    alignColumns(rows).replace(/^ {2}/gm, ''),
    ...formatTitled('description', getDescription(schema)),
    ...formatTitled('rules', rules.map(({ rule, message }) => wrapItem(message ?? rule)).join('\n')),
    ...formatTitled('page', site === undefined ? '' : indentText(site + getFieldPage(path))),
    ...formatTitled(
      inner.path === path ? 'fields' : `fields of each ${inner.path.endsWith('[]') ? 'item' : 'value'}`,
      formatFieldTable(inner.schema),
    ),
  ].join('\n\n')}\n`;
}

/** The properties of a field in its schema, except the description, as names and values. */
export function listFieldFacts({
  schema,
  isRequired,
}: FieldLocation): readonly (readonly [name: string, value: string])[] {
  return [
    ['type', formatTypeName(schema)],
    ...(isRequired ? [['required', 'yes'] as const] : []),
    ...(schema.deprecated ? [['deprecated', 'yes'] as const] : []),
    ...listConstraints(schema),
  ];
}

function formatInnerRules(inner: FieldLocation, path: string) {
  return inner.path === path ? [] : (inner.schema['x-kubernetes-validations'] ?? []);
}

function getDescription({ description = '' }: StructuralSchema): string {
  return description === '' ? '' : wrapParagraph(description);
}

function formatFieldTable({ properties = {}, required = [] }: StructuralSchema): string {
  const fields = Object.entries(properties);
  const rows = alignColumns(
    fields.map(([name, field]) => [
      name,
      formatTypeName(field),
      required.includes(name) ? 'required' : '',
      field.deprecated ? 'deprecated' : '',
      field.default === undefined ? '' : `default ${JSON.stringify(field.default)}`,
    ]),
  ).split('\n');
  // Descriptions go below the facts, so that lines fit a terminal even with long names.
  return fields
    .flatMap(([, { description = '' }], at) => [
      rows[at] ?? '',
      ...(description === '' ? [] : [wrapParagraph(takeFirstSentence(description), '      ')]),
    ])
    .join('\n');
}

function formatTypeName(schema: StructuralSchema): string {
  if (schema['x-kubernetes-int-or-string']) return 'integer or string';
  if (schema.items) return `list of ${formatTypeName(schema.items)}`;
  if (schema.additionalProperties) return `map of ${formatTypeName(schema.additionalProperties)}`;
  if (schema['x-lintel-string-or-strings']) return 'string or list of strings';
  if (schema.type === undefined) return 'any';
  if (schema.type !== 'object') return schema.type;
  return schema.properties ? (schema.title ?? 'object') : 'any object';
}

/** The constraints of a schema besides its type, as names and values. */
function listConstraints(schema: StructuralSchema): readonly (readonly [name: string, value: string])[] {
  const bounds = (low: number | undefined, high: number | undefined, unit?: string) =>
    low === undefined && high === undefined ? undefined : formatRange(low, high, unit);
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
