import { isTuned } from '#shared/util';

const IS_TUNED = isTuned();

/** Maximum length of an interned string: longer ones are rarely equal. */
const MAX_LENGTH = 64;

/** Maximum number of interned strings. */
const MAX_SHARED = 20_000;

/** Members whose values are unique per object. */
const UNIQUE: ReadonlySet<string> = new Set(['uid', 'resourceVersion']);

const shared = new Map<string, string>();

/**
 * Interns the short strings of a value. A parser creates a new string for each occurrence, and thousands of objects mostly contain the same strings:
 * interning halves the memory of strings.
 *
 * @param value plain data to which no other code refers yet: it is changed in place
 */
export function shareStrings<T>(value: T): T {
  if (!IS_TUNED || typeof value !== 'object' || value === null) return value;
  const members = value as { [name: string]: unknown };
  for (const name of Object.keys(members)) {
    const member = members[name];
    // Managed fields consist of the names of members alone, and have no strings to share.
    if (name === 'fieldsV1') continue;
    if (typeof member === 'object') shareStrings(member);
    else if (typeof member === 'string' && member.length <= MAX_LENGTH && !UNIQUE.has(name))
      members[name] = internString(member);
  }
  return value;
}

function internString(text: string): string {
  const same = shared.get(text);
  if (same !== undefined) return same;
  if (shared.size === MAX_SHARED) shared.clear();
  shared.set(text, text);
  return text;
}
