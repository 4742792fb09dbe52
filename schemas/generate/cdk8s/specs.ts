/** `generated/cdk8s/specs.ts`: types of specs, with the rules of the schemas as unions. */
import { isDeepStrictEqual } from 'node:util';
import { GENERATED } from '../header.ts';
import type { InternalKind } from '../internal-schema.ts';
import { listChildren, type PlacedSchema, type StructuralSchema } from '../structural-schema.ts';
import {
  formatDocComment,
  formatFieldLine,
  formatFieldLines,
  formatKey,
  formatLiteral,
  formatType,
  isInterface,
  listSchemaDoc,
} from '../type-text.ts';
import { ABSENT, type Branch, type FieldState, getField, isRequired, PRESENT } from './branches.ts';
import { findUnions, type Union } from './unions.ts';

/**
 * Types for the specs of all kinds, in the order of their first occurrence.
 *
 * @throws Error when one title stands for two shapes, or when a rule is neither a union nor listed as left to the compiler
 */
export function formatSpecs(kinds: readonly InternalKind[]): string {
  const found = collectObjects(kinds);
  return [`// ${GENERATED}\n`, ...[...found.values()].map(formatObject)].join('\n');
}

/** Every object with fields, once, by its title. */
export function collectObjects(kinds: readonly Pick<InternalKind, 'kind' | 'spec'>[]): Map<string, StructuralSchema> {
  const found = new Map<string, StructuralSchema>();
  for (const { kind, spec } of kinds) collect({ path: `${kind}.spec`, schema: spec }, [], found);
  return found;
}

/** An object inside another one of the same title is the same type, unrolled to a fixed depth: the outermost one is used. */
function collect(placed: PlacedSchema, above: readonly string[], found: Map<string, StructuralSchema>): void {
  const { schema, path } = placed;
  let inside = above;
  if (isInterface(schema)) {
    const title = schema.title ?? '';
    if (above.includes(title)) return;
    inside = [...above, title];
    const before = found.get(title);
    if (
      before &&
      !isDeepStrictEqual(withoutDoc(before), withoutDoc(schema)) &&
      formatObject(withoutDoc(before)) !== formatObject(withoutDoc(schema))
    )
      throw new Error(`${path}: title "${title}" has another shape elsewhere`);
    if (!before) found.set(title, schema);
  }
  for (const child of listChildren(placed)) collect(child, inside, found);
}

function withoutDoc({ description: _, ...schema }: StructuralSchema): StructuralSchema {
  return schema;
}

function formatObject(schema: StructuralSchema): string {
  const title = schema.title ?? '';
  const unions = findUnions(schema);
  const tied = new Set(unions.flatMap(({ fields }) => fields));
  const doc = formatDocComment(listSchemaDoc(schema), '');
  if (tied.size === 0) return `${doc}export interface ${title} {\n${formatFieldLines(schema)}}\n`;
  const free = Object.entries(schema.properties ?? {}).filter(([name]) => !tied.has(name));
  const parts = unions.map(union => formatUnion(schema, union));
  if (free.length > 0) parts.unshift(`{\n${formatFieldLines({ ...schema, properties: Object.fromEntries(free) })}}`);
  return `${doc}export type ${title} = ${parts.join(' & ')};\n`;
}

function formatUnion(schema: StructuralSchema, { fields, branches }: Union): string {
  const texts = branches.map(branch => `{\n${fields.map(field => formatBranchLine(schema, field, branch)).join('')}}`);
  return texts.length === 1
    ? (texts[0] ?? '')
    : `(\n  | ${texts.map(text => text.replaceAll('\n', '\n    ')).join('\n  | ')}\n)`;
}

/** The type of one field in one branch: required, optional, or `never`. */
function formatBranchLine(schema: StructuralSchema, name: string, branch: Branch): string {
  const field = getField(schema, [name]);
  const states = branch.get(name) ?? [];
  if (states.every(state => state === ABSENT)) return `  readonly ${formatKey(name)}?: never;\n`;
  const type = [formatValue(field, states), formatRefinement(schema, [name], branch)]
    .filter(text => text !== '')
    .join(' & ');
  return formatFieldLine(name, field, { optional: states.includes(ABSENT), type });
}

/** The type of a present value. */
function formatValue(field: StructuralSchema, states: readonly FieldState[]): string {
  const values = states.filter(state => state !== ABSENT && state !== PRESENT);
  const all = field.type === 'boolean' ? 2 : (field.enum?.length ?? 0);
  return values.length === 0 || values.length === all ? formatType(field) : values.map(formatLiteral).join(' | ');
}

/** The restrictions of a branch on nested fields; empty when there are none. */
function formatRefinement(schema: StructuralSchema, path: readonly string[], branch: Branch): string {
  const inner = [...branch.keys()].filter(
    other => other.split('.').length === path.length + 1 && other.startsWith(`${path.join('.')}.`),
  );
  const fields = inner.flatMap(other => {
    const at = other.split('.');
    const field = getField(schema, at);
    const states = branch.get(other) ?? [];
    const name = formatKey(at.at(-1) ?? '');
    const deeper = formatRefinement(schema, at, branch);
    const value = formatValue(field, states);
    const optional = states.includes(ABSENT) && !isRequired(schema, at);
    const narrowed = value !== formatType(field) || deeper !== '' || (!optional && !isRequired(schema, at));
    if (states.every(state => state === ABSENT)) return isRequired(schema, at) ? [] : [`readonly ${name}?: never`];
    if (!narrowed) return [];
    return [`readonly ${name}${optional ? '?' : ''}: ${[value, deeper].filter(text => text !== '').join(' & ')}`];
  });
  return fields.length === 0 ? '' : `{ ${fields.join('; ')} }`;
}
