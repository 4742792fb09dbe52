import { listFieldFacts } from '../../compiler/explain/explain-field.ts';
import { EXPLAINED_FILES, findInnermost } from '../../compiler/explain/find-field.ts';
import type { StructuralSchema } from '../../schemas/index.ts';
import { relativeTo } from './addresses.ts';
import { allFields, type Field } from './fields.ts';
import { codeBlock, escaped, facts, firstSentence, prose, renderTable } from './html.ts';

/** The output of `lintel explain`, with links: what a field is, which values it takes, and the fields around and below it. */
export function renderField(field: Field): string {
  const { path, kind, schema, above, fields, sameAs } = field;
  const inner = findInnermost(field);
  const isKind = above.length === 0;
  const own = listFieldFacts(field).filter(([name]) => !isKind || (name !== 'type' && name !== 'required'));
  const each =
    inner.path === path ? [] : listFieldFacts(inner).filter(([name]) => name !== 'type' && name !== 'required');
  const rules = [...listRules(schema), ...(inner.path === path ? [] : listRules(inner.schema))];
  const link = (to: Field, text: string) =>
    `<a href="${relativeTo(field.output, to.output)}"><code>${escaped(text)}</code></a>`;
  return [
    `<h1>${breaking(path)}</h1>\n`,
    isKind
      ? `<p class="around"><a href="index.html">All kinds and files</a></p>\n`
      : `<p class="around">In ${above.map(entry => link(entry, lastStep(entry))).join(' › ')}</p>\n`,
    schema.description === undefined ? '' : `<p>${prose(schema.description)}</p>\n`,
    facts([
      ...own.map(([name, value]) => [name, `<code>${escaped(value)}</code>`] as const),
      ...each.map(([name, value]) => [`each: ${name}`, `<code>${escaped(value)}</code>`] as const),
      ...(kind === 'WorkflowTestFile'
        ? []
        : [['in a terminal', `<code>lintel explain ${escaped(path)}</code>`] as const]),
    ]),
    sameAs === undefined ? '' : `<p>Has the fields of ${link(sameAs, sameAs.path)}.</p>\n`,
    rules.length === 0 ? '' : `<h2>Rules</h2>\n${rules.map(renderRule).join('')}`,
    fields.length === 0
      ? ''
      : `<h2>${isKind || inner.path === path ? 'Fields' : `Fields of each ${inner.path.endsWith('[]') ? 'item' : 'value'}`}</h2>\n`,
    fields.length === 0
      ? ''
      : fieldTable(isKind && !EXPLAINED_FILES.includes(path) ? fields.flatMap(belowSpec) : fields, field),
  ].join('');
}

/** The page of a kind lists every field: readers search it with their browser. */
function belowSpec(field: Field): readonly Field[] {
  return /\.(spec|status)$/.test(field.path) ? allFields(field) : [field];
}

function fieldTable(fields: readonly Field[], of: Field): string {
  const rows = fields.map(field => {
    const { path, schema, isRequired } = field;
    const [, type = ''] = listFieldFacts(field)[0] ?? [];
    const name = path.slice(of.path.length).replace(/^(\[\]|\.\*)*\.?/, '');
    return [
      `<a href="${relativeTo(of.output, field.output)}"><code>${breaking(name)}</code></a>`,
      `${escaped(type)}${isRequired ? ', required' : ''}${schema.deprecated ? ', deprecated' : ''}`,
      prose(firstSentence(schema.description ?? '')),
    ];
  });
  return renderTable('Fields', ['Field', 'Type', 'Meaning'], rows);
}

function listRules(
  schema: StructuralSchema,
): readonly { readonly rule: string; readonly message?: string | undefined }[] {
  return schema['x-kubernetes-validations'] ?? [];
}

function renderRule({ rule, message }: { readonly rule: string; readonly message?: string | undefined }): string {
  return `${message === undefined ? '' : `<p>${prose(message)}</p>\n`}${codeBlock(`${rule}\n`)}`;
}

function lastStep({ path, above }: Field): string {
  return path.slice(above.at(-1)?.path.length ?? 0).replace(/^(\[\]|\.\*)*\.?/, '');
}

/** Names that are so long that they push the other columns of a table off the screen. */
const LONG_NAME = /\w{25,}/g;

/** A path as HTML: a long path can wrap before its dots, and a long name between its words. */
function breaking(path: string): string {
  return escaped(path)
    .replaceAll('.', '<wbr>.')
    .replace(LONG_NAME, name => name.replace(/(?<=[a-z])(?=[A-Z])/g, '<wbr>'));
}
