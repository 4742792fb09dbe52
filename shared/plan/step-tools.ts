/** Resolves which tool a step of a workflow calls. The compiler uses it for the tool lock and the runtime for live backends. */
import { isObject } from '#schemas';

/** The tools that steps can call, hidden ones included. */
export interface CallableTools<Tool> {
  /** Finds a tool by the name that the gateway gives it. */
  findByName(name: string): Tool | undefined;
  /** Finds a tool by the backend's own name. */
  findByOriginalName(backend: string, originalName: string): Tool | undefined;
}

/**
 * The tool that a reference names: by the name that the gateway gives it, or as `<backend>.<own name>`. A reference that begins with the name of
 * a backend always means that backend's tool. Otherwise another backend could take over the call by offering a tool of that name.
 *
 * @param backends the names of all backends
 */
export function findStepTool<Tool extends { readonly backend: string }>(
  reference: string,
  backends: readonly string[],
  tools: CallableTools<Tool>,
): Tool | undefined {
  const owner = findOwner(reference, backends);
  const named = tools.findByName(reference);
  if (named !== undefined && (owner === undefined || named.backend === owner)) return named;
  return owner === undefined ? undefined : tools.findByOriginalName(owner, reference.slice(owner.length + 1));
}

/** The backend whose name a reference begins with. Names may contain dots: the longest name wins, even if it has no such tool. */
export function findOwner(reference: string, backends: readonly string[]): string | undefined {
  return backends
    .filter(name => reference.startsWith(`${name}.`))
    .reduce<string | undefined>((longest, name) => (name.length > (longest?.length ?? -1) ? name : longest), undefined);
}

/** The type of an argument by the tool's input schema; empty when the schema does not state it or allows any. */
export function listArgumentTypes(inputSchema: unknown, name: string): readonly string[] {
  const schema = readMember(readMember(inputSchema, 'properties'), name);
  return [...(findTypes(schema, inputSchema, MAX_SCHEMA_DEPTH) ?? [])];
}

/** How deep alternatives and references are followed. */
const MAX_SCHEMA_DEPTH = 8;

/**
 * The types that a value may have; undefined where any type is allowed. Optional arguments are often written as an alternative of their own
 * schema and null.
 */
function findTypes(schema: unknown, root: unknown, depth: number): ReadonlySet<string> | undefined {
  if (depth === 0 || !isObject(schema)) return undefined;
  const type = readMember(schema, 'type');
  if (type !== undefined) return new Set([type].flat().filter(value => typeof value === 'string'));
  const reference = readMember(schema, '$ref');
  if (typeof reference === 'string') return findTypes(resolveReference(root, reference), root, depth - 1);
  const values = readMember(schema, 'enum') ?? (Object.hasOwn(schema, 'const') ? [schema.const] : undefined);
  if (Array.isArray(values)) return new Set(values.map(getValueType));
  for (const keyword of ['anyOf', 'oneOf']) {
    const alternatives = readMember(schema, keyword);
    if (!Array.isArray(alternatives)) continue;
    const found = alternatives.map(alternative => findTypes(alternative, root, depth - 1));
    return found.includes(undefined) ? undefined : new Set(found.flatMap(types => [...(types ?? [])]));
  }
  const all = readMember(schema, 'allOf');
  if (!Array.isArray(all)) return undefined;
  return all.map(value => findTypes(value, root, depth - 1)).find(types => types !== undefined);
}

/** Resolves references within the same schema, such as `#/$defs/Level`. */
function resolveReference(root: unknown, reference: string): unknown {
  const [start, ...path] = reference.split('/');
  if (start !== '#') return undefined;
  return path.reduce((value, part) => readMember(value, part.replaceAll('~1', '/').replaceAll('~0', '~')), root);
}

function getValueType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

function readMember(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
