import { KINDS, type OfferedItems } from './offered-items.ts';

/** Items that are nested deeper are always withheld. */
const MAX_DEPTH = 100;

/** Whether two readings of a backend's lists are equal, with the same order. */
export function areListsEqual(a: OfferedItems, b: OfferedItems): boolean {
  return a === b || KINDS.every(({ kind }) => isSame(a[kind], b[kind], MAX_DEPTH));
}

/** The notifications for the lists that differ between two readings. */
export function listChangedMethods(a: OfferedItems, b: OfferedItems): ReadonlySet<string> {
  const changed = KINDS.filter(({ kind }) => !isSame(a[kind], b[kind], MAX_DEPTH));
  return new Set(changed.map(({ changedMethod }) => changedMethod));
}

/** Compares JSON values, which may be nested so deep that `isDeepStrictEqual` overflows the stack. */
function isSame(a: unknown, b: unknown, depth: number): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (depth === 0) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, at) => isSame(item, b[at], depth - 1));
  }
  if (Array.isArray(b)) return false;
  const [names, others] = [Object.keys(a), Object.keys(b)];
  return (
    names.length === others.length && names.every((name, at) => name === others[at] && isMember(a, b, name, depth))
  );
}

function isMember(a: object, b: object, name: string, depth: number): boolean {
  return isSame((a as Record<string, unknown>)[name], (b as Record<string, unknown>)[name], depth - 1);
}
