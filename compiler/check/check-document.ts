/** One document against the schema of its kind: structure, deprecated fields, and parts that nobody reads. */
import type { KindSchemas, StructuralSchema } from '#schemas';
import type { DiagnosticCode } from '../diagnostics/codes.ts';
import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import { placeIn } from '../resolve/inventory.ts';
import type { ResourceDocument } from '../source/classify.ts';
import type { Path } from '../source/source-document.ts';
import { nearest } from './nearest.ts';
import { checkStructure, type Violation } from './structural.ts';

const CODE_OF: { readonly [K in Violation['kind']]: DiagnosticCode } = {
  'unknown-field': 'LNT1003',
  'missing-field': 'LNT1010',
  'wrong-type': 'LNT1004',
  'not-in-enum': 'LNT1011',
  pattern: 'LNT1012',
  bounds: 'LNT1013',
  format: 'LNT1014',
  'duplicate-item': 'LNT1015',
};

/** `metadata` was checked when the document was classified; its other members belong to Kubernetes. */
const METADATA: StructuralSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

export function checkDocument(document: ResourceDocument, kind: KindSchemas): Diagnostic[] {
  const schema: StructuralSchema = {
    type: 'object',
    required: kind.specRequired ? ['spec'] : [],
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: METADATA,
      spec: kind.spec,
      // What a controller wrote is not for us to judge.
      status: { 'x-kubernetes-preserve-unknown-fields': true },
    },
  };
  const { value } = document.doc;
  return [
    ...checkStructure(schema, value).map(violation => violationDiagnostic(document, violation)),
    ...deprecatedFields(kind.spec, (value as { spec?: unknown }).spec, ['spec']).map(({ path, description }) =>
      diagnostic('LNT1016', placeIn(document, path, 'key'), `"${path.at(-1)}" is deprecated`, { help: description }),
    ),
    ...statusIgnored(document),
  ];
}

function violationDiagnostic(document: ResourceDocument, violation: Violation): Diagnostic {
  const { path, at, kind, message, candidates = [], field } = violation;
  const written = field ?? wrongWord(document, path);
  const close = candidates.length > 0 && written !== undefined ? nearest(written, candidates) : undefined;
  const place = placeIn(document, path, at);
  return diagnostic(CODE_OF[kind], place, message, close === undefined ? {} : { fix: `did you mean "${close}"?` });
}

function wrongWord(document: ResourceDocument, path: Path): string | undefined {
  let value: unknown = document.doc.value;
  for (const step of path) value = (value as Record<string | number, unknown>)[step];
  return typeof value === 'string' ? value : undefined;
}

interface DeprecatedField {
  readonly path: Path;
  readonly description: string;
}

function deprecatedFields(schema: StructuralSchema, value: unknown, path: Path): DeprecatedField[] {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items === undefined ? [] : value.flatMap((item, index) => deprecatedFields(items, item, [...path, index]));
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const field = Object.hasOwn(schema.properties ?? {}, key) ? schema.properties?.[key] : schema.additionalProperties;
    if (field === undefined) return [];
    const here = [...path, key];
    const own = field.deprecated === true ? [{ path: here, description: field.description ?? '' }] : [];
    return [...own, ...deprecatedFields(field, member, here)];
  });
}

function statusIgnored(document: ResourceDocument): Diagnostic[] {
  if (!Object.hasOwn(document.doc.value as object, 'status')) return [];
  const place = placeIn(document, ['status'], 'key');
  return [
    diagnostic('LNT1008', place, 'status has no effect: it is what a controller reports, not what is wanted', {
      severity: 'hint',
    }),
  ];
}
