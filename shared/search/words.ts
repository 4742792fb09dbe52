import { detachString } from './detach-string.ts';

/**
 * Words that occur in requests and definitions about any subject. Words that may be a tool's subject, such as `table`, `key` or `file`,
 * are not among them: their rarity in the list weights them.
 */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a about all also am an and any are as at be been but by can could do does each for from get got had has have having her him his how i ' +
    'if in into is it its just like may me might more most my need no not of on one only or other our please shall she should so some ' +
    'such than that the their them then there these they this those through to tool tools under up us use used using via want was we were ' +
    'what when where which while who whom whose will with within would you your'
  ).split(' '),
);

const UNSPACED_SCRIPTS =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}';

/** Matches text in scripts without spaces between words. */
const UNSPACED = new RegExp(`^[${UNSPACED_SCRIPTS}]`, 'u');

const WORDS = new RegExp(`[${UNSPACED_SCRIPTS}]+|(?:(?![${UNSPACED_SCRIPTS}])[\\p{L}\\p{M}])+|\\p{N}+`, 'gu');

/** A change of case inside a name: `listOpenPRs` becomes `list`, `Open`, `PRs`, and `HTTPServer` becomes `HTTP`, `Server`. */
const CASE_CHANGE = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;

/** Maximum length of a word: longer runs of letters are data. */
const MAX_WORD_LENGTH = 64;

/** Words whose terms are cached: most definitions use the same few thousand. Words over the length limit are not cached. */
const MAX_KNOWN = 20_000;

const known = new Map<string, readonly string[]>();

/** The terms of a text, in order: lower case, stemmed, without stop words. */
export function extractTerms(text: string): readonly string[] {
  const terms: string[] = [];
  for (const word of text.normalize('NFKC').match(WORDS) ?? []) {
    for (const term of known.get(word) ?? split(word)) terms.push(term);
  }
  return terms;
}

function split(found: string): readonly string[] {
  if (found.length > MAX_WORD_LENGTH) return [];
  const word = detachString(found);
  const terms = listTerms(word);
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(word, terms);
  return terms;
}

function listTerms(word: string): readonly string[] {
  if (UNSPACED.test(word)) return splitPairs(word);
  const parts = word.split(CASE_CHANGE);
  // Splits words in camel case, so that `github` finds `GitHub`, and `issue` finds `createIssue`.
  return (parts.length === 1 ? parts : [...parts, word]).flatMap(toTerms);
}

function toTerms(word: string): string[] {
  const folded = word.toLowerCase();
  return STOP_WORDS.has(folded) ? [] : [stemWord(folded)];
}

/** Splits a word into overlapping pairs of characters, which approximate words without a dictionary. */
function splitPairs(word: string): string[] {
  const characters = [...word];
  return characters.length === 1 ? characters : characters.slice(1).map((second, at) => `${characters[at]}${second}`);
}

/**
 * A word without its inflection: the first step of Porter's algorithm. It maps `issues` to `issue`, and `listing` and `listed` to `list`, but
 * keeps derived words distinct.
 *
 * @see https://tartarus.org/martin/PorterStemmer/def.txt
 */
export function stemWord(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  return withoutE(withoutTense(withoutPlural(word)).replace(/(?<=[aeiouy][a-z]*)y$/, 'i'));
}

function withoutPlural(word: string): string {
  if (word.endsWith('sses')) return word.slice(0, -2);
  if (word.endsWith('ies')) return word.length > 4 ? `${word.slice(0, -3)}y` : word.slice(0, -1);
  if (/(?:[sc]h|x|z)es$/.test(word)) return word.slice(0, -2);
  return word.endsWith('s') && !/(?:ss|us|is)$/.test(word) ? word.slice(0, -1) : word;
}

function withoutTense(word: string): string {
  const [, stem] = /^([a-z]*[aeiouy][a-z]*)(?:ed|ing)$/.exec(word) ?? [];
  if (stem === undefined || stem.length < 3) return word;
  return /([^aeioulsz])\1$/.test(stem) ? stem.slice(0, -1) : stem;
}

/** Makes `create` and `creating`, `files` and `filed` have the same stem. */
function withoutE(word: string): string {
  return word.length > 3 && word.endsWith('e') ? word.slice(0, -1) : word;
}
