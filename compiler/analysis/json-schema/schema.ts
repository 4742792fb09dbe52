import { isObject } from '#schemas';

/** The parts of JSON Schema that rules evaluate. All else counts as allowing everything, so that no finding is a guess. */

/** A schema with constraints; `true`, `{}` and values that are not schemas have none. */
export type Schema = Readonly<Record<string, unknown>>;

/** Keywords by which a schema can allow or forbid members that its own `properties` does not have. */
const COMBINATORS = ['allOf', 'anyOf', 'oneOf', 'not', 'if', '$ref', '$dynamicRef', 'dependentSchemas'];

/** Maximum length of a chain of references: longer ones are circular or hostile. */
const MAX_REFERENCES = 32;

/**
 * The schema, after following a reference within the document.
 * @returns undefined for a schema without constraints, and for a reference to another document.
 */
export function resolveSchema(schema: unknown, root: unknown): Schema | undefined {
  let current = schema;
  for (let count = 0; count < MAX_REFERENCES; count += 1) {
    if (!isObject(current)) return undefined;
    const { $ref } = current;
    if ($ref === undefined) return current;
    current = typeof $ref === 'string' ? resolvePointer($ref, root) : undefined;
  }
  return undefined;
}

/** Resolves `#/$defs/item`; references to other documents are not followed. */
function resolvePointer(reference: string, root: unknown): unknown {
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

/** The allowed types, or undefined for any. */
export function readTypes({ type }: Schema): readonly string[] | undefined {
  if (typeof type === 'string') return [type];
  return Array.isArray(type) && type.every(value => typeof value === 'string') ? type : undefined;
}

/** The members that a schema describes. */
export function readProperties({ properties }: Schema): Schema {
  return isObject(properties) ? properties : {};
}

/** Whether `properties` is the only keyword of this schema about members. */
export function isPlain(schema: Schema): boolean {
  return !COMBINATORS.some(keyword => Object.hasOwn(schema, keyword));
}
