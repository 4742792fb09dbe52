/** Compares two tool locks. */
import {
  type CatalogItem,
  type CatalogLock,
  compareText,
  formatCanonicalJson,
  type LockedBackendEntry,
} from '#schemas';
import { ITEM_KINDS, type ItemKind } from '../item-kinds.ts';
import { readEffect } from './annotation-changes.ts';
import type { BackendDiff, CatalogDiff, Change, ItemDiff } from './change.ts';
import { escapeInvisible } from './escape-invisible.ts';
import { diffItem } from './item-changes.ts';

export function diffCatalogs(before: CatalogLock, after: CatalogLock): CatalogDiff {
  const keys = [...new Set([...Object.keys(before.backends), ...Object.keys(after.backends)])].sort(compareText);
  return { backends: keys.flatMap(key => diffBackends(key, before.backends[key], after.backends[key]) ?? []) };
}

function diffBackends(
  key: string,
  before: LockedBackendEntry | undefined,
  after: LockedBackendEntry | undefined,
): BackendDiff | undefined {
  if (after === undefined) return { key, change: 'removed', facts: [], items: [] };
  const items = ITEM_KINDS.flatMap(kind => diffItems(kind, before, after));
  if (before === undefined) return { key, change: 'added', facts: [], items };
  const changes = diffFacts(before, after);
  return changes.length + items.length === 0 ? undefined : { key, change: 'changed', facts: changes, items };
}

function diffFacts(before: LockedBackendEntry, after: LockedBackendEntry): Change[] {
  const changes = ({ url, transport, protocolVersion, server }: LockedBackendEntry) => ({
    url,
    transport,
    revision: protocolVersion,
    server: `${server.name} ${server.version}`.trim(),
  });
  const [old, now] = [changes(before), changes(after)];
  return (Object.keys(now) as (keyof typeof now)[])
    .filter(part => old[part] !== now[part])
    .map(part => ({ part, text: `${escapeInvisible(old[part])} -> ${escapeInvisible(now[part])}` }));
}

type Items = ReadonlyMap<string, CatalogItem>;

function diffItems(kind: ItemKind, before: LockedBackendEntry | undefined, after: LockedBackendEntry): ItemDiff[] {
  const old = getDefinitions(before?.[kind.list]);
  const now = getDefinitions(after[kind.list]);
  const formerNames = pairRenames(kind, old, now);
  const gone = new Set(formerNames.values());
  const names = [...new Set([...old.keys(), ...now.keys()])].sort(compareText);
  return names.flatMap((name): ItemDiff[] => {
    const [oldItem, item] = [old.get(name), now.get(name)];
    if (item === undefined) {
      return gone.has(name) ? [] : [{ kind: kind.noun, name, change: 'removed', changes: [] }];
    }
    const effect = kind.noun === 'tool' ? { effect: readEffect(item) } : {};
    if (oldItem === undefined) {
      const from = formerNames.get(name);
      const change = from === undefined ? { change: 'added' as const } : { change: 'renamed' as const, from };
      return [{ kind: kind.noun, name, ...change, ...effect, changes: [] }];
    }
    const changes = diffItem(kind.noun, oldItem, item);
    return changes.length === 0 ? [] : [{ kind: kind.noun, name, change: 'changed', changes }];
  });
}

/** New names mapped to old ones, for definitions that differ in the name alone. Ambiguous cases are left out. */
function pairRenames({ key }: ItemKind, old: Items, now: Items): ReadonlyMap<string, string> {
  const nameless = (items: Items, others: Items) =>
    Map.groupBy(
      [...items].filter(([name]) => !others.has(name)),
      ([, { [key]: _name, ...rest }]) => formatCanonicalJson(rest),
    );
  const removed = nameless(old, now);
  return new Map(
    [...nameless(now, old)].flatMap(([rest, added]) => {
      const [from, to] = [removed.get(rest), added];
      const [oldName, newName] = [from?.[0]?.[0], to[0]?.[0]];
      const isOne = from?.length === 1 && to.length === 1 && oldName !== undefined && newName !== undefined;
      return isOne ? [[newName, oldName] as const] : [];
    }),
  );
}

function getDefinitions(items: LockedBackendEntry['tools'] = {}): Items {
  return new Map(Object.entries(items).map(([name, { definition }]) => [name, definition]));
}
