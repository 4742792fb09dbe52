/**
 * What a backend has told single callers that it offers: the names for each of them, and the definitions once for all, which
 * are what calls are routed by. An answer replaces only what the same caller was told before.
 */
import { isDeepStrictEqual } from 'node:util';
import { type Capabilities, type CapabilityKind, type Item, KINDS, NO_CAPABILITIES } from './capabilities.ts';

/** Callers that are remembered. */
export const MAX_CALLERS = 1_000;

/** Names that are remembered of all callers together; those of the latest one are, however many they are. */
export const MAX_NAMES = 500_000;

export interface CallerListsLimits {
  readonly maxCallers: number;
  readonly maxNames: number;
}

/** The backend's own names and URIs. */
export type ToldNames = { readonly [K in CapabilityKind]: ReadonlySet<string> };

/** The kinds of which a caller sees something else than before, by caller. */
export type ChangedLists = ReadonlyMap<string, ReadonlySet<CapabilityKind>>;

interface Definition {
  readonly name: string;
  item: Item;
  /** Callers that were told it. */
  holders: number;
}

const NO_NAMES: ToldNames = {
  tools: new Set(),
  prompts: new Set(),
  resources: new Set(),
  resourceTemplates: new Set(),
};

export class CallerLists {
  readonly #limits: CallerListsLimits;
  /** Used least recently first. */
  readonly #told = new Map<string, ToldNames>();
  readonly #definitions: { readonly [K in CapabilityKind]: Map<string, Definition> } = {
    tools: new Map(),
    prompts: new Map(),
    resources: new Map(),
    resourceTemplates: new Map(),
  };
  #nameCount = 0;
  #union: Capabilities = NO_CAPABILITIES;
  readonly #onForgotten: (caller: string) => void;

  /** @param onForgotten gets each caller that makes room */
  constructor(
    onForgotten: (caller: string) => void = () => {},
    limits: CallerListsLimits = { maxCallers: MAX_CALLERS, maxNames: MAX_NAMES },
  ) {
    this.#onForgotten = onForgotten;
    this.#limits = limits;
  }

  /** Everything that anybody was told; the same object until that changes. Of a name that is defined in two ways the latest counts. */
  get union(): Capabilities {
    return this.#union;
  }

  /** What a caller was told; undefined when it is not known. */
  of(caller: string): ToldNames | undefined {
    const told = this.#told.get(caller);
    if (told === undefined) return undefined;
    this.#told.delete(caller);
    this.#told.set(caller, told);
    return told;
  }

  /** Takes an answer of the backend to a caller. */
  replace(caller: string, answer: Capabilities): ChangedLists {
    const before = this.#told.get(caller) ?? NO_NAMES;
    const changed = new Map<string, Set<CapabilityKind>>();
    const names = {} as Record<CapabilityKind, ReadonlySet<string>>;
    const touched = new Set<CapabilityKind>();
    for (const { kind, key } of KINDS) {
      const { told, added, redefined } = this.#take(kind, key, answer[kind], before[kind]);
      names[kind] = told;
      const gone = [...before[kind]].filter(name => !told.has(name));
      for (const name of gone) if (this.#release(kind, name)) touched.add(kind);
      if (added || redefined.length > 0) touched.add(kind);
      if (told.size !== before[kind].size || gone.length > 0) noteChange(changed, caller, kind);
      if (redefined.length === 0) continue;
      for (const [other, theirs] of this.#told)
        if (redefined.some(name => theirs[kind].has(name))) noteChange(changed, other, kind);
    }
    this.#nameCount += countOf(names) - countOf(before);
    this.#told.delete(caller);
    this.#told.set(caller, names);
    for (const kind of this.#makeRoom()) touched.add(kind);
    if (touched.size > 0) this.#union = this.#unite(touched);
    return changed;
  }

  #take(kind: CapabilityKind, key: string, items: readonly Item[], before: ReadonlySet<string>) {
    const definitions = this.#definitions[kind];
    const told = new Set<string>();
    const redefined: string[] = [];
    let added = false;
    for (const item of items) {
      const name = nameOf(item, key);
      if (told.has(name)) continue;
      let definition = definitions.get(name);
      if (definition === undefined) {
        definition = { name, item, holders: 0 };
        definitions.set(name, definition);
        added = true;
      } else if (!isDeepStrictEqual(definition.item, item)) {
        definition.item = item;
        redefined.push(definition.name);
      }
      // One text in memory for all callers.
      told.add(definition.name);
      if (!before.has(name)) definition.holders++;
    }
    return { told, added, redefined };
  }

  /** Returns whether nobody is left who was told it. */
  #release(kind: CapabilityKind, name: string): boolean {
    const definition = this.#definitions[kind].get(name);
    if (definition === undefined || --definition.holders > 0) return false;
    this.#definitions[kind].delete(name);
    return true;
  }

  #makeRoom(): ReadonlySet<CapabilityKind> {
    const { maxCallers, maxNames } = this.#limits;
    const touched = new Set<CapabilityKind>();
    for (const [caller, names] of this.#told) {
      const isFull = this.#told.size > maxCallers || this.#nameCount > maxNames;
      if (!isFull || this.#told.size === 1) break;
      this.#told.delete(caller);
      this.#nameCount -= countOf(names);
      for (const { kind } of KINDS) for (const name of names[kind]) if (this.#release(kind, name)) touched.add(kind);
      this.#onForgotten(caller);
    }
    return touched;
  }

  #unite(touched: ReadonlySet<CapabilityKind>): Capabilities {
    const lists = [...touched].map(kind => [kind, [...this.#definitions[kind].values()].map(({ item }) => item)]);
    return { ...this.#union, ...Object.fromEntries(lists) };
  }
}

/** What has no name is reported like that of any other backend, and served to nobody. */
function nameOf(item: Item | null, key: string): string {
  const name = item?.[key];
  return typeof name === 'string' ? name : JSON.stringify(item);
}

function countOf(names: ToldNames): number {
  return KINDS.reduce((sum, { kind }) => sum + names[kind].size, 0);
}

function noteChange(changed: Map<string, Set<CapabilityKind>>, caller: string, kind: CapabilityKind): void {
  const kinds = changed.get(caller) ?? new Set();
  changed.set(caller, kinds.add(kind));
}
