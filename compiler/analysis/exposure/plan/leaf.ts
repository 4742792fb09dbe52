/**
 * The helpers for tables that assign a meaning to each leaf of a bundle. A leaf is a scalar, a list of scalars, or a value that is compared as a
 * whole. Its pattern is its path: `a.b`, `a[].b` in an item of a list, `a{}` in a dictionary. A part that may be absent is a leaf itself: `a[]`
 * for an item of a list, `a` for an object that may be null or absent. `a[#]` is the order of a list.
 */
import type { Alarm, Effect } from '../difference/difference.ts';

/** What a changed leaf affects. */
export type LeafEffect =
  /** Which callers reach which items. */
  | 'access'
  /** Which credential is sent where, and whose credential it is. */
  | 'credential'
  /** Where requests go. */
  | 'destination'
  /** What is trusted: keys, certificates, addresses. */
  | 'trust'
  /** When and how quickly requests are answered, not whose. */
  | 'availability'
  /** What the audit log records and where, not who calls. */
  | 'audit'
  /** Names and texts for people. */
  | 'presentation'
  /** How the gateway runs in a cluster: images and environment variables of pods can change anything. */
  | 'deployment'
  /** Nothing: the leaf follows from other leaves, or only describes how the bundle was made. */
  | 'none';

/** A leaf with its values; undefined on a side that lacks it. */
export interface LeafChange {
  readonly was: unknown;
  readonly is: unknown;
  /** The objects that contain the leaf, for meanings that depend on sibling members. */
  readonly holders: { readonly was: unknown; readonly is: unknown };
  /** Both plans, for meanings that depend on another part. */
  readonly plans: { readonly was: unknown; readonly is: unknown };
}

export interface Comparison {
  readonly meaning: LeafEffect;
  /** `derived`: the comparison of tools, prompts, resources and routes reports the effect for each class of callers. */
  readonly effect: 'derived' | ((change: LeafChange) => Effect);
  /**
   * How the value appears in exposures. Default: unchanged. A function gives different views of different values; `name`: the name of the
   * member.
   */
  readonly shown?: 'digest' | 'url' | ((value: unknown, name: string) => unknown);
  /** The name of the leaf in a difference, where the path says little to a reader. */
  readonly part?: string;
  /** Why a change of the leaf needs a look first; undefined if it needs none. */
  readonly alarm?: (change: LeafChange) => Alarm | undefined;
}

/** The meaning of each leaf pattern. */
export type Leaves = { readonly [pattern: string]: Comparison };

/** A part of a credential. A change of it is listed first in a difference, or the table says why it need not be. */
export type CredentialLeaf = Comparison &
  ({ readonly alarm: NonNullable<Comparison['alarm']> } | { readonly calm: string });

export type CredentialLeaves = { readonly [pattern: string]: CredentialLeaf };

/** The same leaves under a prefix. */
export function prefixLeaves<T extends Comparison>(
  prefix: string,
  leaves: { readonly [pattern: string]: T },
): { readonly [pattern: string]: T } {
  return Object.fromEntries(Object.entries(leaves).map(([pattern, value]) => [`${prefix}${pattern}`, value]));
}

const compareAlways =
  (meaning: LeafEffect, effect: Effect) =>
  (shown?: Comparison['shown']): Comparison => ({ meaning, effect: () => effect, ...(shown && { shown }) });

export const credential = compareAlways('credential', 'mixed');
export const destination = compareAlways('destination', 'mixed');
export const trust = compareAlways('trust', 'mixed');
export const deployment = compareAlways('deployment', 'mixed');
export const availability = compareAlways('availability', 'same');
export const recorded = compareAlways('audit', 'same');
export const presentation = compareAlways('presentation', 'same');
/** A leaf whose change affects access in a way that cannot be ranked. */
export const access = compareAlways('access', 'mixed');
export const NONE: Comparison = { meaning: 'none', effect: () => 'same' };
export const DERIVED: Comparison = { meaning: 'access', effect: 'derived' };

/** Values from the strictest to the most open. */
export function compareByRank(meaning: LeafEffect, order: readonly unknown[]): Comparison {
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

/** A part that widens access where it exists. The details of the part have leaves of their own. */
export function opens(meaning: LeafEffect, shown?: Comparison['shown']): Comparison {
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

/** A part that narrows access where it exists. The details of the part have leaves of their own. */
export function closes(meaning: LeafEffect): Comparison {
  return {
    meaning,
    effect: ({ was, is }) => {
      const [had, has] = [was ?? null, is ?? null].map(value => value !== null);
      if (had === has) return 'mixed';
      return has ? 'narrower' : 'wider';
    },
  };
}

/** A list in which each item grants something (`offers`) or requires something of callers (`demands`). */
export function compareEach(meaning: LeafEffect, kind: 'offers' | 'demands'): Comparison {
  return {
    meaning,
    effect: ({ was, is }) => {
      const [old, now] = [toList(was), toList(is)];
      const [hasMore, hasLess] = [now.some(value => !old.includes(value)), old.some(value => !now.includes(value))];
      if (hasMore && hasLess) return 'mixed';
      if (!hasMore && !hasLess) return 'same';
      return hasMore === (kind === 'offers') ? 'wider' : 'narrower';
    },
  };
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
