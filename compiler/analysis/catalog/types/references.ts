import { isObject } from '#schemas';

/** References of a JSON Schema to its own parts. */

/** A part of the schema by JSON pointer (RFC 6901), without `#`; undefined when there is none. */
export function resolvePointer(root: unknown, pointer: string): unknown {
  let part = root;
  if (pointer === '') return root;
  for (const token of pointer.slice(1).split('/')) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof part !== 'object' || part === null || !Object.hasOwn(part, name)) return undefined;
    part = (part as Readonly<Record<string, unknown>>)[name];
    // Below an `$id` of its own, pointers start there.
    if (isObject(part) && typeof part.$id === 'string') return undefined;
  }
  return part;
}

/** `#/$defs/label` to `/$defs/label`; undefined for what leads out of the schema, or is an anchor. */
export function parseLocalReference(reference: unknown): string | undefined {
  if (typeof reference !== 'string' || !/^#(\/|$)/.test(reference)) return undefined;
  try {
    return decodeURIComponent(reference.slice(1));
  } catch {
    return undefined;
  }
}

/**
 * Whether the type at `from` is made of the type at `to` itself, and not only of types that have it as a member:
 * TypeScript refuses circles of these.
 */
export function isMadeOf(root: unknown, from: string, to: string): boolean {
  const seen = new Set([from]);
  for (const pointer of seen) {
    if (pointer === to) return true;
    for (const next of ingredients(resolvePointer(root, pointer))) seen.add(next);
  }
  return false;
}

/** Elements of lists as well: within an intersection TypeScript asks for them at once. */
const INGREDIENTS = ['allOf', 'anyOf', 'oneOf', 'items', 'prefixItems', 'additionalItems'];

function ingredients(schema: unknown): string[] {
  const found: string[] = [];
  const pending = [schema].filter(isObject);
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const pointer = parseLocalReference(next.$ref);
    if (pointer !== undefined) found.push(pointer);
    for (const parts of INGREDIENTS.map(keyword => next?.[keyword])) {
      // `true` and `false` are schemas too, and made of nothing.
      pending.push(...(Array.isArray(parts) ? parts : [parts]).filter(isObject));
    }
  }
  return found;
}
