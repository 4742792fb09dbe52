/** Which tool a step of a workflow means. The compiler asks this of the tool lock and the runtime of live backends. */
import { isObject } from '../json-object.ts';

/** The tools that steps can call, hidden ones included. */
export interface CallableTools<Tool> {
  /** By the name that the gateway gives it. */
  named(name: string): Tool | undefined;
  /** By the backend's own name. */
  owned(backend: string, originalName: string): Tool | undefined;
}

/**
 * The tool of a reference: by the name that the gateway gives it, or as `<backend>.<own name>`. What begins with the name of a backend is
 * one of that backend's: no other could take the call over by offering a tool of such a name.
 *
 * @param backends the names of all
 */
export function findStepTool<Tool extends { readonly backend: string }>(
  reference: string,
  backends: readonly string[],
  tools: CallableTools<Tool>,
): Tool | undefined {
  const owner = findOwner(reference, backends);
  const named = tools.named(reference);
  if (named !== undefined && (owner === undefined || named.backend === owner)) return named;
  return owner === undefined ? undefined : tools.owned(owner, reference.slice(owner.length + 1));
}

/** The backend that a reference begins with. Names may hold dots: the longest counts, whatever tools there are. */
export function findOwner(reference: string, backends: readonly string[]): string | undefined {
  return backends
    .filter(name => reference.startsWith(`${name}.`))
    .reduce<string | undefined>((longest, name) => (name.length > (longest?.length ?? -1) ? name : longest), undefined);
}

/** What the input schema of a tool says an argument is; empty when it does not, or leaves it open. */
export function argumentTypes(inputSchema: unknown, name: string): readonly string[] {
  const schema = readMember(readMember(inputSchema, 'properties'), name);
  return [...(findTypes(schema, inputSchema, MAX_SCHEMA_DEPTH) ?? [])];
}

/** Alternatives and references within one another that are followed. */
const MAX_SCHEMA_DEPTH = 8;

/**
 * The types that a value may have; undefined where any will do. An argument that may be left out is often written as one of two: its own
 * schema, or null.
 */
function findTypes(schema: unknown, root: unknown, depth: number): ReadonlySet<string> | undefined {
  if (depth === 0 || !isObject(schema)) return undefined;
  const type = readMember(schema, 'type');
  if (type !== undefined) return new Set([type].flat().filter(one => typeof one === 'string'));
  const reference = readMember(schema, '$ref');
  if (typeof reference === 'string') return findTypes(referenced(root, reference), root, depth - 1);
  const values = readMember(schema, 'enum') ?? (Object.hasOwn(schema, 'const') ? [schema.const] : undefined);
  if (Array.isArray(values)) return new Set(values.map(typeOfValue));
  for (const keyword of ['anyOf', 'oneOf']) {
    const alternatives = readMember(schema, keyword);
    if (!Array.isArray(alternatives)) continue;
    const found = alternatives.map(one => findTypes(one, root, depth - 1));
    return found.includes(undefined) ? undefined : new Set(found.flatMap(types => [...(types ?? [])]));
  }
  const all = readMember(schema, 'allOf');
  if (!Array.isArray(all)) return undefined;
  return all.map(one => findTypes(one, root, depth - 1)).find(types => types !== undefined);
}

/** Within the same schema, such as `#/$defs/Level`. */
function referenced(root: unknown, reference: string): unknown {
  const [start, ...path] = reference.split('/');
  if (start !== '#') return undefined;
  return path.reduce((value, part) => readMember(value, part.replaceAll('~1', '/').replaceAll('~0', '~')), root);
}

function typeOfValue(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

function readMember(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
