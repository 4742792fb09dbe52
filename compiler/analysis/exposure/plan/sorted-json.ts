import { isObject } from '#schemas';

/** JSON with sorted members; unlike canonical JSON it also accepts invalid Unicode. */
export function formatSortedJson(value: unknown): string {
  return JSON.stringify(value, (_, member) =>
    isObject(member) ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1))) : member,
  );
}
