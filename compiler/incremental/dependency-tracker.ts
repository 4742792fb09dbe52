import { type Index, Inventory, type Resource } from '../resolve/inventory.ts';
import type { ResourceDocument } from '../source/classify.ts';

type InventoryResult =
  | Resource
  | ResourceDocument
  | readonly Resource[]
  | readonly ResourceDocument[]
  | boolean
  | undefined;
type InventoryQuery = (inventory: Inventory) => InventoryResult;

/** An inventory that records queries and results. While another inventory gives the same results, everything computed from them stays valid. */
export class DependencyTracker extends Inventory {
  #inventory: Inventory;
  readonly #answers = new Map<string, { readonly ask: InventoryQuery; readonly answer: InventoryResult }>();
  readonly #byIndex = new Map<
    Index<never>,
    { readonly unplaced: readonly Resource[]; readonly byKey: Map<string, readonly Resource[]> }
  >();

  constructor(inventory: Inventory) {
    super([]);
    this.#inventory = inventory;
  }

  /** Whether the other inventory gives the same results for all recorded queries. If so, later queries go to it. */
  moveTo(inventory: Inventory): boolean {
    for (const { ask, answer } of this.#answers.values()) if (!isSame(ask(inventory), answer)) return false;
    for (const [index, { unplaced, byKey }] of this.#byIndex) {
      if (!isSame(inventory.listUnplaced(index), unplaced)) return false;
      for (const [key, answer] of byKey) if (!isSame(inventory.listBy(index, key), answer)) return false;
    }
    this.#inventory = inventory;
    return true;
  }

  override find<Spec extends object>(kind: string, namespace: string, name: string): Resource<Spec> | undefined {
    return this.#ask(`find ${kind}/${namespace}/${name}`, from => from.find<Spec>(kind, namespace, name));
  }

  override listAll<Spec extends object>(kind: string, namespace?: string): readonly Resource<Spec>[] {
    return this.#ask(`all ${kind}/${namespace ?? ''}`, from => from.listAll<Spec>(kind, namespace));
  }

  override listBy<Spec extends object>(index: Index<Spec>, key: string, namespace?: string): readonly Resource<Spec>[] {
    const answer = this.#inventory.listBy(index, key, namespace);
    const answers = this.#byIndex.get(index) ?? { unplaced: this.#inventory.listUnplaced(index), byKey: new Map() };
    answers.byKey.set(key, answer);
    this.#byIndex.set(index, answers);
    return answer;
  }

  override listUnplaced<Spec extends object>(index: Index<Spec>): readonly Resource[] {
    return this.#inventory.listUnplaced(index);
  }

  override isBroken(kind: string, namespace: string, name: string): boolean {
    return this.#ask(`isBroken ${kind}/${namespace}/${name}`, from => from.isBroken(kind, namespace, name));
  }

  override listBroken(kind: string, namespace: string): readonly ResourceDocument[] {
    return this.#ask(`brokenIn ${kind}/${namespace}`, from => from.listBroken(kind, namespace));
  }

  override findBroken(kind: string, namespace: string, name: string): ResourceDocument | undefined {
    return this.#ask(`findBroken ${kind}/${namespace}/${name}`, from => from.findBroken(kind, namespace, name));
  }

  #ask<A extends InventoryResult>(query: string, ask: (inventory: Inventory) => A): A {
    const answer = ask(this.#inventory);
    this.#answers.set(query, { ask, answer });
    return answer;
  }
}

/** Compares by identity and order: an object that was parsed again may have another position. */
function isSame(a: InventoryResult, b: InventoryResult): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return a === b;
  return a.length === b.length && a.every((item, index) => item === b[index]);
}
