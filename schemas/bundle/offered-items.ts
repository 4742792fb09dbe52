/**
 * What of a backend's offer can be served at all. One bad item must not cost the others: clients refuse whole lists. The
 * compiler asks this when it locks an offer and when it reads a lock, the runtime when a backend answers.
 */
import { isObject } from '../json-object.ts';
import { validateItem } from './item-shape.ts';
import type { CatalogItem } from './presented-item.ts';

/** Nesting that an item may have, itself counted as one level; with room for what the tool lock puts around it. */
const MAX_ITEM_DEPTH = 90;

/** Characters of an item as JSON: every client gets all of it with its list. */
const MAX_ITEM_LENGTH = 1024 * 1024;

/** The member that identifies the items of a list. */
export type ItemKey = 'name' | 'uri' | 'uriTemplate';

/** What a backend lists. */
export type ItemList = 'tools' | 'prompts' | 'resources' | 'resourceTemplates';

const KEYS: Readonly<Record<ItemList, ItemKey>> = {
  tools: 'name',
  prompts: 'name',
  resources: 'uri',
  resourceTemplates: 'uriTemplate',
};

/** An item that is not served, whatever a gateway is like. */
export interface UnfitItem {
  /** Its own name or URI, if it has one. */
  readonly name: string | undefined;
  /** Its place in the list. */
  readonly index: number;
  readonly reason: 'malformed' | 'duplicate';
  /** What exactly is wrong, for people. */
  readonly detail: string;
}

export interface SplitItems {
  /** Each with a name of its own, in the order of the list. */
  readonly kept: readonly CatalogItem[];
  readonly unfit: readonly UnfitItem[];
}

/** Splits a list into what has a name of its own and the rest. Of items of one name the first is kept. */
export function splitItems(items: readonly unknown[], list: ItemList): SplitItems {
  const key = KEYS[list];
  const unfit: UnfitItem[] = [];
  const seen = new Set<string>();
  const kept = items.filter((item, index): item is CatalogItem => {
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
  return { kept, unfit };
}

const checkedItems = new WeakMap<CatalogItem, string | null>();

/** Items are judged once: every change of any backend, and every gateway of a backend, asks again. */
function findContentViolation(item: CatalogItem, list: ItemList): string | undefined {
  let violation = checkedItems.get(item);
  if (violation === undefined) {
    violation =
      findTextViolation(item, MAX_ITEM_DEPTH) ?? findLengthViolation(item) ?? validateItem(item, list) ?? null;
    checkedItems.set(item, violation);
  }
  return violation ?? undefined;
}

/** What canonical JSON cannot hold has no digest, so that it could not be compared with what was reviewed. */
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
