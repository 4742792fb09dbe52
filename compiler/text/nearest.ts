/** "Did you mean" suggestions for unknown fields, enum values and references. */

/** Maximum length of compared words in characters, because the work grows with the product of the lengths. */
const MAX_WORD = 100;

/**
 * The candidate that `word` was probably meant to be, or `undefined` when none is similar. A candidate that differs only in case wins; otherwise
 * the smallest number of inserted, deleted, replaced or swapped characters, up to a third of the longer word. Ties go to the first candidate.
 */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > MAX_WORD) return undefined;
  const lower = word.toLowerCase();
  const same = candidates.find(candidate => candidate.toLowerCase() === lower);
  if (same !== undefined || word.length < 2) return same;
  let best: { readonly candidate: string; readonly distance: number } | undefined;
  for (const candidate of candidates) {
    if (candidate.length > MAX_WORD) continue;
    const threshold = Math.max(1, Math.floor(Math.max(word.length, candidate.length) / 3));
    if (Math.abs(word.length - candidate.length) > threshold) continue;
    const distance = editDistance(lower, candidate.toLowerCase());
    if (distance <= threshold && distance < (best?.distance ?? Number.POSITIVE_INFINITY))
      best = { candidate, distance };
  }
  return best?.candidate;
}

/** Shorter words begin too many others. */
const LEAST_ABBREVIATION = 3;

/** The only candidate that is an abbreviation of the word, as `env` is of `enviroment`, or of which the word is one. */
export function abbreviation(word: string, candidates: readonly string[]): string | undefined {
  const lower = word.toLowerCase();
  const [one, ...others] = candidates.filter(candidate => {
    const other = candidate.toLowerCase();
    const isLongEnough = Math.min(other.length, lower.length) >= LEAST_ABBREVIATION;
    return isLongEnough && (lower.startsWith(other) || other.startsWith(lower));
  });
  return others.length === 0 ? one : undefined;
}

/** Damerau-Levenshtein distance in its restricted form: a transposed pair is not edited again. */
function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  const at = (i: number, j: number): number => rows[i]?.[j] ?? 0;
  for (let i = 1; i <= a.length; i += 1) {
    rows[i] = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let cell = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cell = Math.min(cell, at(i - 2, j - 2) + 1);
      rows[i]?.push(cell);
    }
  }
  return at(a.length, b.length);
}
