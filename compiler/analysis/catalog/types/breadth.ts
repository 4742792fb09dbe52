import { isObject } from '#schemas';
import { parseLocalReference, resolvePointer } from './references.ts';

/** A number beyond every type that Lintel generates: TypeScript gives up on unions of 100000 members. */
const VERY_WIDE = 1_000_000;

/**
 * The number of union members after TypeScript has expanded a schema: alternatives within `allOf` multiply.
 *
 * @param root the whole schema, for references within it
 */
export function measureBreadth(schema: unknown, root: unknown, seen: readonly string[] = []): number {
  // A schema nested this deeply counts as too wide.
  if (seen.length > 50) return VERY_WIDE;
  if (!isObject(schema)) return 1;
  const below = (part: unknown) => measureBreadth(part, root, [...seen, '']);
  const total = (parts: unknown) =>
    Array.isArray(parts) && parts.length > 0 ? parts.reduce((sum: number, part) => sum + below(part), 0) : 1;
  const { type, enum: values, allOf, anyOf, oneOf, $ref } = schema;
  const own = Array.isArray(values) ? values.length : Array.isArray(type) ? type.length : 1;
  const pointer = parseLocalReference($ref);
  const referred =
    pointer === undefined || seen.includes(pointer)
      ? 1
      : measureBreadth(resolvePointer(root, pointer), root, [...seen, pointer]);
  const together = Array.isArray(allOf) ? allOf.reduce((product: number, part) => product * below(part), 1) : 1;
  return Math.min(VERY_WIDE, Math.max(1, own) * referred * together * total(anyOf) * total(oneOf));
}
