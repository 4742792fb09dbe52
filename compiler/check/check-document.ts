/** Checks one document against the schema of its kind: structure, deprecated fields, and ignored parts. */
import { ACCEPTED_API_GROUPS, API_GROUP, type KindSchemas, type StructuralSchema } from '#schemas';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { ResourceDocument } from '../source/classify.ts';
import type { Path } from '../source/source-document.ts';
import { formatExpectedValue, quote } from '../text/describe.ts';
import { withDefaults } from './defaults.ts';
import { diagnose } from './diagnose.ts';
import { findDoubtfulPaths } from './doubtful-paths.ts';
import { MAYBE_NEWER, suggestNewerField } from './newer-fields.ts';
import { type NullField, withoutNulls } from './nulls.ts';
import { OBJECT_META } from './object-meta.ts';
import { someSchema } from './schema-contains.ts';
import { checkStructure } from './structural.ts';
import type { Violation } from './violation.ts';
import { CODE_OF, type Remedy, suggestRemedy } from './violation-words.ts';

export interface CheckedStructure {
  readonly diagnostics: readonly Diagnostic[];
  /** Paths from the root of values that errors make uncertain; undefined when there are too many errors to list them all. */
  readonly doubtful: readonly Path[] | undefined;
  /** The `spec` as written, without its nulls; undefined when there is none. */
  readonly authored: unknown;
  /** `authored` with the defaults of the schema. */
  readonly spec: unknown;
}

export function checkDocument(document: ResourceDocument, kind: KindSchemas): CheckedStructure {
  const schema: StructuralSchema = {
    type: 'object',
    required: kind.specRequired ? ['spec'] : [],
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: OBJECT_META,
      spec: kind.spec,
      // A controller wrote the status, so it is not checked.
      status: { 'x-kubernetes-preserve-unknown-fields': true },
    },
  };
  // In the order of admission: nulls are dropped and defaults applied before required fields are checked.
  const { value, dropped } = withoutNulls(toSpecSchema(kind), document.doc.value);
  const { spec: authored } = value as { readonly spec?: unknown };
  const spec = withDefaults(kind.spec, authored);
  const defaulted = Object.hasOwn(value as object, 'spec') ? { ...(value as object), spec } : value;
  const violations = checkStructure(schema, defaulted);
  const diagnostics = [
    ...dropped.map(field => reportNull(document, field, 'the API server drops it')),
    ...violations.map(violation => reportViolation(document, violation, schema)),
    ...listDeprecatedFields(kind.spec, authored, ['spec']).map(({ path, description }) =>
      diagnose(document, 'LNT1016', path, `"${path.at(-1)}" is deprecated`, { at: 'key', help: description }),
    ),
    ...reportIgnoredStatus(document),
  ];
  const doubtful = violations.length === 0 ? [] : findDoubtfulPaths(schema, value, violations);
  return { diagnostics, doubtful, authored, spec };
}

/** Only nulls in `spec` are dropped and reported. In `metadata` they are common: many programs write `creationTimestamp: null`. */
function toSpecSchema({ spec, specRequired }: KindSchemas): StructuralSchema {
  return { type: 'object', required: specRequired ? ['spec'] : [], properties: { spec } };
}

/** @param because how the reader of the document (API server or registry server) treats the null */
export function reportNull(document: ResourceDocument, { path, schema }: NullField, because: string): Diagnostic {
  const stead =
    schema.default === undefined ? 'it counts as absent' : `its default ${JSON.stringify(schema.default)} applies`;
  const message = `${quote(String(path.at(-1)))} has no value (null); ${because}, so ${stead}`;
  const value = schema.type === undefined ? 'a value' : formatExpectedValue(schema);
  return diagnose(document, 'LNT1025', path, message, { at: 'key', fix: `remove it, or write ${value} after it` });
}

/**
 * The finding about a violation: adds the code, the position, and what to do, such as the nearest name.
 * @param schema of the whole document
 */
export function reportViolation(
  document: ResourceDocument,
  violation: Violation,
  schema: StructuralSchema,
): Diagnostic {
  const { path, at, kind, message } = violation;
  return diagnose(document, CODE_OF[kind], path, message, { at, ...chooseRemedy(document, violation, schema) });
}

function chooseRemedy(document: ResourceDocument, violation: Violation, schema: StructuralSchema): Remedy {
  if (violation.kind !== 'unknown-field') return suggestRemedy(violation, document.doc.value, schema);
  // A newer field is neither misspelt nor misplaced.
  const newer = suggestNewerField(violation.path);
  if (newer !== undefined) return { help: newer };
  const remedy = suggestRemedy(violation, document.doc.value, schema);
  const isOfOthers = document.group !== API_GROUP && ACCEPTED_API_GROUPS.includes(document.group);
  return isOfOthers && remedy.fix === undefined && remedy.help === undefined ? { help: MAYBE_NEWER } : remedy;
}

interface DeprecatedField {
  readonly path: Path;
  readonly description: string;
}

const hasDeprecated = someSchema(schema => schema.deprecated === true);

function listDeprecatedFields(schema: StructuralSchema, value: unknown, path: Path): DeprecatedField[] {
  if (!hasDeprecated(schema)) return [];
  if (Array.isArray(value)) {
    const { items } = schema;
    return items === undefined
      ? []
      : value.flatMap((item, index) => listDeprecatedFields(items, item, [...path, index]));
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const field = Object.hasOwn(schema.properties ?? {}, key) ? schema.properties?.[key] : schema.additionalProperties;
    if (field === undefined) return [];
    const here = [...path, key];
    const own = field.deprecated === true ? [{ path: here, description: field.description ?? '' }] : [];
    return [...own, ...listDeprecatedFields(field, member, here)];
  });
}

function reportIgnoredStatus(document: ResourceDocument): Diagnostic[] {
  if (!Object.hasOwn(document.doc.value as object, 'status')) return [];
  const message = 'status has no effect: controllers write it to report a state';
  return [diagnose(document, 'LNT1008', ['status'], message, { at: 'key', severity: 'hint' })];
}
