import { findReferences } from '../resolve/references.ts';
import type { ExportedObject } from './exported-object.ts';
import { assignNames, type ObjectNames, RESERVED_NAMES, takeFreeName, toCamelCase } from './names.ts';
import { isIdentifier } from './typescript/literal.ts';

/** Referenced kinds come before the kinds that refer to them. */
const RANKS: Readonly<Record<string, number>> = {
  MCPGroup: 0,
  MCPOIDCConfig: 1,
  MCPAuthzConfig: 1,
  MCPExternalAuthConfig: 1,
  MCPTelemetryConfig: 1,
  MCPToolConfig: 1,
  MCPServer: 2,
  MCPRemoteProxy: 2,
  MCPServerEntry: 2,
  VirtualMCPCompositeToolDefinition: 3,
  VirtualMCPServer: 4,
  MCPRegistry: 5,
};

const DEFAULT_NAMESPACE = 'default';

/** All objects of the exported program, with their names. */
export class ProgramScope {
  readonly objects: readonly ExportedObject[];
  /** The namespace of the chart; undefined if the objects have different namespaces. */
  readonly namespace: string | undefined;
  readonly #names: ReadonlyMap<ExportedObject, ObjectNames>;
  readonly #constants: Set<string>;
  readonly #callees = new Map<ExportedObject, string>();
  /** Consts that belong to no object of the sources and that several statements use, by an arbitrary key. */
  readonly shared: Map<string, string> = new Map();
  #users: ReadonlyMap<ExportedObject | undefined, readonly { readonly user: ExportedObject }[]> | undefined;
  readonly #byKey: ReadonlyMap<string, ExportedObject>;

  constructor(objects: readonly ExportedObject[]) {
    this.objects = objects.toSorted((a, b) => getRank(a) - getRank(b));
    this.#names = assignNames(objects);
    this.#constants = new Set([...RESERVED_NAMES, ...[...this.#names.values()].map(({ constant }) => constant)]);
    this.#byKey = new Map(objects.map(object => [formatKey(object.kind, object.namespace, object.name), object]));
    const namespaces = new Set(objects.map(({ namespace }) => namespace));
    this.namespace = namespaces.size === 1 ? objects[0]?.namespace : undefined;
  }

  /** The namespace that the construct has to state; undefined if it is that of the chart. */
  findNamespace({ namespace }: ExportedObject): string | undefined {
    return namespace === this.namespace ? undefined : namespace;
  }

  getId(object: ExportedObject): string {
    return this.#names.get(object)?.id ?? object.name;
  }

  getConstant(object: ExportedObject): string {
    return this.#names.get(object)?.constant ?? object.name;
  }

  /** Finds an object that `from` refers to, in the same namespace. */
  find(from: ExportedObject, kind: string, name: string): ExportedObject | undefined {
    return this.#byKey.get(formatKey(kind, from.namespace, name));
  }

  /** Objects that refer to an object. */
  listUsers(target: ExportedObject): readonly ExportedObject[] {
    this.#users ??= Map.groupBy(
      this.objects.flatMap(user => {
        const targets = findReferences(user.kind, user.value.spec).map(({ kind, name }) => this.find(user, kind, name));
        return [...new Set(targets)].map(object => ({ user, target: object }));
      }),
      pair => pair.target,
    );
    return this.#users.get(target)?.map(({ user }) => user) ?? [];
  }

  /** Does the same as `find`, for objects that the program creates before `from`. */
  findEarlier(from: ExportedObject, kind: string, name: string): ExportedObject | undefined {
    const found = this.find(from, kind, name);
    return found !== undefined && getRank(found) < getRank(from) ? found : undefined;
  }

  /**
   * Records that the const of an object holds a construct, not only the class of its kind.
   *
   * @param callee its constructor, such as `new Group`
   */
  noteConstruct(object: ExportedObject, callee: string): void {
    this.#callees.set(object, callee);
  }

  /** The constructor of the construct of an earlier object; undefined if the object is written out. */
  findCallee(from: ExportedObject, kind: string, name: string): string | undefined {
    const found = this.findEarlier(from, kind, name);
    return found && this.#callees.get(found);
  }

  /** The const of an earlier object in the same namespace; undefined if the object is written out. */
  findConstant(from: ExportedObject, kind: string, name: string): string | undefined {
    const found = this.findEarlier(from, kind, name);
    return found !== undefined && this.#callees.has(found) ? this.getConstant(found) : undefined;
  }

  /** Reserves a const for a value that is not an object of the sources, such as a step. Takes the first of the names that is free. */
  reserveConstant(...names: readonly string[]): string {
    return takeFreeName(this.#constants, names.map(toCamelCase).filter(isIdentifier));
  }
}

function getRank({ kind }: ExportedObject): number {
  return RANKS[kind] ?? 6;
}

function formatKey(kind: string, namespace: string | undefined, name: string): string {
  return JSON.stringify([kind, namespace ?? DEFAULT_NAMESPACE, name]);
}
