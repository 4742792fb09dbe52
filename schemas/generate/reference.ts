/** `generated/REFERENCE.md`: every field of every kind, for readers. */
import type { FileDefinition, KindDefinition } from '../kinds/define.ts';
import { ACCEPTED_API_GROUPS, API_GROUP, DEPRECATED_VERSION, OWN_KINDS, STORAGE_VERSION } from '../names.ts';
import { formatCode, listFacts } from './facts.ts';
import { GENERATED } from './header.ts';
import { formatTable } from './markdown.ts';
import { listChildren, type PlacedSchema, type StructuralSchema, walk } from './structural-schema.ts';
import { toStructural } from './to-structural.ts';

/** The field reference of all kinds and files, in their order. @throws Error naming the field when a schema is not structural */
export function formatReferencePage(kinds: readonly KindDefinition[], files: readonly FileDefinition[] = []): string {
  const others = ACCEPTED_API_GROUPS.filter(group => group !== API_GROUP).map(formatCode);
  return [
    `<!-- ${GENERATED} -->`,
    '# Field reference',
    `API group ${formatCode(API_GROUP)}, version ${formatCode(STORAGE_VERSION)}. Version ${formatCode(DEPRECATED_VERSION)} has the same fields and is deprecated. Manifests of ${others.join(', ')} are accepted as they are. A field that is not listed here is an error.`,
    'In a path, `[]` stands for each item of a list and `*` for each key of a map.',
    [...kinds.map(({ kind }) => kind), ...files.map(({ schema }) => schema.title)]
      .map(name => `- [${name}](#${name.toLowerCase()})`)
      .join('\n'),
    ...kinds.flatMap(formatSection),
    ...files.flatMap(formatFileSection),
  ]
    .join('\n\n')
    .concat('\n');
}

function formatSection(kind: KindDefinition): string[] {
  const spec = { path: 'spec', schema: toStructural(kind.spec, `${kind.kind}.spec`) };
  const status = { path: 'status', schema: toStructural(kind.status, `${kind.kind}.status`) };
  const names = kind.shortNames.length === 0 ? '' : `; short names ${kind.shortNames.map(formatCode).join(', ')}`;
  const columns = kind.printerColumns.map(column => [column.name, column.type, formatCode(column.jsonPath)]);
  return [
    `## ${kind.kind}`,
    kind.description,
    `Resource ${formatCode(`${kind.plural}.${API_GROUP}`)}${names}. \`spec\` is ${kind.specRequired ? 'required' : 'optional'}.${formatGroupNote(kind)}`,
    ...formatTitled('Spec', FIELD_HEAD, listFieldRows(spec)),
    ...formatTitled('Rules', ['Where', 'CEL rule', 'Message'], [...listRuleRows(spec), ...listRuleRows(status)]),
    ...formatTitled('Status', FIELD_HEAD, listFieldRows(status)),
    ...formatTitled('Columns of `kubectl get`', ['Column', 'Type', 'Source'], columns),
  ];
}

function formatGroupNote({ kind }: KindDefinition): string {
  return OWN_KINDS.includes(kind) ? ' No other group has this kind.' : '';
}

/** Files have no envelope: their fields are at the root. */
function formatFileSection({ schema }: FileDefinition): string[] {
  const structural = toStructural(schema, schema.title);
  return [
    `## ${schema.title}`,
    structural.description ?? '',
    ...formatTitled('Fields', FIELD_HEAD, listFieldRows({ path: '', schema: structural })),
  ];
}

const FIELD_HEAD = ['Field', 'Type', 'Required', 'Default / constraints', 'Meaning'];

function formatTitled(title: string, head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return rows.length === 0 ? [] : [`### ${title}`, formatTable(head, rows)];
}

/** One row for each named field and each map value that is an object; a type inside itself is not repeated. */
function listFieldRows(root: PlacedSchema): string[][] {
  const rows: string[][] = [];
  const visit = (placed: PlacedSchema, above: ReadonlyMap<string, string>): void => {
    const title = placed.schema.properties ? placed.schema.title : undefined;
    const inside = title === undefined ? above : new Map([...above, [title, placed.path]]);
    for (const child of listChildren(placed)) {
      const firstTitle =
        above.get(findInnerTitle(child.schema) ?? '') ?? inside.get(findInnerTitle(child.schema) ?? '');
      const named = placed.schema.properties !== undefined;
      if (named) rows.push(toRow(child, isRequired(placed.schema, child), firstTitle));
      if (firstTitle === undefined) visit(child, inside);
    }
  };
  visit(root, new Map());
  return rows;
}

/** Title of the object that this schema is, or that its items or values are. */
function findInnerTitle(schema: StructuralSchema): string | undefined {
  if (schema.properties) return schema.title;
  const inner = schema.items ?? schema.additionalProperties;
  return inner ? findInnerTitle(inner) : undefined;
}

function isRequired(parent: StructuralSchema, child: PlacedSchema): boolean {
  return (parent.required ?? []).some(name => child.path.endsWith(`.${name}`));
}

function toRow({ path, schema }: PlacedSchema, required: boolean, firstTitle: string | undefined): string[] {
  const constraints = [
    ...(schema.enum ? [`One of ${schema.enum.map(value => formatCode(String(value))).join(', ')}`] : []),
    ...listFacts(schema),
  ];
  const meaning = [
    ...(schema.deprecated ? ['**Deprecated.**'] : []),
    ...(schema.description === undefined ? [] : [schema.description]),
    ...(firstTitle === undefined ? [] : [`Has the fields of ${formatCode(firstTitle)}.`]),
  ];
  return [
    formatCode(path.replace(/^\./, '')),
    formatTypeName(schema),
    required ? 'yes' : '',
    [...constraints, ...listItemFacts(schema)].join('. '),
    meaning.join(' '),
  ];
}

/** Constraints on scalar items or map values, which have no row of their own. */
function listItemFacts(schema: StructuralSchema): string[] {
  const inner = schema.items ?? schema.additionalProperties;
  if (inner === undefined || inner.properties) return [];
  const values = inner.enum ? [`One of ${inner.enum.map(value => formatCode(String(value))).join(', ')}`] : [];
  const constraints = [...values, ...listFacts(inner), ...listItemFacts(inner)];
  return constraints.length === 0 ? [] : [`Each: ${constraints.join('; ')}`];
}

function formatTypeName(schema: StructuralSchema): string {
  if (schema['x-kubernetes-int-or-string']) return 'integer or string';
  if (schema.items) return `list of ${formatTypeName(schema.items)}`;
  if (schema.additionalProperties) return `map of ${formatTypeName(schema.additionalProperties)}`;
  if (schema['x-lintel-string-or-strings']) return 'string or list of strings';
  if (schema.type === undefined) return 'any';
  return schema.type === 'object' && !schema.properties ? 'any object' : schema.type;
}

function listRuleRows(root: PlacedSchema): string[][] {
  return [...walk(root)].flatMap(({ path, schema }) =>
    (schema['x-kubernetes-validations'] ?? []).map(({ rule, message }) => [
      formatCode(path),
      formatCode(rule),
      message ?? '',
    ]),
  );
}
