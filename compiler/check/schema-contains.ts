import type { StructuralSchema } from '#schemas';

/**
 * Is there a schema of some sort at or below another one? Asked for the same few hundred schemas with each document, so
 * each answer is kept. Who looks for such schemas can leave out the parts of a value where none is.
 */
export function schemaContains(isWanted: (schema: StructuralSchema) => boolean): (schema: StructuralSchema) => boolean {
  const known = new WeakMap<StructuralSchema, boolean>();
  const has = (schema: StructuralSchema): boolean => {
    const before = known.get(schema);
    if (before !== undefined) return before;
    const children = [...Object.values(schema.properties ?? {}), schema.items, schema.additionalProperties];
    const answer = isWanted(schema) || children.some(child => typeof child === 'object' && has(child));
    known.set(schema, answer);
    return answer;
  };
  return has;
}
