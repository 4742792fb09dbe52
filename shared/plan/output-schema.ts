import { isObject } from '#schemas';

/**
 * Finds errors in a schema that keep clients from compiling it. Clients compile the output schemas of all tools when they list them, and one
 * error costs them the whole list. They pass input schemas to models without compiling them.
 */

/** Keywords whose value is a schema, a list of schemas, or schemas by name: the subschemas that a validator visits. */
const ONE = new Set([
  ...['not', 'if', 'then', 'else', 'contains', 'propertyNames', 'items', 'additionalItems', 'additionalProperties'],
  ...['unevaluatedItems', 'unevaluatedProperties'],
]);
const SEVERAL = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items']);
const BY_NAME = new Set(['properties', 'patternProperties', 'dependentSchemas', 'dependencies']);

/** Meta-schemas that every validator has built in. */
const META_SCHEMA = /^https?:\/\/json-schema\.org\//;

type Schema = { readonly [keyword: string]: unknown };

/** Why clients cannot compile a well-formed schema, in a few words; undefined when they can. */
export function findCompileError(root: Schema): string | undefined {
  const seen = new Set<unknown>();
  const waiting: unknown[] = [root];
  let known: NamedSchemas | undefined;
  // Built once for all references, because a backend may send very many.
  const named = () => {
    known ??= collectNamedSchemas(root);
    return known;
  };
  while (waiting.length > 0) {
    const schema = waiting.pop();
    if (!isObject(schema) || seen.has(schema)) continue;
    seen.add(schema);
    const { $ref: ref } = schema;
    if (typeof ref === 'string' && !META_SCHEMA.test(ref)) {
      const target = findTarget(root, ref, named);
      if (target === undefined) return `the reference ${JSON.stringify(ref)} leads nowhere within the schema`;
      waiting.push(target);
    }
    const { pattern } = schema;
    if (typeof pattern === 'string' && !isUnicodePattern(pattern))
      return `${JSON.stringify(pattern)} is no regular expression of ECMAScript's Unicode mode`;
    for (const inner of listSchemas(schema)) waiting.push(inner);
  }
  return undefined;
}

function listSchemas(schema: Schema): unknown[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    if (Array.isArray(value)) return SEVERAL.has(keyword) ? value : [];
    if (!isObject(value)) return [];
    return ONE.has(keyword) ? [value] : BY_NAME.has(keyword) ? Object.values(value) : [];
  });
}

/** Resolves JSON pointers (RFC 6901), anchors and `$id`s within the schema. */
function findTarget(root: Schema, ref: string, named: () => NamedSchemas): unknown {
  const hash = ref.indexOf('#');
  const address = hash === -1 ? ref : ref.slice(0, hash);
  const base = address === '' || address === root.$id ? root : named().get(address);
  const fragment = hash === -1 ? '' : decodeFragment(ref.slice(hash + 1));
  if (base === undefined || fragment === undefined || fragment === '') return base;
  if (!fragment.startsWith('/')) return named().get(`#${fragment}`);
  let target: unknown = base;
  for (const step of fragment.slice(1).split('/')) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    const isDefined = typeof target === 'object' && target !== null && Object.hasOwn(target, name);
    target = isDefined ? (target as Schema)[name] : undefined;
  }
  return typeof target === 'boolean' || isObject(target) ? target : undefined;
}

/** Schemas by their `$id`s, and by their anchors after a `#`. */
type NamedSchemas = ReadonlyMap<string, Schema>;

function collectNamedSchemas(root: Schema): NamedSchemas {
  const named = new Map<string, Schema>();
  const waiting: unknown[] = [root];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value !== 'object' || value === null) continue;
    for (const inner of Object.values(value)) waiting.push(inner);
    const { $id, $anchor, $dynamicAnchor } = value as Schema;
    if (typeof $id === 'string') named.set($id, value as Schema);
    for (const anchor of [$anchor, $dynamicAnchor]) {
      if (typeof anchor === 'string') named.set(`#${anchor}`, value as Schema);
    }
  }
  return named;
}

function decodeFragment(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}

function isUnicodePattern(source: string): boolean {
  try {
    new RegExp(source, 'u');
    return true;
  } catch {
    return false;
  }
}
