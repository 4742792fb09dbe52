/** Groups equal changes of several items for text output. The data lists each change by itself. */
import type { CallerChange, ExposureDifference, ItemChange, ReachedItem } from '../difference.ts';
import { alarmAspects, reachedText } from './words.ts';

/** Changes that differ only in the name. */
export interface ChangeGroup {
  readonly first: ItemChange;
  /** The names of all, in order; a renamed item with its former name. */
  readonly names: readonly string[];
}

export function groupChanges(changes: readonly ItemChange[]): readonly ChangeGroup[] {
  return grouped(changes, ({ type, name, change, effect, alarms, aspects, formerName }) =>
    // Renamed items stay separate: a list of pairs of names is hard to read.
    JSON.stringify([type, change, effect, alarms, aspects, formerName === undefined ? null : name]),
  );
}

/** Changes of one gateway or registry server that have the same alarms. */
export interface AlarmGroup extends ChangeGroup {
  readonly difference: ExposureDifference;
}

export function groupAlarms(
  found: readonly { readonly difference: ExposureDifference; readonly change: ItemChange }[],
): readonly AlarmGroup[] {
  const groups = Map.groupBy(found, ({ difference: { kind, namespace, name }, change }) =>
    JSON.stringify([kind, namespace, name, change.type, change.alarms, alarmAspects(change)]),
  );
  return [...groups.values()].flatMap(([one, ...others]) =>
    one === undefined
      ? []
      : [
          {
            difference: one.difference,
            first: one.change,
            names: [one, ...others].map(({ change }) => change.name),
          },
        ],
  );
}

/** Callers as text, with what they gain and lose. */
export interface CallerGroup {
  readonly who: string;
  readonly gained: string;
  readonly lost: string;
}

/**
 * Puts a condition on the item behind the item, so that the first column is about callers alone. Callers with the same gains and losses share
 * one line.
 */
export function groupCallers(callers: readonly CallerChange[]): readonly CallerGroup[] {
  const byWho = Map.groupBy(callers, ({ who, reading }) => reading?.who ?? who);
  const lines = [...byWho].map(([who, changes]) => ({
    who,
    gained: itemsText(changes.map(({ gained, reading }) => ({ items: gained, which: reading?.which }))),
    lost: itemsText(changes.map(({ lost, reading }) => ({ items: lost, which: reading?.which }))),
  }));
  const equal = Map.groupBy(lines, ({ gained, lost }) => JSON.stringify([gained, lost]));
  return [...equal.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [{ ...first, who: [first, ...others].map(({ who }) => who).join('; or ') }],
  );
}

interface Some {
  readonly items: readonly ReachedItem[];
  /** A condition on the item; undefined for none. */
  readonly which: string | undefined;
}

function itemsText(all: readonly Some[]): string {
  const whole = all.filter(({ which }) => which === undefined).flatMap(({ items }) => items);
  const isWhole = (item: ReachedItem) => whole.some(({ type, name }) => type === item.type && name === item.name);
  const some = all
    .filter(({ which }) => which !== undefined)
    .map(({ items, which = '' }) => ({ what: reachedText(items.filter(item => !isWhole(item))), which }))
    .filter(({ what }) => what !== '');
  const parts = [...Map.groupBy(some, ({ what }) => what)].map(
    ([what, conditions]) => `${what} where ${[...new Set(conditions.map(({ which }) => which))].join(' or ')}`,
  );
  return [...(whole.length === 0 ? [] : [reachedText(whole)]), ...parts].join('; ');
}

function grouped(changes: readonly ItemChange[], keyOf: (change: ItemChange) => string): readonly ChangeGroup[] {
  return [...Map.groupBy(changes, keyOf).values()].flatMap(all => {
    const [first] = all;
    return first === undefined ? [] : [{ first, names: all.map(formatNames) }];
  });
}

export function formatNames({ name, formerName }: Pick<ItemChange, 'name' | 'formerName'>): string {
  return formerName === undefined ? name : `${formerName} → ${name}`;
}
