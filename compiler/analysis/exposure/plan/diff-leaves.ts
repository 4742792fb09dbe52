/** Compares two bundles leaf by leaf. */
import { isObject } from '#schemas';
import type { Comparison, LeafChange, Leaves } from './leaf.ts';
import { formatSortedJson } from './sorted-json.ts';

export interface LeafDifference extends LeafChange {
  /** The pattern of the leaf, such as `backends[].url`. */
  readonly pattern: string;
  /** The path of the leaf, such as `backends[github].url`. */
  readonly path: string;
  /** The meaning of the leaf; undefined when no table has one. */
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
  readonly plans: LeafChange['plans'];
}

/** Every leaf that differs, in the order of the bundles. */
export function diffLeaves(before: unknown, after: unknown, leaves: Leaves): readonly LeafDifference[] {
  const found: LeafDifference[] = [];
  const plans = { was: before, is: after };
  compare(before, after, { pattern: '', path: '', holders: plans, plans }, leaves, found);
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
    const comparison = getComparison(pattern, leaves);
    found.push({ ...position, comparison, was, is });
    if ((was ?? null) === null && isQuiet({ ...position, comparison, was, is }))
      addNewMembers(is, position, leaves, found);
    return;
  }
  const variant = DISCRIMINATORS.find(name => typeof was[name] === 'string' && was[name] !== is[name]);
  if (variant !== undefined) {
    const inner = toMemberPosition(position, variant, leaves);
    compare(was[variant], is[variant], { ...inner, holders: { was, is } }, leaves, found);
    return;
  }
  for (const name of new Set([...Object.keys(was), ...Object.keys(is)])) {
    const inner = toMemberPosition(position, name, leaves);
    compare(was[name], is[name], { ...inner, holders: { was, is } }, leaves, found);
  }
}

/**
 * The leaf of a new part describes what the part means for callers. If it has no meaning there, as for new telemetry, the leaves of its members
 * are listed instead: for example the host that now receives data, or the page that is now public.
 */
function addNewMembers(is: unknown, position: LeafPosition, leaves: Leaves, found: LeafDifference[]): void {
  const { pattern, path, plans } = position;
  const holders = { was: undefined, is };
  if (Array.isArray(is) && isList(pattern, leaves))
    for (const [at, item] of is.entries())
      addNew(item, { pattern: `${pattern}[]`, path: `${path}[${findKey(item) ?? at}]`, holders, plans }, leaves, found);
  if (!isObject(is) || isWhole(pattern, leaves)) return;
  for (const [name, member] of Object.entries(is))
    addNew(member, { ...toMemberPosition(position, name, leaves), holders, plans }, leaves, found);
}

/** A missing value, and a list or object without members, are not listed. */
function addNew(is: unknown, position: LeafPosition, leaves: Leaves, found: LeafDifference[]): void {
  if (is === null || is === undefined || (typeof is === 'object' && Object.keys(is).length === 0)) return;
  const comparison = getComparison(position.pattern, leaves);
  const one = { ...position, comparison, was: undefined, is };
  const hasMembers = (isObject(is) || Array.isArray(is)) && isParent(position.pattern, leaves);
  // The leaf of the enclosing part already shows the value, so a leaf without meaning gets no line of its own.
  if (comparison === undefined ? !hasMembers : !isQuiet(one)) found.push(one);
  else if (hasMembers) addNewMembers(is, position, leaves, found);
}

/** Whether a changed leaf changes nothing for any caller or host. Leaves with the meaning `none` are compared elsewhere. */
function isQuiet({ comparison, ...change }: LeafDifference): boolean {
  if (comparison === undefined || comparison.meaning === 'none' || comparison.effect === 'derived') return false;
  return comparison.effect(change) === 'same' && comparison.alarm?.(change) === undefined;
}

function getComparison(pattern: string, leaves: Leaves): Comparison | undefined {
  return Object.hasOwn(leaves, pattern) ? leaves[pattern] : undefined;
}

/** Whether the tables have leaves below a pattern. */
function isParent(pattern: string, leaves: Leaves): boolean {
  return Object.keys(leaves).some(one => one.startsWith(pattern) && /^[.[{]/.test(one.slice(pattern.length)));
}

/** Whether a leaf is compared as one value: the tables list the leaf, and nothing below it. */
function isWhole(pattern: string, leaves: Leaves): boolean {
  return Object.hasOwn(leaves, pattern) && !isParent(pattern, leaves);
}

function isList(pattern: string, leaves: Leaves): boolean {
  return Object.hasOwn(leaves, `${pattern}[]`);
}

function diffItems(
  was: readonly unknown[],
  is: readonly unknown[],
  { pattern, path, holders, plans }: LeafPosition,
  leaves: Leaves,
  found: LeafDifference[],
): void {
  const pairs = pairItems(was, is);
  const inner = (key: string) => ({ pattern: `${pattern}[]`, path: `${path}[${key}]`, holders, plans });
  for (const { key, before, after } of pairs) compare(before, after, inner(key), leaves, found);
  const selectCompared = (side: readonly unknown[], of: 'before' | 'after') =>
    pairs
      .filter(({ before, after }) => before !== undefined && after !== undefined)
      .map(pair => side.indexOf(pair[of]));
  const [old, now] = [selectCompared(was, 'before'), selectCompared(is, 'after')];
  const order = (indexes: readonly number[]) => indexes.toSorted((a, b) => a - b).map(index => indexes.indexOf(index));
  if (isSame(order(old), order(now))) return;
  const list = { pattern: `${pattern}[#]`, path: `${path}[#]`, holders, plans };
  const comparison = leaves[list.pattern];
  found.push({ ...list, comparison, was: was.map(findKey), is: is.map(findKey) });
}

/** Pairs list items by key; the remaining items by position, if both sides have as many. */
function pairItems(was: readonly unknown[], is: readonly unknown[]) {
  const remaining = [...is];
  const pairs = was.map((before, at) => {
    const index = remaining.findIndex(one => findKey(one) === findKey(before));
    return { key: findKey(before) ?? String(at), before, after: index < 0 ? undefined : remaining.splice(index, 1)[0] };
  });
  const alone = pairs.filter(({ after }) => after === undefined);
  if (alone.length === remaining.length) for (const pair of alone) pair.after = remaining.shift();
  return [...pairs, ...remaining.map((after, at) => ({ key: findKey(after) ?? String(at), before: undefined, after }))];
}

function findKey(item: unknown): string | undefined {
  if (!isObject(item)) return undefined;
  const key = KEYS.find(name => item[name] !== undefined && item[name] !== null);
  if (key === undefined) return undefined;
  const value = item[key];
  return typeof value === 'string' ? value : formatSortedJson(value);
}

function toMemberPosition(
  { pattern, path, plans }: LeafPosition,
  name: string,
  leaves: Leaves,
): Pick<LeafPosition, 'path' | 'pattern' | 'plans'> {
  const isDictionary = Object.keys(leaves).some(one => one.startsWith(`${pattern}{}`));
  if (isDictionary) return { pattern: `${pattern}{}`, path: `${path}{${name}}`, plans };
  const join = (parent: string) => (parent === '' ? name : `${parent}.${name}`);
  return { pattern: join(pattern), path: join(path), plans };
}

function isSame(a: unknown, b: unknown): boolean {
  if (a === b || (a ?? null) === (b ?? null)) return true;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((one, at) => isSame(one, b[at]));
  if (!isObject(a) || !isObject(b)) return false;
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every(name => isSame(a[name], b[name]));
}
