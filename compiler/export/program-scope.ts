import { findReferences } from '../resolve/references.ts';
import type { ExportedObject } from './exported-object.ts';
import { assignNames, camelCase, firstFree, type ObjectNames, RESERVED_NAMES } from './names.ts';
import { isIdentifier } from './typescript/literal.ts';

/** Kinds that others refer to come before them. */
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

/** All objects of a program, and what they are called in it. */
export class ProgramScope {
  readonly objects: readonly ExportedObject[];
  /** The namespace of the chart, when every object is in it. */
  readonly namespace: string | undefined;
  readonly #names: ReadonlyMap<ExportedObject, ObjectNames>;
  readonly #constants: Set<string>;
  readonly #callees = new Map<ExportedObject, string>();
  /** Consts that several statements use and no object is behind, by what they stand for. */
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

  /** The namespace, where it has to be written. */
  findNamespace({ namespace }: ExportedObject): string | undefined {
    return namespace === this.namespace ? undefined : namespace;
  }

  getId(object: ExportedObject): string {
    return this.#names.get(object)?.id ?? object.name;
  }

  getConstant(object: ExportedObject): string {
    return this.#names.get(object)?.constant ?? object.name;
  }

  /** An object of the same namespace. */
  find(from: ExportedObject, kind: string, name: string): ExportedObject | undefined {
    return this.#byKey.get(formatKey(kind, from.namespace, name));
  }

  /** Objects that refer to one. */
  listUsers(target: ExportedObject): readonly ExportedObject[] {
    this.#users ??= Map.groupBy(
      this.objects.flatMap(user => {
        const targets = findReferences(user.kind, user.value.spec).map(({ kind, name }) => this.find(user, kind, name));
        return [...new Set(targets)].map(one => ({ user, target: one }));
      }),
      pair => pair.target,
    );
    return this.#users.get(target)?.map(({ user }) => user) ?? [];
  }

  /** An object of the same namespace that stands earlier in the program. */
  earlier(from: ExportedObject, kind: string, name: string): ExportedObject | undefined {
    const found = this.find(from, kind, name);
    return found !== undefined && getRank(found) < getRank(from) ? found : undefined;
  }

  /**
   * Notes that the const of an object holds a construct with methods.
   *
   * @param callee what makes it, such as `new Group`
   */
  noteConstruct(object: ExportedObject, callee: string): void {
    this.#callees.set(object, callee);
  }

  /** The callee that made the construct of an object that stands earlier. */
  findCallee(from: ExportedObject, kind: string, name: string): string | undefined {
    const found = this.earlier(from, kind, name);
    return found && this.#callees.get(found);
  }

  /** The const of an object of the same namespace that stands earlier and is a construct with methods. */
  findConstant(from: ExportedObject, kind: string, name: string): string | undefined {
    const found = this.earlier(from, kind, name);
    return found !== undefined && this.#callees.has(found) ? this.getConstant(found) : undefined;
  }

  /** A const for what is no object, such as a step: the first of some names that is free, as it is written in programs. */
  constant(...names: readonly string[]): string {
    return firstFree(this.#constants, names.map(camelCase).filter(isIdentifier));
  }
}

function getRank({ kind }: ExportedObject): number {
  return RANKS[kind] ?? 6;
}

function formatKey(kind: string, namespace: string | undefined, name: string): string {
  return JSON.stringify([kind, namespace ?? DEFAULT_NAMESPACE, name]);
}
