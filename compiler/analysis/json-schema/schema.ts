import { isObject } from '#schemas';

/** The parts of JSON Schema that the rules follow. What they do not follow allows everything: no finding may be a guess. */

/** A schema that says something; `true`, `{}` and what is no schema say nothing. */
export type Schema = Readonly<Record<string, unknown>>;

/** Keywords by which a schema may allow or forbid more than its own `properties` say. */
const COMBINATORS = ['allOf', 'anyOf', 'oneOf', 'not', 'if', '$ref', '$dynamicRef', 'dependentSchemas'];

/** Longer chains of references are circular, or meant to hurt. */
const MAX_REFERENCES = 32;

/**
 * The schema itself, with a reference within the document followed.
 *
 * @returns undefined when it says nothing, or what it refers to is not here.
 */
export function resolved(schema: unknown, root: unknown): Schema | undefined {
  let current = schema;
  for (let count = 0; count < MAX_REFERENCES; count += 1) {
    if (!isObject(current)) return undefined;
    const { $ref } = current;
    if ($ref === undefined) return current;
    current = typeof $ref === 'string' ? pointedAt($ref, root) : undefined;
  }
  return undefined;
}

/** `#/$defs/item`; what leads out of the document is not followed. */
function pointedAt(reference: string, root: unknown): unknown {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  let current = root;
  for (const token of reference.slice(2).split('/')) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, name)) return undefined;
    current = (current as Schema)[name];
  }
  return current;
}

/** The types that a value may have, or undefined when any. */
export function readTypes({ type }: Schema): readonly string[] | undefined {
  if (typeof type === 'string') return [type];
  return Array.isArray(type) && type.every(one => typeof one === 'string') ? type : undefined;
}

/** The members that a schema describes. */
export function readProperties({ properties }: Schema): Schema {
  return isObject(properties) ? properties : {};
}

/** Whether `properties` is all that this schema says about members. */
export function isPlain(schema: Schema): boolean {
  return !COMBINATORS.some(keyword => Object.hasOwn(schema, keyword));
}
