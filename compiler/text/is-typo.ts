/** Shorter words differ from too many others by one letter, as `get` and `set` do. */
const LEAST_WORD = 4;
/** In shorter words, another letter often gives another valid word: `close` and `clone`. */
const LEAST_WORD_WITH_ANOTHER_LETTER = 6;

/**
 * Whether one name is most likely a misspelling of the other: they differ only in case and separators, or in one letter within one of the
 * words. Far stricter than `findNearest`, for names where a wrong guess would name another existing object: `get` is not `set`, `user` is
 * not `users`, `v1` is not `v2`.
 */
export function isTypo(typed: string, meant: string): boolean {
  if (typed === meant) return false;
  const [a, b] = [toWords(typed), toWords(meant)];
  if (a.join('') === b.join('')) return true;
  if (a.length !== b.length) return false;
  const apart = a.flatMap((word, at) => (word === b[at] ? [] : [[word, b[at] ?? ''] as const]));
  const [only] = apart;
  return apart.length === 1 && only !== undefined && isSlip(only[0], only[1]);
}

function toWords(name: string): readonly string[] {
  return name
    .replace(/(\p{Ll})(?=\p{Lu})/gu, '$1 ')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(word => word !== '');
}

function isSlip(a: string, b: string): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  // A typing mistake in the first letter is rare, but words that differ only in their first letter are common.
  if (short[0] !== long[0] || /\p{N}/u.test(short + long)) return false;
  let at = 1;
  while (at < short.length && short[at] === long[at]) at += 1;
  if (long.length === short.length + 1) {
    const isPlural = at === short.length && long.endsWith('s');
    return long.length > LEAST_WORD && !isPlural && long.slice(at + 1) === short.slice(at);
  }
  if (long.length !== short.length) return false;
  const isSwapped = short[at] === long[at + 1] && short[at + 1] === long[at];
  if (isSwapped) return short.slice(at + 2) === long.slice(at + 2);
  return long.length >= LEAST_WORD_WITH_ANOTHER_LETTER && short.slice(at + 1) === long.slice(at + 1);
}
