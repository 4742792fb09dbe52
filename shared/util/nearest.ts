/** "Did you mean" suggestions for unknown fields, enum values, references and options. */

/** Maximum length of compared words in characters, because the work grows with the product of the lengths. */
const MAX_WORD = 100;

/**
 * The candidate that `word` was probably meant to be, or `undefined` when none is similar. A candidate that differs only in case wins; otherwise
 * the smallest number of inserted, deleted, replaced or swapped characters, up to a third of the longer word. Ties go to the first candidate.
 */
export function findNearest(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > MAX_WORD) return undefined;
  const lower = word.toLowerCase();
  const same = candidates.find(candidate => candidate.toLowerCase() === lower);
  if (same !== undefined || word.length < 2) return same;
  let best: { readonly candidate: string; readonly distance: number } | undefined;
  for (const candidate of candidates) {
    if (candidate.length > MAX_WORD) continue;
    const limit = Math.min(computeMaxDistance(word, candidate), (best?.distance ?? Number.POSITIVE_INFINITY) - 1);
    if (Math.abs(word.length - candidate.length) > limit) continue;
    const distance = editDistance(lower, candidate.toLowerCase(), limit);
    if (distance <= limit) best = { candidate, distance };
  }
  return best?.candidate;
}

function computeMaxDistance(a: string, b: string): number {
  return Math.max(1, Math.floor(Math.max(a.length, b.length) / 3));
}

interface Word {
  readonly text: string;
  readonly lower: string;
  readonly letters: number;
  readonly index: number;
}

/** Does the same as `findNearest`, among the same candidates for many words. Most candidates are excluded without computing a distance. */
export class NearestWords {
  /** The first candidate for each text in lower case. */
  readonly #same = new Map<string, string>();
  readonly #byLength = new Map<number, Word[]>();

  readonly #most: number;

  /** @param most a candidate may have at most this many edits, even if a third of the longer word is more */
  constructor(candidates: Iterable<string>, most: number = Number.POSITIVE_INFINITY) {
    this.#most = most;
    let index = 0;
    for (const text of new Set(candidates)) {
      const lower = text.toLowerCase();
      if (!this.#same.has(lower)) this.#same.set(lower, text);
      if (text.length > MAX_WORD) continue;
      const word = { text, lower, letters: toLetterSet(lower), index: index++ };
      const known = this.#byLength.get(text.length);
      if (known === undefined) this.#byLength.set(text.length, [word]);
      else known.push(word);
    }
  }

  nearest(word: string): string | undefined {
    if (word.length > MAX_WORD) return undefined;
    const lower = word.toLowerCase();
    const same = this.#same.get(lower);
    if (same !== undefined || word.length < 2) return same;
    const letters = toLetterSet(lower);
    let best: { readonly word: Word; readonly distance: number } | undefined;
    for (const [length, words] of this.#byLength) {
      const most = Math.min(this.#most, Math.max(1, Math.floor(Math.max(word.length, length) / 3)));
      for (const candidate of words) {
        // A candidate at the same distance wins only if it comes first.
        const limit = Math.min(most, best?.distance ?? most);
        if (Math.abs(word.length - length) > limit) break;
        // An edit removes at most one letter from the set, and adds at most one.
        if (countBits(letters ^ candidate.letters) > 2 * limit) continue;
        const distance = editDistance(lower, candidate.lower, limit);
        if (distance > limit || (distance === best?.distance && candidate.index > best.word.index)) continue;
        best = { word: candidate, distance };
      }
    }
    return best?.word.text;
  }
}

/** The letters of a word as bits; several letters may share one. */
function toLetterSet(lower: string): number {
  let letters = 0;
  for (let at = 0; at < lower.length; at += 1) letters |= 1 << (lower.charCodeAt(at) % 32);
  return letters;
}

function countBits(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}

/** Minimum length of an abbreviation: shorter words are the beginning of too many others. */
const LEAST_ABBREVIATION = 3;

/** The only candidate that abbreviates the word, as `env` does `enviroment`, or that the word abbreviates. */
export function findAbbreviation(word: string, candidates: readonly string[]): string | undefined {
  const lower = word.toLowerCase();
  const [one, ...others] = candidates.filter(candidate => {
    const other = candidate.toLowerCase();
    const isLongEnough = Math.min(other.length, lower.length) >= LEAST_ABBREVIATION;
    return isLongEnough && (lower.startsWith(other) || other.startsWith(lower));
  });
  return others.length === 0 ? one : undefined;
}

/** Three rows of the distance table, reused for each pair. One character may become up to three characters in lower case. */
const TABLE = [0, 1, 2].map(() => new Uint16Array(3 * MAX_WORD + 1)) as [Uint16Array, Uint16Array, Uint16Array];

/** A number that is larger than any distance. */
const FAR = 4 * MAX_WORD;

/**
 * Damerau-Levenshtein distance in its restricted form: a transposed pair is not edited again.
 *
 * @param limit for a larger distance, the result is any number above the limit
 */
function editDistance(a: string, b: string, limit: number): number {
  // This check uses the lower-case words: converting a word can change its length.
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let [before, row, next] = TABLE;
  for (let j = 0; j <= b.length; j += 1) row[j] = j;
  for (let i = 1; i <= a.length; i += 1) {
    // Farther from the diagonal every distance is above the limit.
    const from = Math.max(1, i - limit);
    const to = Math.min(b.length, i + limit);
    next[from - 1] = from === 1 ? i : FAR;
    if (to < b.length) next[to + 1] = FAR;
    let least = from === 1 ? i : FAR;
    for (let j = from; j <= to; j += 1) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let cell = Math.min((row[j] as number) + 1, (next[j - 1] as number) + 1, (row[j - 1] as number) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cell = Math.min(cell, (before[j - 2] as number) + 1);
      next[j] = cell;
      least = Math.min(least, cell);
    }
    if (least > limit) return limit + 1;
    [before, row, next] = [row, next, before];
  }
  return row[b.length] as number;
}
