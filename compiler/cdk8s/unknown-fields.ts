/** Checks values that no type checker saw: from JavaScript, `as any` and JSON files. */
import type { KnownFields } from '#schemas';

export interface UnknownField {
  /** JSON Pointer (RFC 6901) to the unknown field. */
  readonly pointer: string;
  readonly problem: string;
}

/** Fields of every object; only controllers write `status`. */
const ENVELOPE = { apiVersion: '', kind: '', metadata: 'ObjectMeta' };

/** The metadata fields of Kubernetes, including those that an API server sets: users copy objects with them. */
const OBJECT_META = Object.fromEntries(
  [
    'name',
    'generateName',
    'namespace',
    'labels',
    'annotations',
    'finalizers',
    'ownerReferences',
    'creationTimestamp',
    'deletionGracePeriodSeconds',
    'deletionTimestamp',
    'generation',
    'managedFields',
    'resourceVersion',
    'selfLink',
    'uid',
  ].map(name => [name, '']),
);

/**
 * Problems with the field names of a manifest: one line for each unknown field, with its path and the nearest name. Free-form fields are exempt.
 */
export function unknownFields(manifest: { readonly [field: string]: unknown }, known: KnownFields): UnknownField[] {
  const spec = known.specs[String(manifest.kind)] ?? '';
  const types = { ...known.types, [ENVELOPE.metadata]: OBJECT_META };
  return listUnknown(manifest, '', { ...ENVELOPE, spec }, { ...known, types });
}

function within(value: unknown, at: string, shape: string, known: KnownFields): UnknownField[] {
  if (shape === '' || typeof value !== 'object' || value === null) return [];
  const mark = shape.slice(0, 2);
  if (mark === '[]' || mark === '{}') {
    return Object.entries(value).flatMap(([name, item]) => within(item, `${at}/${step(name)}`, shape.slice(2), known));
  }
  return Array.isArray(value) ? [] : listUnknown(value, at, known.types[shape] ?? {}, known);
}

function listUnknown(
  value: object,
  at: string,
  shapes: { readonly [field: string]: string },
  known: KnownFields,
): UnknownField[] {
  return Object.entries(value).flatMap(([name, item]) => {
    const shape = Object.keys(shapes).includes(name) ? shapes[name] : undefined;
    if (shape !== undefined) return within(item, `${at}/${step(name)}`, shape, known);
    const near = nearest(name, Object.keys(shapes));
    const hint = near === undefined ? `; known here: ${Object.keys(shapes).join(', ')}` : `; did you mean "${near}"?`;
    const pointer = `${at}/${step(name)}`;
    return [{ pointer, problem: `${pointer} is no field${hint}` }];
  });
}

/** Escapes a segment of a JSON Pointer (RFC 6901, section 3). */
function step(name: string): string {
  return name.replace(/~/g, '~0').replace(/\//g, '~1');
}

/** The known name that was probably meant: the difference is a typing mistake, another casing or an abbreviation. */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  const limit = Math.max(1, Math.floor(name.length * 0.4));
  const longer = candidates.filter(candidate => name.length > 2 && plain(candidate).startsWith(plain(name)));
  if (longer.length === 1) return longer[0];
  const ranked = candidates
    .map(candidate => ({ candidate, distance: distance(plain(name), plain(candidate)) }))
    .sort((one, other) => one.distance - other.distance);
  return ranked[0] && ranked[0].distance <= limit ? ranked[0].candidate : undefined;
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** Insertions, deletions, replacements and transpositions (optimal string alignment distance). */
function distance(from: string, to: string): number {
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const swapped = isSwap ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, replaced, swapped));
    }
    before = row;
    row = next;
  }
  return row[to.length] ?? 0;
}
