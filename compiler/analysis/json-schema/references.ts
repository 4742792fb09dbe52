/** Checks `$ref`: it stays within the document, leads to a schema, and forms no cycle. */
import { formatPointer } from '../../text/pointer.ts';
import type { PlacedSchema, SchemaProblem } from './check-schema.ts';

const KEYWORDS = ['$ref', '$dynamicRef'] as const;

export function findReferenceProblems(schemas: readonly PlacedSchema[]): SchemaProblem[] {
  const byPointer = new Map(schemas.map(({ path }) => [formatPointer(path), path] as const));
  const byAnchor = new Map<string, string>();
  for (const { schema, path } of schemas) {
    for (const anchor of [schema.$anchor, schema.$dynamicAnchor]) {
      if (typeof anchor === 'string') byAnchor.set(anchor, formatPointer(path));
    }
  }
  const found: SchemaProblem[] = [];
  const targets = new Map<string, string>();
  for (const { schema, path } of schemas) {
    for (const keyword of KEYWORDS) {
      const reference = schema[keyword];
      if (typeof reference !== 'string') continue;
      const target = resolveTarget(reference, byPointer, byAnchor);
      if (typeof target === 'string') targets.set(formatPointer(path), target);
      else found.push({ is: 'reference', path: [...path, keyword], message: target.message });
    }
  }
  return [...found, ...findCircles(schemas, targets)];
}

function resolveTarget(
  reference: string,
  byPointer: ReadonlyMap<string, unknown>,
  byAnchor: ReadonlyMap<string, string>,
): string | { readonly message: string } {
  if (!reference.startsWith('#')) {
    return { message: `${JSON.stringify(reference)} is outside of this schema: nothing is loaded from elsewhere` };
  }
  const fragment = decodeFragment(reference.slice(1));
  const target = fragment === '' || fragment.startsWith('/') ? fragment : byAnchor.get(fragment);
  if (target !== undefined && byPointer.has(target)) return target;
  return { message: `${JSON.stringify(reference)} leads to no schema` };
}

function decodeFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

/** References by which a schema refers to itself for the same value: no validator terminates on them. */
function findCircles(schemas: readonly PlacedSchema[], targets: ReadonlyMap<string, string>): SchemaProblem[] {
  const edges: [from: string, to: string][] = [...targets];
  for (const { path, appliedBy } of schemas) if (appliedBy) edges.push([formatPointer(appliedBy), formatPointer(path)]);
  // Nodes without incoming edges, and then nodes without outgoing edges, are on no cycle.
  const leading = withoutStarts(edges);
  const around = new Set(withoutStarts(leading.map(([from, to]) => [to, from])).flat());
  return schemas.flatMap(({ path }) => {
    const here = formatPointer(path);
    if (!targets.has(here) || !around.has(here)) return [];
    return [{ is: 'reference', path: [...path, '$ref'], message: 'the reference leads back to itself' } as const];
  });
}

/** The edges that remain after repeatedly removing nodes without incoming edges. */
function withoutStarts(edges: readonly [from: string, to: string][]): [from: string, to: string][] {
  const incoming = new Map<string, number>();
  for (const [, to] of edges) incoming.set(to, (incoming.get(to) ?? 0) + 1);
  const bySource = Map.groupBy(edges, ([from]) => from);
  const gone = new Set([...bySource.keys()].filter(from => !incoming.has(from)));
  // A `Set` also visits elements that are added during the loop.
  for (const from of gone) {
    for (const [, to] of bySource.get(from) ?? []) {
      const remaining = (incoming.get(to) ?? 0) - 1;
      incoming.set(to, remaining);
      if (remaining === 0) gone.add(to);
    }
  }
  return edges.filter(([from]) => !gone.has(from));
}
