/** Groups equal changes of several items for text output. The data lists each change by itself. */
import type { Aspect, CallerChange, ExposureDifference, ItemChange, ReachedItem } from '../difference.ts';
import { GROUP_CLAIMS } from '../gateway-changes.ts';
import { formatReached, listAlarmAspects } from './words.ts';

/** Changes that differ only in the name. */
export interface ChangeGroup {
  readonly first: ItemChange;
  /** The names of all items, in order; a renamed item with its former name. */
  readonly names: readonly string[];
}

export function groupChanges(changes: readonly ItemChange[]): readonly ChangeGroup[] {
  return groupChangesBy(changes, ({ type, name, change, effect, alarms, aspects, formerName }) =>
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
    JSON.stringify([kind, namespace, name, change.type, change.alarms, listAlarmAspects(change)]),
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

/** Maximum number of conditions in text for callers with the same gains and losses; the remaining ones are counted. */
const MOST_WHOS = 4;
const GROUP_CLAIM = /\bclaim .+ (?:lists|is there)\b/;

/**
 * Shortens the list of callers for text and Markdown. If groups come from other claims now, every group would be a condition of its own;
 * they are merged into one row. `--format json` and `html` list each of them.
 */
export function shortenCallers({ callers, changes }: ExposureDifference): readonly CallerGroup[] {
  const hasOtherGroups = changes.some(({ aspects }) => aspects.some(({ name }) => name === GROUP_CLAIMS));
  const isFolded = ({ who }: CallerChange) => hasOtherGroups && (who === 'others' || GROUP_CLAIM.test(who));
  const folded = callers.filter(isFolded);
  // Merging a single row would not make the list shorter.
  if (folded.length < 2) return groupCallers(callers, MOST_WHOS);
  const all = (items: (change: CallerChange) => readonly ReachedItem[]) => [
    ...new Map(folded.flatMap(items).map(item => [JSON.stringify([item.type, item.name]), item])).values(),
  ];
  const who = `a caller whose groups come from another claim now (${folded.length} conditions; --format json has each)`;
  const one: CallerChange = { who, gained: all(({ gained }) => gained), lost: all(({ lost }) => lost) };
  return groupCallers([one, ...callers.filter(change => !isFolded(change))], MOST_WHOS);
}

/**
 * Puts a condition on the item behind the item, so that the first column is about callers alone. Callers with the same gains and losses share
 * one line.
 */
export function groupCallers(
  callers: readonly CallerChange[],
  most = Number.POSITIVE_INFINITY,
): readonly CallerGroup[] {
  const byWho = Map.groupBy(callers, ({ who, reading }) => reading?.who ?? who);
  const lines = [...byWho].map(([who, changes]) => ({
    who,
    gained: formatItems(changes.map(({ gained, reading }) => ({ items: gained, which: reading?.which }))),
    lost: formatItems(changes.map(({ lost, reading }) => ({ items: lost, which: reading?.which }))),
  }));
  const equal = Map.groupBy(lines, ({ gained, lost }) => JSON.stringify([gained, lost]));
  return [...equal.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [{ ...first, who: formatCallers([first, ...others], most) }],
  );
}

function formatCallers(groups: readonly CallerGroup[], most: number): string {
  const more = groups.length - most;
  const named = groups
    .slice(0, most)
    .map(({ who }) => who)
    .join('; or ');
  return more > 0 ? `${named}; or ${more} more (--format json has each)` : named;
}

/** Maximum number of alternatives of one detail in text. */
const MOST_WAYS = 2;

/** Shortens a long list of callers of an item. */
export function shortenAspect(aspect: Aspect): Aspect {
  if (aspect.name !== 'open to' && aspect.name !== 'closed to') return aspect;
  const cut = (text: string | null) => {
    const ways = text?.split('; or ') ?? [];
    const more = ways.length - MOST_WAYS;
    return more > 0 ? `${ways.slice(0, MOST_WAYS).join('; or ')}; or ${more} more (--format json has each)` : text;
  };
  return { ...aspect, before: cut(aspect.before), after: cut(aspect.after) };
}

interface Some {
  readonly items: readonly ReachedItem[];
  /** A condition on the item; undefined for none. */
  readonly which: string | undefined;
}

function formatItems(all: readonly Some[]): string {
  const whole = all.filter(({ which }) => which === undefined).flatMap(({ items }) => items);
  const isWhole = (item: ReachedItem) => whole.some(({ type, name }) => type === item.type && name === item.name);
  const some = all
    .filter(({ which }) => which !== undefined)
    .map(({ items, which = '' }) => ({ what: formatReached(items.filter(item => !isWhole(item))), which }))
    .filter(({ what }) => what !== '');
  const parts = [...Map.groupBy(some, ({ what }) => what)].map(
    ([what, conditions]) => `${what} where ${[...new Set(conditions.map(({ which }) => which))].join(' or ')}`,
  );
  return [...(whole.length === 0 ? [] : [formatReached(whole)]), ...parts].join('; ');
}

function groupChangesBy(changes: readonly ItemChange[], keyOf: (change: ItemChange) => string): readonly ChangeGroup[] {
  return [...Map.groupBy(changes, keyOf).values()].flatMap(all => {
    const [first] = all;
    return first === undefined ? [] : [{ first, names: all.map(formatNames) }];
  });
}

export function formatNames({ name, formerName }: Pick<ItemChange, 'name' | 'formerName'>): string {
  return formerName === undefined ? name : `${formerName} → ${name}`;
}
