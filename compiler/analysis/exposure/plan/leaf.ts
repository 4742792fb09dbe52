/**
 * The vocabulary of the tables that claim the leaves of a bundle. A leaf is a scalar, a list of scalars, or a value that is compared as a
 * whole. Its pattern is its path: `a.b`, `a[].b` in an item of a list, `a{}` in a dictionary. Where a part can be there or not, its own
 * path is a leaf too: `a[]` for an item of a list, `a` for an object that may be null or absent. `a[#]` is the order of a list.
 */
import type { Effect } from '../difference/difference.ts';

/** What a change of a leaf is about. */
export type Meaning =
  /** Who reaches what. */
  | 'access'
  /** Which credential goes where, and to whom it belongs. */
  | 'credential'
  /** Where requests go. */
  | 'destination'
  /** What is trusted: keys, certificates, addresses. */
  | 'trust'
  /** When and how quickly it answers; not who gets an answer. */
  | 'availability'
  /** What is written down of calls, and where; not who makes them. */
  | 'audit'
  /** Names and texts for people. */
  | 'presentation'
  /** How the gateway runs in a cluster: images and variables of its pods may be anything. */
  | 'deployment'
  /** Follows of other leaves, or only says what made the bundle. */
  | 'none';

/** A leaf on both sides; undefined where it is absent. */
export interface LeafChange {
  readonly was: unknown;
  readonly is: unknown;
  /** The objects that have the leaf as a member, for what it alone does not say. */
  readonly holders: { readonly was: unknown; readonly is: unknown };
}

export interface Comparison {
  readonly meaning: Meaning;
  /** `derived`: the comparison of tools, prompts, resources and routes reports it for each class of callers. */
  readonly effect: 'derived' | ((change: LeafChange) => Effect);
  /** How the value stands in exposures. Default: as it is. */
  readonly shown?: 'digest' | 'url';
}

/** Patterns and what a change of each means. */
export type Leaves = { readonly [pattern: string]: Comparison };

/** The same leaves at another place. */
export function at<T extends Leaves>(prefix: string, leaves: T): Leaves {
  return Object.fromEntries(Object.entries(leaves).map(([pattern, one]) => [`${prefix}${pattern}`, one]));
}

const constant =
  (meaning: Meaning, effect: Effect) =>
  (shown?: Comparison['shown']): Comparison => ({ meaning, effect: () => effect, ...(shown && { shown }) });

export const credential = constant('credential', 'mixed');
export const destination = constant('destination', 'mixed');
export const trust = constant('trust', 'mixed');
export const deployment = constant('deployment', 'mixed');
export const availability = constant('availability', 'same');
export const recorded = constant('audit', 'same');
export const presentation = constant('presentation', 'same');
/** Access that cannot be ranked. */
export const access = constant('access', 'mixed');
export const NONE: Comparison = { meaning: 'none', effect: () => 'same' };
export const DERIVED: Comparison = { meaning: 'access', effect: 'derived' };

/** More of it lets more in: values from the strictest to the most open. */
export function ranked(meaning: Meaning, order: readonly unknown[]): Comparison {
  return {
    meaning,
    effect: ({ was, is }) => {
      const [from, to] = [order.indexOf(was), order.indexOf(is)];
      if (from < 0 || to < 0) return 'unclassified';
      if (from === to) return 'same';
      return to > from ? 'wider' : 'narrower';
    },
  };
}

/** Something that opens more by being there. What it is like has leaves of its own. */
export function opens(meaning: Meaning, shown?: Comparison['shown']): Comparison {
  return {
    meaning,
    effect: ({ was, is }) => {
      const [had, has] = [was ?? null, is ?? null].map(value => value !== null);
      if (had === has) return 'mixed';
      return has ? 'wider' : 'narrower';
    },
    ...(shown && { shown }),
  };
}

/** A list of which each item opens something (`offers`), or demands something of callers (`demands`). */
export function each(meaning: Meaning, kind: 'offers' | 'demands'): Comparison {
  return {
    meaning,
    effect: ({ was, is }) => {
      const [old, now] = [toList(was), toList(is)];
      const [hasMore, hasLess] = [now.some(one => !old.includes(one)), old.some(one => !now.includes(one))];
      if (hasMore && hasLess) return 'mixed';
      if (!hasMore && !hasLess) return 'same';
      return hasMore === (kind === 'offers') ? 'wider' : 'narrower';
    },
  };
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
