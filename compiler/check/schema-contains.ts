import type { StructuralSchema } from '#schemas';

/**
 * Whether a schema, or one below it, satisfies a test. Cached, because every document asks about the same few hundred schemas. A search for such
 * schemas can skip parts of a value that have none.
 */
export function someSchema(matches: (schema: StructuralSchema) => boolean): (schema: StructuralSchema) => boolean {
  const known = new WeakMap<StructuralSchema, boolean>();
  const has = (schema: StructuralSchema): boolean => {
    const before = known.get(schema);
    if (before !== undefined) return before;
    const children = [...Object.values(schema.properties ?? {}), schema.items, schema.additionalProperties];
    const answer = matches(schema) || children.some(child => typeof child === 'object' && has(child));
    known.set(schema, answer);
    return answer;
  };
  return has;
}
