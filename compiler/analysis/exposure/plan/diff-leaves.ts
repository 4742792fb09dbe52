/** Compares two bundles leaf by leaf. */
import { isObject } from '#schemas';
import type { Comparison, LeafChange, Leaves } from './leaf.ts';
import { formatSortedJson } from './sorted-json.ts';

export interface LeafDifference extends LeafChange {
  /** Such as `backends[].url`. */
  readonly pattern: string;
  /** Such as `backends[github].url`. */
  readonly path: string;
  /** Undefined when no table assigns the leaf a meaning. */
  readonly comparison: Comparison | undefined;
}

/** Members that discriminate the variants of a union: if they differ, the rest cannot be compared. */
const DISCRIMINATORS = ['type', 'mode', 'engine'] as const;

/** Members that identify a list item; the first one that an item has counts. */
const KEYS = ['name', 'id', 'uid', 'use', 'path', 'value', 'expression'] as const;

interface LeafPosition {
  readonly pattern: string;
  readonly path: string;
  readonly holders: LeafChange['holders'];
}

/** Every leaf that differs, in the order of the bundles. */
export function diffLeaves(before: unknown, after: unknown, leaves: Leaves): readonly LeafDifference[] {
  const found: LeafDifference[] = [];
  compare(before, after, { pattern: '', path: '', holders: { was: before, is: after } }, leaves, found);
  return found;
}

function compare(was: unknown, is: unknown, position: LeafPosition, leaves: Leaves, found: LeafDifference[]): void {
  if (isSame(was, is)) return;
  const { pattern } = position;
  if (Array.isArray(was) && Array.isArray(is) && isList(pattern, leaves)) {
    diffItems(was, is, position, leaves, found);
    return;
  }
  if (!isObject(was) || !isObject(is) || isWhole(pattern, leaves)) {
    const comparison = Object.hasOwn(leaves, pattern) ? leaves[pattern] : undefined;
    found.push({ ...position, comparison, was, is });
    return;
  }
  const variant = DISCRIMINATORS.find(name => typeof was[name] === 'string' && was[name] !== is[name]);
  if (variant !== undefined) {
    compare(was[variant], is[variant], { ...toMemberPosition(position, variant), holders: { was, is } }, leaves, found);
    return;
  }
  const isDictionary = Object.keys(leaves).some(one => one.startsWith(`${pattern}{}`));
  for (const name of new Set([...Object.keys(was), ...Object.keys(is)])) {
    const inner = isDictionary
      ? { pattern: `${pattern}{}`, path: `${position.path}{${name}}` }
      : toMemberPosition(position, name);
    compare(was[name], is[name], { ...inner, holders: { was, is } }, leaves, found);
  }
}

/** A leaf that is compared as one value: the tables list it, and nothing below it. */
function isWhole(pattern: string, leaves: Leaves): boolean {
  return (
    Object.hasOwn(leaves, pattern) &&
    !Object.keys(leaves).some(one => /^[.[{]/.test(one.slice(pattern.length)) && one.startsWith(pattern))
  );
}

function isList(pattern: string, leaves: Leaves): boolean {
  return Object.hasOwn(leaves, `${pattern}[]`);
}

function diffItems(
  was: readonly unknown[],
  is: readonly unknown[],
  { pattern, path, holders }: LeafPosition,
  leaves: Leaves,
  found: LeafDifference[],
): void {
  const pairs = pairItems(was, is);
  const inner = (key: string) => ({ pattern: `${pattern}[]`, path: `${path}[${key}]`, holders });
  for (const { key, before, after } of pairs) compare(before, after, inner(key), leaves, found);
  const kept = (side: readonly unknown[], of: 'before' | 'after') =>
    pairs
      .filter(({ before, after }) => before !== undefined && after !== undefined)
      .map(pair => side.indexOf(pair[of]));
  const [old, now] = [kept(was, 'before'), kept(is, 'after')];
  const order = (indexes: readonly number[]) => indexes.toSorted((a, b) => a - b).map(index => indexes.indexOf(index));
  if (isSame(order(old), order(now))) return;
  const place = { pattern: `${pattern}[#]`, path: `${path}[#]`, holders };
  const comparison = leaves[place.pattern];
  found.push({ ...place, comparison, was: was.map(findKey), is: is.map(findKey) });
}

/** Pairs by key; the remaining items by position, if both sides have as many. */
function pairItems(was: readonly unknown[], is: readonly unknown[]) {
  const left = [...is];
  const pairs = was.map((before, at) => {
    const index = left.findIndex(one => findKey(one) === findKey(before));
    return { key: findKey(before) ?? String(at), before, after: index < 0 ? undefined : left.splice(index, 1)[0] };
  });
  const alone = pairs.filter(({ after }) => after === undefined);
  if (alone.length === left.length) for (const pair of alone) pair.after = left.shift();
  return [...pairs, ...left.map((after, at) => ({ key: findKey(after) ?? String(at), before: undefined, after }))];
}

function findKey(item: unknown): string | undefined {
  if (!isObject(item)) return undefined;
  const key = KEYS.find(name => item[name] !== undefined && item[name] !== null);
  if (key === undefined) return undefined;
  const value = item[key];
  return typeof value === 'string' ? value : formatSortedJson(value);
}

function toMemberPosition({ pattern, path }: LeafPosition, name: string): Pick<LeafPosition, 'path' | 'pattern'> {
  const join = (parent: string) => (parent === '' ? name : `${parent}.${name}`);
  return { pattern: join(pattern), path: join(path) };
}

function isSame(a: unknown, b: unknown): boolean {
  if (a === b || (a ?? null) === (b ?? null)) return true;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((one, at) => isSame(one, b[at]));
  if (!isObject(a) || !isObject(b)) return false;
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every(name => isSame(a[name], b[name]));
}
