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

/** All objects of a program, with their names. */
export class ProgramScope {
  readonly objects: readonly ExportedObject[];
  /** The namespace of the chart, if it is the same for all objects. */
  readonly namespace: string | undefined;
  readonly #names: ReadonlyMap<ExportedObject, ObjectNames>;
  readonly #constants: Set<string>;
  readonly #callees = new Map<ExportedObject, string>();
  /** Consts without an object that several statements use, by key. */
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

  /** The namespace to write; undefined for the chart's. */
  findNamespace({ namespace }: ExportedObject): string | undefined {
    return namespace === this.namespace ? undefined : namespace;
  }

  getId(object: ExportedObject): string {
    return this.#names.get(object)?.id ?? object.name;
  }

  getConstant(object: ExportedObject): string {
    return this.#names.get(object)?.constant ?? object.name;
  }

  /** An object in the same namespace. */
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

  /** An object in the same namespace that is defined earlier in the program. */
  findEarlier(from: ExportedObject, kind: string, name: string): ExportedObject | undefined {
    const found = this.find(from, kind, name);
    return found !== undefined && getRank(found) < getRank(from) ? found : undefined;
  }

  /**
   * Records that an object's const holds a construct with methods.
   * @param callee its constructor, such as `new Group`
   */
  noteConstruct(object: ExportedObject, callee: string): void {
    this.#callees.set(object, callee);
  }

  /** The constructor of an earlier object's construct. */
  findCallee(from: ExportedObject, kind: string, name: string): string | undefined {
    const found = this.findEarlier(from, kind, name);
    return found && this.#callees.get(found);
  }

  /** The const of an earlier object in the same namespace whose construct has methods. */
  findConstant(from: ExportedObject, kind: string, name: string): string | undefined {
    const found = this.findEarlier(from, kind, name);
    return found !== undefined && this.#callees.has(found) ? this.getConstant(found) : undefined;
  }

  /** Reserves a const for something that is not an object, such as a step: the first free one of some names. */
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
