import { touchDoubt, withoutDoubt } from '../check/doubt.ts';
import type { Resource } from '../check/resource.ts';
import type { ResourceDocument } from '../source/classify.ts';

export type { Resource } from '../check/resource.ts';

/** Objects of some kinds, indexed by a property: each object is read once rather than for each query. */
export class Index<Spec extends object = object> {
  readonly kinds: readonly string[];
  readonly findKey: (resource: Resource<Spec>, inventory: Inventory) => string | undefined;

  /** @param formatKey - `undefined` for an object outside of the index. */
  constructor(kinds: readonly string[], formatKey: Index<Spec>['findKey']) {
    this.kinds = kinds;
    this.findKey = formatKey;
  }
}

interface Entries {
  readonly byKey: ReadonlyMap<string, readonly Resource[]>;
  readonly unplaced: readonly Resource[];
}

/** All objects of one compilation by kind, namespace and name. Of duplicates the first one counts. */
export class Inventory {
  readonly #byName = new Map<string, Resource>();
  readonly #byKind = new Map<string, Resource[]>();
  /** Objects, by kind and namespace: there may be many gateways, and each searches only its own namespace. */
  readonly #byNamespace = new Map<string, Resource[]>();
  readonly #broken = new Map<string, ResourceDocument>();
  #brokenByNamespace: ReadonlyMap<string, readonly ResourceDocument[]> | undefined;
  readonly #indexes = new Map<Index<never>, Entries>();

  /** @param broken objects with structural errors: they exist, whether or not rules can read them */
  constructor(resources: Iterable<Resource>, broken: Iterable<ResourceDocument> = []) {
    for (const document of broken)
      this.#broken.set(formatEntryKey(document.kind, document.namespace, document.name), document);
    for (const resource of resources) {
      const key = formatEntryKey(resource.kind, resource.namespace, resource.name);
      if (this.#byName.has(key)) continue;
      this.#byName.set(key, resource);
      append(this.#byKind, resource.kind, resource);
      append(this.#byNamespace, `${resource.kind}/${resource.namespace}`, resource);
    }
  }

  find<Spec extends object>(kind: string, namespace: string, name: string): Resource<Spec> | undefined {
    return this.#byName.get(formatEntryKey(kind, namespace, name)) as Resource<Spec> | undefined;
  }

  /** Objects of one kind in one namespace or in all, in source order. */
  listAll<Spec extends object>(kind: string, namespace?: string): readonly Resource<Spec>[] {
    const found = namespace === undefined ? this.#byKind.get(kind) : this.#byNamespace.get(`${kind}/${namespace}`);
    return (found ?? []) as unknown as readonly Resource<Spec>[];
  }

  /**
   * Objects with this key in the index, by kind and in source order.
   * @param namespace of all objects with this key, if the key implies it
   */
  listBy<Spec extends object>(index: Index<Spec>, key: string, namespace?: string): readonly Resource<Spec>[] {
    const { byKey, unplaced } = this.#getEntries(index);
    if (unplaced.some(resource => namespace === undefined || resource.namespace === namespace)) touchDoubt();
    return (byKey.get(key) ?? []) as unknown as readonly Resource<Spec>[];
  }

  /** Objects whose key in the index is doubtful: they may belong to any result. */
  listUnplaced<Spec extends object>(index: Index<Spec>): readonly Resource[] {
    return this.#getEntries(index).unplaced;
  }

  #getEntries<Spec extends object>(index: Index<Spec>): Entries {
    const known = this.#indexes.get(index);
    if (known !== undefined) return known;
    const byKey = new Map<string, Resource[]>();
    const unplaced: Resource[] = [];
    for (const resource of index.kinds.flatMap(kind => this.listAll<Spec>(kind))) {
      const key = withoutDoubt(() => index.findKey(resource, this));
      if (key === undefined) unplaced.push(resource);
      else if (key.result !== undefined) append(byKey, key.result, resource);
    }
    const entries = { byKey, unplaced };
    this.#indexes.set(index, entries);
    return entries;
  }

  /** Whether such an object exists with structural errors. */
  isBroken(kind: string, namespace: string, name: string): boolean {
    return this.#broken.has(formatEntryKey(kind, namespace, name));
  }

  /** All objects of a kind in a namespace that have structural errors. */
  listBroken(kind: string, namespace: string): readonly ResourceDocument[] {
    this.#brokenByNamespace ??= Map.groupBy(
      this.#broken.values(),
      document => `${document.kind}/${document.namespace}`,
    );
    return this.#brokenByNamespace.get(`${kind}/${namespace}`) ?? [];
  }

  /** An object with structural errors, as far as it could be parsed. */
  findBroken(kind: string, namespace: string, name: string): ResourceDocument | undefined {
    return this.#broken.get(formatEntryKey(kind, namespace, name));
  }
}

function append(lists: Map<string, Resource[]>, key: string, resource: Resource): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [resource]);
  else list.push(resource);
}

function formatEntryKey(kind: string, namespace: string, name: string): string {
  return `${kind}/${namespace}/${name}`;
}
