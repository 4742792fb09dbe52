/** Longer ones are texts, which are seldom the same. */
const MAX_LENGTH = 64;

/** Most strings that are known at a time. */
const MAX_SHARED = 20_000;

/** Members of which no two objects have the same. */
const UNIQUE: ReadonlySet<string> = new Set(['uid', 'resourceVersion']);

const shared = new Map<string, string>();

/**
 * Makes equal short strings in a value the very same one. Whatever was just parsed has each string again, and of thousands of objects
 * most say the same: half of what their strings take.
 *
 * @param value plain data that no other code holds yet: it is changed in place
 */
export function shareStrings<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  const members = value as { [name: string]: unknown };
  for (const name of Object.keys(members)) {
    const member = members[name];
    // Managed fields consist of names alone.
    if (name === 'fieldsV1') continue;
    if (typeof member === 'object') shareStrings(member);
    else if (typeof member === 'string' && member.length <= MAX_LENGTH && !UNIQUE.has(name))
      members[name] = known(member);
  }
  return value;
}

function known(text: string): string {
  const same = shared.get(text);
  if (same !== undefined) return same;
  if (shared.size === MAX_SHARED) shared.clear();
  shared.set(text, text);
  return text;
}
