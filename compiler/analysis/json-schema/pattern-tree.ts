/** A regular expression as a tree, as detailed as the ambiguity check needs it. */

export type PatternNode =
  /** One character; `source` is a pattern of its own. */
  | { readonly is: 'character'; readonly source: string }
  | { readonly is: 'sequence' | 'choice'; readonly parts: readonly PatternNode[] }
  | { readonly is: 'repeat'; readonly part: PatternNode; readonly least: number; readonly most: number };

const EMPTY: PatternNode = { is: 'sequence', parts: [] };

/** Maximum nesting of groups. */
const MAX_NESTING = 50;

/** One character of a pattern: an escape, a class, the dot, or a literal. */
const CHARACTER =
  /\\(?:u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|[pP]\{[^}]*\}|.)|\[(?:\\.|[^\]\\])*\]|[\s\S]/uy;
const QUANTIFIER = /(?:([*+?])|\{(\d+)(,(\d*))?\})\??/y;
const GROUP = /\((?:\?(?:<(?![=!])[^>]*>|[a-z]*(?:-[a-z]*)?:|(<?[=!])))?/y;

/**
 * The tree of a valid pattern; undefined for back references, which are not regular, and for groups nested too deeply. Lookarounds are left out,
 * since they consume no character.
 */
export function parsePatternTree(pattern: string): PatternNode | undefined {
  const reader = { pattern, at: 0 };
  try {
    return parseChoice(reader, 0);
  } catch (error) {
    if (error instanceof NotRegular) return undefined;
    throw error;
  }
}

class NotRegular extends Error {}

interface Reader {
  readonly pattern: string;
  at: number;
}

function parseChoice(reader: Reader, nesting: number): PatternNode {
  if (nesting > MAX_NESTING) throw new NotRegular();
  const parts = [parseSequence(reader, nesting)];
  while (reader.pattern[reader.at] === '|') {
    reader.at += 1;
    parts.push(parseSequence(reader, nesting));
  }
  return parts.length === 1 && parts[0] ? parts[0] : { is: 'choice', parts };
}

function parseSequence(reader: Reader, nesting: number): PatternNode {
  const parts: PatternNode[] = [];
  while (reader.at < reader.pattern.length && !'|)'.includes(reader.pattern[reader.at] as string)) {
    parts.push(parseRepetition(reader, parseSingle(reader, nesting)));
  }
  return { is: 'sequence', parts };
}

function parseSingle(reader: Reader, nesting: number): PatternNode {
  const group = take(reader, GROUP);
  if (group !== undefined) {
    const inside = parseChoice(reader, nesting + 1);
    reader.at += 1;
    return group[1] === undefined ? inside : EMPTY;
  }
  const source = take(reader, CHARACTER)?.[0] ?? '';
  if (/^\\[1-9k]/.test(source)) throw new NotRegular();
  return /^(?:[$^]|\\[bB])$/.test(source) ? EMPTY : { is: 'character', source };
}

function parseRepetition(reader: Reader, part: PatternNode): PatternNode {
  const found = take(reader, QUANTIFIER);
  if (found === undefined) return part;
  const [, sign, low, comma, high] = found;
  if (sign !== undefined) {
    return { is: 'repeat', part, least: sign === '+' ? 1 : 0, most: sign === '?' ? 1 : Number.POSITIVE_INFINITY };
  }
  const least = Number(low);
  const most = comma === undefined ? least : high === '' ? Number.POSITIVE_INFINITY : Number(high);
  return { is: 'repeat', part, least, most };
}

function take(reader: Reader, token: RegExp): RegExpExecArray | undefined {
  token.lastIndex = reader.at;
  const found = token.exec(reader.pattern);
  if (found === null) return undefined;
  reader.at += found[0].length;
  return found;
}
