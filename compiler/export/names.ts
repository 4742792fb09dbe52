import type { ExportedObject } from './exported-object.ts';
import { isIdentifier } from './typescript/literal.ts';

/** The names of an object in the program. */
export interface ObjectNames {
  /** The construct's id; unique in the chart. */
  readonly id: string;
  /** The const that holds the object. */
  readonly constant: string;
}

/** If several objects have the same name, the const of the first kind in this list gets the plain name. Kinds that are not in the list come last. */
const PRIORITY = [
  'VirtualMCPServer',
  'MCPRegistry',
  'MCPServer',
  'MCPRemoteProxy',
  'MCPServerEntry',
  'VirtualMCPCompositeToolDefinition',
  'MCPOIDCConfig',
  'MCPExternalAuthConfig',
  'MCPTelemetryConfig',
  'MCPToolConfig',
  'MCPGroup',
];

/** Suffixes for names that another object already has. */
const WORDS: Readonly<Record<string, string>> = {
  VirtualMCPServer: 'gateway',
  MCPRegistry: 'registry',
  MCPServer: 'server',
  MCPRemoteProxy: 'proxy',
  MCPServerEntry: 'entry',
  VirtualMCPCompositeToolDefinition: 'workflow',
  MCPOIDCConfig: 'oidc',
  MCPExternalAuthConfig: 'auth',
  MCPTelemetryConfig: 'telemetry',
  MCPToolConfig: 'tools',
  MCPGroup: 'group',
};

/** Words that no const may have as its name: reserved words of TypeScript, and names that every exported program uses. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set(
  `abstract any app arguments as async await boolean break case catalog catch cedar class const constructor continue debugger
   declare default delete do e else enum eval export extends false finally for from function get global globalThis id if
   implements import in index instanceof interface item let module namespace never new null number object of package private protected
   public return scope set static string super switch symbol this throw true try type typeof undefined unknown var void while
   with yield process t`.split(/\s+/),
);

/** Assigns names to objects. The names do not depend on the order of the objects. */
export function assignNames(objects: readonly ExportedObject[]): ReadonlyMap<ExportedObject, ObjectNames> {
  const ids = new Set<string>();
  const constants = new Set(RESERVED_NAMES);
  const names = new Map<ExportedObject, ObjectNames>();
  for (const object of objects.toSorted(compareByPriority)) {
    const { name, namespace, kind } = object;
    const word = WORDS[kind] ?? kind.toLowerCase();
    const id = takeFreeName(ids, [name, `${name}-${word}`, `${namespace ?? ''}-${name}-${word}`]);
    const plain = toCamelCase(name);
    const candidates = [plain, `${plain}${capitalize(word)}`, `${word}${capitalize(plain)}`];
    names.set(object, { id, constant: takeFreeName(constants, candidates.filter(isIdentifier)) });
  }
  return names;
}

/** A name in camel case: `eng-tools` becomes `engTools`. */
export function toCamelCase(name: string): string {
  return name
    .replace(/[^A-Za-z0-9]+(.)?/g, (_, next = '') => next.toUpperCase())
    .replace(/^./, first => first.toLowerCase());
}

/** A name in camel case that begins with a capital: `eng-tools` becomes `EngTools`. */
export function capitalize(name: string): string {
  return toCamelCase(name).replace(/^./, first => first.toUpperCase());
}

/** Returns the first candidate that is free and reserves it. If none is free, the last candidate gets a number. */
export function takeFreeName(taken: Set<string>, candidates: readonly string[]): string {
  const last = candidates.at(-1) ?? 'object';
  let free = candidates.find(candidate => !taken.has(candidate));
  for (let number = 2; free === undefined; number++) {
    if (!taken.has(`${last}${number}`)) free = `${last}${number}`;
  }
  taken.add(free);
  return free;
}

function compareByPriority(a: ExportedObject, b: ExportedObject): number {
  return (
    computePriority(a) - computePriority(b) ||
    compare(a.kind, b.kind) ||
    compare(a.name, b.name) ||
    compare(a.namespace ?? '', b.namespace ?? '') ||
    compare(a.apiVersion, b.apiVersion)
  );
}

function computePriority({ kind }: ExportedObject): number {
  const priority = PRIORITY.indexOf(kind);
  return priority === -1 ? PRIORITY.length : priority;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
