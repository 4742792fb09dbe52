/**
 * References between objects. Schemas declare which fields refer to what (`x-lintel-ref`), so a new reference field needs no code here.
 * References resolve in the referrer's own namespace.
 */

import type { StructuralSchema } from '#schemas';
import { getMember, isObject } from '#schemas';
import { findNearest } from '#shared/util';
import { diagnose } from '../check/diagnose.ts';
import { listCertainEntries, withoutDoubt } from '../check/doubt.ts';
import { someSchema } from '../check/schema-contains.ts';
import type { Diagnostic, DiagnosticDetails } from '../diagnostics/diagnostic.ts';
import { KINDS } from '../source/kinds.ts';
import { createRelatedLocation } from '../source/locate-finding.ts';
import type { Path } from '../source/source-document.ts';
import type { Inventory, Resource } from './inventory.ts';

export interface Reference {
  readonly path: Path;
  readonly kind: string;
  readonly name: string;
  /** The key within a Secret or ConfigMap, with its path. */
  readonly key?: { readonly path: Path; readonly name: string };
  /** Whether the reference says that its target may be missing. */
  readonly optional: boolean;
}

/** Kubernetes' own kinds: an object that is not in the sources may be in the cluster. */
const CORE_KINDS: ReadonlySet<string> = new Set(['Secret', 'ConfigMap']);

/** Every reference that the spec of an object makes; none for kinds of other API groups. */
export function findReferences(kind: string, spec: unknown): readonly Reference[] {
  const schema = KINDS.get(kind)?.spec;
  return schema === undefined ? [] : collectReferences(schema, spec);
}

const hasReferences = someSchema(schema => schema['x-lintel-ref'] !== undefined);

/**
 * Every reference that a spec makes, in field order; for an object with errors only the certain ones.
 *
 * @param value with its defaults: a key may have one
 */
export function collectReferences(schema: StructuralSchema, value: unknown, path: Path = ['spec']): Reference[] {
  if (!hasReferences(schema) || typeof value !== 'object' || value === null) return [];
  return listCertainEntries(value).flatMap(([key, member]) => {
    const field = Array.isArray(value) ? schema.items : findField(schema, key);
    if (field === undefined) return [];
    if (field['x-lintel-ref'] === undefined || typeof member !== 'string')
      return collectReferences(field, member, [...path, Array.isArray(value) ? Number(key) : key]);
    return withoutDoubt(() => listReferencesAt(field, member, value, path, key))?.result ?? [];
  });
}

function findField(schema: StructuralSchema, key: string): StructuralSchema | undefined {
  return Object.hasOwn(schema.properties ?? {}, key) ? schema.properties?.[key] : schema.additionalProperties;
}

function listReferencesAt(
  schema: StructuralSchema,
  name: string,
  holder: object,
  path: Path,
  field: string,
): Reference[] {
  const kind = schema['x-lintel-ref']?.kind;
  // An empty name that is the default means no reference.
  if (kind === undefined || (name === '' && schema.default === '')) return [];
  const { key, optional } = holder as { key?: unknown; optional?: unknown };
  const hasKey = CORE_KINDS.has(kind) && typeof key === 'string' && key !== '';
  return [
    {
      path: [...path, field],
      kind,
      name,
      ...(hasKey ? { key: { path: [...path, 'key'], name: key } } : {}),
      optional: optional === true,
    },
  ];
}

/** The objects within a spec that contain an unresolved reference, or one to an object with errors. */
export function listUnresolvedHolders({ kind, namespace, spec }: Resource, inventory: Inventory): readonly Path[] {
  return findReferences(kind, spec)
    .filter(({ kind, name }) => {
      const isFound = inventory.find(kind, namespace, name) !== undefined;
      // A target that may be outside of the sources, such as a Secret, is not an error.
      return !isFound && (!CORE_KINDS.has(kind) || inventory.isBroken(kind, namespace, name));
    })
    .map(({ path }) => path.slice(0, -1));
}

/** Reports unresolved references. If an object refers to several keys of one unverifiable object, they share a finding. */
export function checkReferences(
  resource: Resource,
  references: readonly Reference[],
  inventory: Inventory,
): Diagnostic[] {
  const unverified = new Set<string>();
  return references
    .flatMap(reference => checkReference(resource, reference, inventory))
    .filter(({ code, subject }) => {
      if (code !== 'LNT2004' || subject === undefined) return true;
      const isNew = !unverified.has(subject);
      unverified.add(subject);
      return isNew;
    });
}

function checkReference(resource: Resource, reference: Reference, inventory: Inventory): Diagnostic[] {
  const { kind, name, path, key, optional } = reference;
  const { namespace } = resource;
  if (inventory.isBroken(kind, namespace, name)) return [];
  if (name === '') return [diagnose(resource.document, 'LNT2001', path, `the name of the ${kind} is empty`)];
  const target = inventory.find<KeyHolder>(kind, namespace, name);
  if (target === undefined) {
    if (CORE_KINDS.has(kind)) {
      if (optional) return [];
      const subject = `${kind} "${name}"`;
      const message = `${subject} is not in these sources, so it cannot be verified offline`;
      return [diagnose(resource.document, 'LNT2004', path, message, { subject, ...suggestReference(resource, path) })];
    }
    const message = formatMissing({ kind, namespace, name });
    return [diagnose(resource.document, 'LNT2001', path, message, suggestElsewhere(kind, namespace, name, inventory))];
  }
  if (key === undefined || optional) return [];
  const keys = listKeys(target.spec);
  if (keys.includes(key.name)) return [];
  const close = findNearest(key.name, keys);
  return [
    diagnose(
      resource.document,
      'LNT2005',
      key.path,
      `${kind} "${name}" has no key "${key.name}"`,
      close === undefined ? {} : { fix: `did you mean "${close}"?` },
    ),
  ];
}

/** An object that a reference names and the sources do not have. */
interface MissingTarget {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

function formatMissing({ kind, namespace, name }: MissingTarget): string {
  return `no ${kind} named "${name}" in namespace "${namespace}"`;
}

const MISSING = /^no (\w+) named "(.*)" in namespace "([^"]*)"$/s;

/** The object that a finding calls missing; undefined for any other finding. */
export function readMissingTarget({ code, message }: Diagnostic): MissingTarget | undefined {
  if (code !== 'LNT2001') return undefined;
  const [, kind, name, namespace] = MISSING.exec(message) ?? [];
  return kind === undefined || name === undefined || namespace === undefined ? undefined : { kind, namespace, name };
}

/** The secrets of a stdio server come from the operator's machine, so advice about a cluster would not help. */
function suggestReference({ kind, spec }: Resource, path: Path): DiagnosticDetails {
  const isProgram = kind === 'MCPServer' && path[1] === 'secrets' && getMember(spec, 'command') !== undefined;
  if (!isProgram) return {};
  return {
    help: 'On your machine the secret is a variable, which `lintel import` lists in .env.example: copy that file to .env, fill in the value and start with --dotenv .env. Elsewhere, make sure that the Secret exists where the bundle runs. `severity: { LNT2004: off }` in `lintel.yaml` hides this hint',
  };
}

interface KeyHolder {
  readonly data?: unknown;
  readonly stringData?: unknown;
  readonly binaryData?: unknown;
}

/** The keys of a Secret or ConfigMap, whose form was not checked. */
export function listKeys({ data, stringData, binaryData }: KeyHolder): string[] {
  return [data, stringData, binaryData].flatMap(members => (isObject(members) ? Object.keys(members) : []));
}

function suggestElsewhere(kind: string, namespace: string, name: string, inventory: Inventory): DiagnosticDetails {
  const all = inventory.listAll(kind);
  const elsewhere = all.find(candidate => candidate.name === name);
  if (elsewhere !== undefined) {
    return {
      fix: `references stay inside a namespace: move one of the two objects to the namespace of the other`,
      related: [
        createRelatedLocation(
          `a ${kind} of this name is in namespace "${elsewhere.namespace}"`,
          elsewhere.document.doc,
          ['metadata', 'name'],
        ),
      ],
    };
  }
  const close = findNearest(
    name,
    all.filter(candidate => candidate.namespace === namespace).map(candidate => candidate.name),
  );
  return close === undefined ? {} : { fix: `did you mean "${close}"?` };
}
