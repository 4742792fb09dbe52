/**
 * The lists that a backend gave to single callers: equal lists are stored once, and each item once for all its lists. A response replaces only
 * the lists of its caller.
 */
import { hash } from 'node:crypto';
import { compareText } from '#schemas';
import {
  type ItemKind,
  KINDS,
  mapKinds,
  NOTHING_OFFERED,
  type OfferedItem,
  type OfferedItems,
  type PerKind,
} from '../offers/offered-items.ts';

/** The number of remembered callers. */
export const MAX_CALLERS = 1_000;

/** The number of remembered names in all different lists; the latest list is stored even if it exceeds the limit. */
export const MAX_NAMES = 500_000;

/** Maximum number of characters of the different items as JSON; the latest list is stored even if it exceeds the limit. */
export const MAX_CHARACTERS = 64 * 1024 * 1024;

/** Maximum number of items of one kind that operators see. */
const MAX_SHOWN = 10_000;

export interface CallerListsLimits {
  readonly maxCallers: number;
  readonly maxNames: number;
  readonly maxCharacters: number;
}

/** The list of a caller, and of all other callers with an equal list. */
export interface AdvertisedList {
  /** A number of the list that no other list in this process has. */
  readonly id: number;
  readonly offered: OfferedItems;
  readonly nameCount: number;
  /** Whether a caller whose lists are known has this list. */
  readonly isHeld: boolean;
}

/** The changes that an answer caused. */
export interface CallerListChange {
  /** The kinds of lists that changed for the caller. */
  readonly changed: ReadonlySet<ItemKind>;
  /** The items that no known caller had before. */
  readonly items: OfferedItems;
}

interface SharedItem {
  readonly item: OfferedItem;
  readonly digest: string;
  readonly length: number;
  /** The number of lists that contain the item. */
  lists: number;
}

let lastId = 0;

class SharedList implements AdvertisedList {
  readonly id: number = ++lastId;
  readonly digest: string;
  /** The digest of each kind of list. */
  readonly digests: PerKind<string>;
  readonly items: PerKind<readonly SharedItem[]>;
  readonly offered: OfferedItems;
  readonly nameCount: number;
  /** The number of callers that have the list. */
  holders = 0;

  constructor(digest: string, digests: PerKind<string>, items: PerKind<readonly SharedItem[]>) {
    this.digest = digest;
    this.digests = digests;
    this.items = items;
    this.offered = mapKinds(kind => items[kind].map(({ item }) => item));
    this.nameCount = KINDS.reduce((sum, { kind }) => sum + items[kind].length, 0);
  }

  get isHeld(): boolean {
    return this.holders > 0;
  }
}

/** An item of an answer, before an equal stored item is looked up. */
interface AdvertisedItem {
  readonly name: string;
  readonly digest: string;
  readonly length: number;
  readonly item: OfferedItem;
}

export class CallerLists {
  readonly #limits: CallerListsLimits;
  /** Lists by caller, the least recently used first. */
  readonly #byCaller = new Map<string, SharedList>();
  readonly #lists = new Map<string, SharedList>();
  readonly #items = mapKinds(() => new Map<string, SharedItem>());
  #nameCount = 0;
  #characters = 0;
  readonly #onForgotten: (caller: string) => void;

  /** @param onForgotten gets each caller that is removed to make room */
  constructor(
    onForgotten: (caller: string) => void = () => {},
    limits: CallerListsLimits = { maxCallers: MAX_CALLERS, maxNames: MAX_NAMES, maxCharacters: MAX_CHARACTERS },
  ) {
    this.#onForgotten = onForgotten;
    this.#limits = limits;
  }

  /** The list of a caller, one object for all callers with an equal list; undefined when it is not known. */
  get(caller: string): AdvertisedList | undefined {
    const list = this.#byCaller.get(caller);
    if (list === undefined) return undefined;
    this.#byCaller.delete(caller);
    this.#byCaller.set(caller, list);
    return list;
  }

  get isEmpty(): boolean {
    return this.#byCaller.size === 0;
  }

  /** For operators: one definition of each name in the lists of all callers, up to a limit for each kind of item. */
  get shown(): OfferedItems {
    return mapKinds((kind, key) => {
      const byName = new Map<string, OfferedItem>();
      for (const { item } of this.#items[kind].values()) {
        if (byName.size === MAX_SHOWN) break;
        const name = readName(item, key);
        if (!byName.has(name)) byName.set(name, item);
      }
      return [...byName.values()];
    });
  }

  /** Stores a backend's answer to a caller. */
  replace(caller: string, answer: OfferedItems): CallerListChange {
    const before = this.#byCaller.get(caller);
    const { list, items } = this.#shareList(answer);
    const changed = KINDS.map(({ kind }) => kind).filter(kind =>
      before === undefined ? list.offered[kind].length > 0 : list.digests[kind] !== before.digests[kind],
    );
    list.holders++;
    if (before !== undefined) this.#release(before);
    this.#byCaller.delete(caller);
    this.#byCaller.set(caller, list);
    this.#makeRoom();
    return { changed: new Set(changed), items };
  }

  /** Drops the lists of all callers. */
  clear(): void {
    for (const [caller, list] of this.#byCaller) {
      this.#release(list);
      this.#onForgotten(caller);
    }
    this.#byCaller.clear();
  }

  #shareList(answer: OfferedItems): { list: SharedList; items: OfferedItems } {
    const described = mapKinds((kind, key) => readItems(answer[kind], key));
    const digests = mapKinds(kind => computeDigest(described[kind].map(({ digest }) => digest).join()));
    const digest = KINDS.map(({ kind }) => digests[kind]).join();
    const known = this.#lists.get(digest);
    if (known !== undefined) return { list: known, items: NOTHING_OFFERED };
    const newItems = mapKinds((): OfferedItem[] => []);
    const items = mapKinds(kind => described[kind].map(item => this.#keep(kind, item, newItems[kind])));
    const list = new SharedList(digest, digests, items);
    this.#lists.set(digest, list);
    this.#nameCount += list.nameCount;
    return { list, items: newItems };
  }

  /** Returns the stored item with this text, and stores it if there is none. */
  #keep(kind: ItemKind, { digest, length, item }: AdvertisedItem, newItems: OfferedItem[]): SharedItem {
    let sharedItem = this.#items[kind].get(digest);
    if (sharedItem === undefined) {
      sharedItem = { item, digest, length, lists: 0 };
      this.#items[kind].set(digest, sharedItem);
      this.#characters += length;
      newItems.push(item);
    }
    sharedItem.lists++;
    return sharedItem;
  }

  #release(list: SharedList): void {
    if (--list.holders > 0) return;
    this.#lists.delete(list.digest);
    this.#nameCount -= list.nameCount;
    for (const { kind } of KINDS) {
      for (const sharedItem of list.items[kind]) {
        if (--sharedItem.lists > 0) continue;
        this.#items[kind].delete(sharedItem.digest);
        this.#characters -= sharedItem.length;
      }
    }
  }

  #makeRoom(): void {
    const { maxCallers, maxNames, maxCharacters } = this.#limits;
    for (const [caller, list] of this.#byCaller) {
      const isFull = this.#byCaller.size > maxCallers || this.#nameCount > maxNames || this.#characters > maxCharacters;
      if (!isFull || this.#byCaller.size === 1) return;
      this.#byCaller.delete(caller);
      this.#release(list);
      this.#onForgotten(caller);
    }
  }
}

/** If several items have one name, the first in the order of the items' text counts: the order of a backend's list carries no meaning. */
function readItems(items: readonly OfferedItem[], key: string): readonly AdvertisedItem[] {
  const distinct = new Map<string, AdvertisedItem>();
  for (const item of items) {
    const text = serializeItem(item);
    const name = readName(item, key);
    if (!distinct.has(name)) distinct.set(name, { name, digest: computeDigest(text), length: text.length, item });
  }
  return [...distinct.values()].sort((a, b) => compareText(a.name, b.name));
}

/** The name of an item. An item without a name is reported as for any other backend, and served to no caller. */
function readName(item: OfferedItem | null, key: string): string {
  const name = item?.[key];
  return typeof name === 'string' ? name : serializeItem(item);
}

function serializeItem(item: unknown): string {
  try {
    return JSON.stringify(item);
  } catch {
    return 'nested too deep'; // The item is nested thousands of levels deep: the gateway withholds it without comparing it.
  }
}

function computeDigest(text: string): string {
  return hash('sha256', text, 'base64url');
}
