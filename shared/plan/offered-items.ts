/**
 * Decides which items of a backend can be served at all. Clients refuse a whole list for one bad item, so bad items are removed. The compiler
 * uses it when it locks an offer and when it reads a lock, the runtime when a backend responds.
 */
import { type CatalogItem, isObject } from '#schemas';
import { validateItem } from './item-shape.ts';

/** Nesting that an item may have, counting the item itself; it leaves room for the levels that the tool lock adds. */
const MAX_ITEM_DEPTH = 90;

/** Characters of an item as JSON. Every client gets the whole item in its list. */
const MAX_ITEM_LENGTH = 1024 * 1024;

/** The member that identifies the items of a list. */
export type ItemKey = 'name' | 'uri' | 'uriTemplate';

/** The name of one of a backend's lists. */
export type ItemList = 'tools' | 'prompts' | 'resources' | 'resourceTemplates';

const KEYS: Readonly<Record<ItemList, ItemKey>> = {
  tools: 'name',
  prompts: 'name',
  resources: 'uri',
  resourceTemplates: 'uriTemplate',
};

/** An item that no gateway can serve. */
export interface UnfitItem {
  /** The item's own name or URI, if it has one. */
  readonly name: string | undefined;
  /** The item's index in the list. */
  readonly index: number;
  readonly reason: 'malformed' | 'duplicate';
  /** The exact violation, for operators. */
  readonly detail: string;
}

export interface SplitItems {
  /** Items with unique names, in the order of the list. */
  readonly fit: readonly CatalogItem[];
  readonly unfit: readonly UnfitItem[];
}

/** Splits a list into items with unique names and the rest. Of items with the same name the first is kept. */
export function splitItems(items: readonly unknown[], list: ItemList): SplitItems {
  const key = KEYS[list];
  const unfit: UnfitItem[] = [];
  const seen = new Set<string>();
  const fit = items.filter((item, index): item is CatalogItem => {
    const name = isObject(item) && Object.hasOwn(item, key) ? item[key] : undefined;
    if (!isObject(item) || typeof name !== 'string' || name === '') {
      const detail = isObject(item) ? `has no ${key}` : 'is no object';
      unfit.push({ name: undefined, index, reason: 'malformed', detail });
      return false;
    }
    const detail = findContentViolation(item, list);
    if (detail !== undefined) {
      unfit.push({ name, index, reason: 'malformed', detail });
    } else if (seen.has(name)) {
      unfit.push({ name, index, reason: 'duplicate', detail: 'is listed more than once: only the first is served' });
    } else {
      seen.add(name);
      return true;
    }
    return false;
  });
  return { fit, unfit };
}

const checkedItems = new WeakMap<CatalogItem, string | null>();

/** Cached for each item, because every change of a backend leads to a new check, in every gateway that has the backend. */
function findContentViolation(item: CatalogItem, list: ItemList): string | undefined {
  let violation = checkedItems.get(item);
  if (violation === undefined) {
    violation =
      findTextViolation(item, MAX_ITEM_DEPTH) ?? findLengthViolation(item) ?? validateItem(item, list) ?? null;
    checkedItems.set(item, violation);
  }
  return violation ?? undefined;
}

/** A text that canonical JSON cannot hold has no digest, so it could not be compared with what was reviewed. */
function findTextViolation(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : 'holds text that is no Unicode';
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'holds a number that is too large';
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth === 0) return `is nested more than ${MAX_ITEM_DEPTH} levels deep`;
  for (const [name, inner] of Object.entries(value)) {
    const violation = findTextViolation(name, depth) ?? findTextViolation(inner, depth - 1);
    if (violation !== undefined) return violation;
  }
  return undefined;
}

function findLengthViolation(item: CatalogItem): string | undefined {
  return JSON.stringify(item).length > MAX_ITEM_LENGTH ? `has more than ${MAX_ITEM_LENGTH} characters` : undefined;
}
