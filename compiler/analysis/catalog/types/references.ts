import { isObject } from '#schemas';

/** References within a JSON Schema. */

/** The part of the schema at a JSON pointer (RFC 6901), without `#`; undefined when there is none. */
export function resolvePointer(root: unknown, pointer: string): unknown {
  let part = root;
  if (pointer === '') return root;
  for (const token of pointer.slice(1).split('/')) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof part !== 'object' || part === null || !Object.hasOwn(part, name)) return undefined;
    part = (part as Readonly<Record<string, unknown>>)[name];
    // Pointers do not reach into a subschema with its own `$id`: it is the root of its own pointers.
    if (isObject(part) && typeof part.$id === 'string') return undefined;
  }
  return part;
}

/** `#/$defs/label` becomes `/$defs/label`; undefined for a reference to another document or to an anchor. */
export function parseLocalReference(reference: unknown): string | undefined {
  if (typeof reference !== 'string' || !/^#(\/|$)/.test(reference)) return undefined;
  try {
    return decodeURIComponent(reference.slice(1));
  } catch {
    return undefined;
  }
}

/**
 * Whether the type at `from` includes the type at `to` directly, and not only as the type of a member: TypeScript refuses such circular types.
 */
export function isMadeOf(root: unknown, from: string, to: string): boolean {
  const seen = new Set([from]);
  for (const pointer of seen) {
    if (pointer === to) return true;
    for (const next of listReferences(resolvePointer(root, pointer))) seen.add(next);
  }
  return false;
}

/** Keywords whose schemas a type directly includes, list elements as well: within an intersection TypeScript resolves those eagerly. */
const INGREDIENTS = ['allOf', 'anyOf', 'oneOf', 'items', 'prefixItems', 'additionalItems'];

function listReferences(schema: unknown): string[] {
  const found: string[] = [];
  const pending = [schema].filter(isObject);
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const pointer = parseLocalReference(next.$ref);
    if (pointer !== undefined) found.push(pointer);
    for (const parts of INGREDIENTS.map(keyword => next?.[keyword])) {
      // `true` and `false` are schemas as well, and refer to nothing.
      pending.push(...(Array.isArray(parts) ? parts : [parts]).filter(isObject));
    }
  }
  return found;
}
