/** `generated/REFERENCE.md`: every field of every kind, for readers. */
import type { FileDefinition, KindDefinition } from '../kinds/define.ts';
import { ACCEPTED_API_GROUPS, API_GROUP, DEPRECATED_VERSION, OWN_KINDS, STORAGE_VERSION } from '../names.ts';
import { code, listFacts } from './facts.ts';
import { GENERATED } from './header.ts';
import { table } from './markdown.ts';
import { listChildren, type PlacedSchema, type StructuralSchema, walk } from './structural-schema.ts';
import { toStructural } from './to-structural.ts';

/** The field reference of all kinds and files, in their order. @throws Error naming the field when a schema is not structural */
export function reference(kinds: readonly KindDefinition[], files: readonly FileDefinition[] = []): string {
  const others = ACCEPTED_API_GROUPS.filter(group => group !== API_GROUP).map(code);
  return [
    `<!-- ${GENERATED} -->`,
    '# Field reference',
    `API group ${code(API_GROUP)}, version ${code(STORAGE_VERSION)}. Version ${code(DEPRECATED_VERSION)} has the same fields and is deprecated. Manifests of ${others.join(', ')} are accepted as they are. A field that is not listed here is an error.`,
    'In a path, `[]` stands for each item of a list and `*` for each key of a map.',
    [...kinds.map(({ kind }) => kind), ...files.map(({ schema }) => schema.title)]
      .map(name => `- [${name}](#${name.toLowerCase()})`)
      .join('\n'),
    ...kinds.flatMap(section),
    ...files.flatMap(fileSection),
  ]
    .join('\n\n')
    .concat('\n');
}

function section(kind: KindDefinition): string[] {
  const spec = { path: 'spec', schema: toStructural(kind.spec, `${kind.kind}.spec`) };
  const status = { path: 'status', schema: toStructural(kind.status, `${kind.kind}.status`) };
  const names = kind.shortNames.length === 0 ? '' : `; short names ${kind.shortNames.map(code).join(', ')}`;
  const columns = kind.printerColumns.map(column => [column.name, column.type, code(column.jsonPath)]);
  return [
    `## ${kind.kind}`,
    kind.description,
    `Resource ${code(`${kind.plural}.${API_GROUP}`)}${names}. \`spec\` is ${kind.specRequired ? 'required' : 'optional'}.${ofOneGroup(kind)}`,
    ...titled('Spec', FIELD_HEAD, fieldRows(spec)),
    ...titled('Rules', ['Where', 'CEL rule', 'Message'], [...ruleRows(spec), ...ruleRows(status)]),
    ...titled('Status', FIELD_HEAD, fieldRows(status)),
    ...titled('Columns of `kubectl get`', ['Column', 'Type', 'Source'], columns),
  ];
}

function ofOneGroup({ kind }: KindDefinition): string {
  return OWN_KINDS.includes(kind) ? ' No other group has this kind.' : '';
}

/** Files have no envelope: their fields are at the root. */
function fileSection({ schema }: FileDefinition): string[] {
  const structural = toStructural(schema, schema.title);
  return [
    `## ${schema.title}`,
    structural.description ?? '',
    ...titled('Fields', FIELD_HEAD, fieldRows({ path: '', schema: structural })),
  ];
}

const FIELD_HEAD = ['Field', 'Type', 'Required', 'Default / constraints', 'Meaning'];

function titled(title: string, head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return rows.length === 0 ? [] : [`### ${title}`, table(head, rows)];
}

/** One row for each named field and each map value that is an object; a type inside itself is not repeated. */
function fieldRows(root: PlacedSchema): string[][] {
  const rows: string[][] = [];
  const visit = (placed: PlacedSchema, above: ReadonlyMap<string, string>): void => {
    const title = placed.schema.properties ? placed.schema.title : undefined;
    const inside = title === undefined ? above : new Map([...above, [title, placed.path]]);
    for (const child of listChildren(placed)) {
      const again = above.get(innerTitle(child.schema) ?? '') ?? inside.get(innerTitle(child.schema) ?? '');
      const named = placed.schema.properties !== undefined;
      if (named) rows.push(row(child, isRequired(placed.schema, child), again));
      if (again === undefined) visit(child, inside);
    }
  };
  visit(root, new Map());
  return rows;
}

/** Title of the object that this schema is, or that its items or values are. */
function innerTitle(schema: StructuralSchema): string | undefined {
  if (schema.properties) return schema.title;
  const inner = schema.items ?? schema.additionalProperties;
  return inner ? innerTitle(inner) : undefined;
}

function isRequired(parent: StructuralSchema, child: PlacedSchema): boolean {
  return (parent.required ?? []).some(name => child.path.endsWith(`.${name}`));
}

function row({ path, schema }: PlacedSchema, required: boolean, again: string | undefined): string[] {
  const facts = [
    ...(schema.enum ? [`One of ${schema.enum.map(value => code(String(value))).join(', ')}`] : []),
    ...listFacts(schema),
  ];
  const meaning = [
    ...(schema.deprecated ? ['**Deprecated.**'] : []),
    ...(schema.description === undefined ? [] : [schema.description]),
    ...(again === undefined ? [] : [`Has the fields of ${code(again)}.`]),
  ];
  return [
    code(path.replace(/^\./, '')),
    typeName(schema),
    required ? 'yes' : '',
    [...facts, ...itemFacts(schema)].join('. '),
    meaning.join(' '),
  ];
}

/** Constraints on scalar items or map values, which have no row of their own. */
function itemFacts(schema: StructuralSchema): string[] {
  const inner = schema.items ?? schema.additionalProperties;
  if (inner === undefined || inner.properties) return [];
  const values = inner.enum ? [`One of ${inner.enum.map(value => code(String(value))).join(', ')}`] : [];
  const facts = [...values, ...listFacts(inner), ...itemFacts(inner)];
  return facts.length === 0 ? [] : [`Each: ${facts.join('; ')}`];
}

function typeName(schema: StructuralSchema): string {
  if (schema['x-kubernetes-int-or-string']) return 'integer or string';
  if (schema.items) return `list of ${typeName(schema.items)}`;
  if (schema.additionalProperties) return `map of ${typeName(schema.additionalProperties)}`;
  if (schema['x-lintel-string-or-strings']) return 'string or list of strings';
  if (schema.type === undefined) return 'any';
  return schema.type === 'object' && !schema.properties ? 'any object' : schema.type;
}

function ruleRows(root: PlacedSchema): string[][] {
  return [...walk(root)].flatMap(({ path, schema }) =>
    (schema['x-kubernetes-validations'] ?? []).map(({ rule, message }) => [code(path), code(rule), message ?? '']),
  );
}
