import { isObject } from '#schemas';

/** JSON text with the members of objects in one order; unlike canonical JSON of any text, also of one that is no valid Unicode. */
export function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, member) =>
    isObject(member) ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1))) : member,
  );
}
