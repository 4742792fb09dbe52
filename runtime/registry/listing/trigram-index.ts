/**
 * Finds the texts that contain a term without reading all texts: for each sequence of three characters, the index has the texts that contain the
 * sequence. A term of one or two characters is the beginning of such sequences. All characters share 64 numbers, so each result has to be verified.
 */

/** Minimum number of texts for an index; fewer texts can be read as fast. */
const MIN_TEXTS = 512;

/** If the index finds more than this share of the texts for a short term, all texts are read in order instead, which soon fills a page. */
const MAX_SHARE = 1 / 8;

const BITS = 6;
const KEYS = 1 << (3 * BITS);

/** Each frequent character of names and descriptions has a number of its own; all others share the remaining numbers. */
const FREQUENT = 'abcdefghijklmnopqrstuvwxyz0123456789 -/._';
const SHARED = (1 << BITS) - FREQUENT.length;
const NUMBERS = Uint8Array.from({ length: 128 }, (_, unit) => {
  const position = FREQUENT.indexOf(String.fromCharCode(unit));
  return position === -1 ? FREQUENT.length + (unit % SHARED) : position;
});

/** The number after the last character, so that the end of a text forms sequences of three, too. */
const END = FREQUENT.indexOf(' ');

/** The indexes of the texts that were found, ascending. */
export interface Matches {
  /** The next matching text; -1 when there are no more. */
  next(): number;
}

export class TrigramIndex {
  readonly #texts: readonly string[];
  /** For each key (a sequence of three numbers), the start of its texts in `#holders`, and at the end their total; undefined for few texts. */
  readonly #offsets: Uint32Array | undefined;
  readonly #holders: Uint32Array = new Uint32Array();

  constructor(texts: readonly string[]) {
    this.#texts = texts;
    if (texts.length < MIN_TEXTS) return;
    const { offsets, holders } = indexHolders(texts);
    this.#holders = holders;
    this.#offsets = offsets;
  }

  /** The texts from index `from` on that contain `term`, which is not empty. */
  find(term: string, from: number): Matches {
    const candidates = this.#offsets === undefined ? undefined : this.#listCandidates(term, this.#offsets);
    return candidates === undefined
      ? new EveryText(this.#texts, term, from)
      : new SomeTexts(this.#texts, term, candidates, lowerBound(candidates, from));
  }

  /** The texts that may contain the term, ascending and without duplicates; undefined if all texts have to be read. */
  #listCandidates(term: string, offsets: Uint32Array): Uint32Array | undefined {
    if (term.length < 3) return this.#listStartingWith(term, offsets);
    let [begin, end] = [0, Number.POSITIVE_INFINITY];
    for (let i = 0; i + 2 < term.length; i++) {
      const key = readKey(term, i);
      const [from, to] = [getAt(offsets, key), getAt(offsets, key + 1)];
      if (to - from < end - begin) [begin, end] = [from, to];
    }
    return this.#holders.subarray(begin, end);
  }

  #listStartingWith(term: string, offsets: Uint32Array): Uint32Array | undefined {
    const [key, keys] =
      term.length === 1
        ? [readNumber(term, 0) << (2 * BITS), 1 << (2 * BITS)]
        : [(readNumber(term, 0) << (2 * BITS)) | (readNumber(term, 1) << BITS), 1 << BITS];
    const [begin, end] = [getAt(offsets, key), getAt(offsets, key + keys)];
    if (end - begin > this.#texts.length * MAX_SHARE) return undefined;
    const sorted = this.#holders.slice(begin, end).sort();
    return sorted.filter((text, index) => index === 0 || text !== sorted[index - 1]);
  }
}

class EveryText implements Matches {
  readonly #texts: readonly string[];
  readonly #term: string;
  #next: number;

  constructor(texts: readonly string[], term: string, from: number) {
    this.#texts = texts;
    this.#term = term;
    this.#next = from;
  }

  next(): number {
    while (this.#next < this.#texts.length) {
      const index = this.#next++;
      if (this.#texts[index]?.includes(this.#term)) return index;
    }
    return -1;
  }
}

class SomeTexts implements Matches {
  readonly #texts: readonly string[];
  readonly #term: string;
  readonly #candidates: Uint32Array;
  #next: number;

  constructor(texts: readonly string[], term: string, candidates: Uint32Array, next: number) {
    this.#texts = texts;
    this.#term = term;
    this.#candidates = candidates;
    this.#next = next;
  }

  next(): number {
    while (this.#next < this.#candidates.length) {
      const index = getAt(this.#candidates, this.#next++);
      if (this.#texts[index]?.includes(this.#term)) return index;
    }
    return -1;
  }
}

/** The texts of each key, each text once, in ascending order. */
function indexHolders(texts: readonly string[]): { readonly offsets: Uint32Array; readonly holders: Uint32Array } {
  /** The keys of all texts one after the other, each key once per text. */
  const keys = new Uint32Array(texts.reduce((sum, text) => sum + text.length, 0));
  /** The end of each text's keys. */
  const ends = new Uint32Array(texts.length);
  const offsets = new Uint32Array(KEYS + 1);
  /** The last text with the key, counted from 1. */
  const last = new Uint32Array(KEYS);
  let count = 0;
  for (let index = 0; index < texts.length; index++) {
    const text = texts[index] ?? '';
    let key = (readNumber(text, 0) << BITS) | readNumber(text, 1);
    for (let i = 0; i < text.length; i++) {
      key = ((key << BITS) | readNumber(text, i + 2)) & (KEYS - 1);
      if (last[key] === index + 1) continue;
      last[key] = index + 1;
      keys[count++] = key;
      offsets[key + 1] = getAt(offsets, key + 1) + 1;
    }
    ends[index] = count;
  }
  for (let key = 0; key < KEYS; key++) offsets[key + 1] = getAt(offsets, key) + getAt(offsets, key + 1);
  const holders = new Uint32Array(count);
  const next = offsets.slice();
  for (let index = 0, i = 0; index < texts.length; index++) {
    for (; i < getAt(ends, index); i++) {
      const key = getAt(keys, i);
      const position = getAt(next, key);
      holders[position] = index;
      next[key] = position + 1;
    }
  }
  return { offsets, holders };
}

function readKey(text: string, i: number): number {
  return (readNumber(text, i) << (2 * BITS)) | (readNumber(text, i + 1) << BITS) | readNumber(text, i + 2);
}

function readNumber(text: string, i: number): number {
  if (i >= text.length) return END;
  const unit = text.charCodeAt(i);
  return NUMBERS[unit] ?? FREQUENT.length + (unit % SHARED);
}

/** An item at an index that is known to exist. */
function getAt(numbers: Uint32Array, position: number): number {
  return numbers[position] ?? 0;
}

function lowerBound(sorted: Uint32Array, least: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (getAt(sorted, middle) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
