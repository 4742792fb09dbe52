import { mayHaveTwoReadings } from '../two-readings.ts';
import {
  BACKSLASH,
  COLON,
  type Cursor,
  DASH,
  DOUBLE_QUOTE,
  HASH,
  isBlank,
  NEWLINE,
  SINGLE_QUOTE,
  SPACE,
} from './cursor.ts';

/** Characters that no plain scalar, or only some, can start with: the full reader handles these. */
const NOT_FIRST: ReadonlySet<number> = new Set([...' \n,[]{}#&*!|>\'"%@`?:'].map(char => char.charCodeAt(0)));

/** Escapes with the same meaning in JSON; the full reader handles surrogates. */
const ESCAPED = /^"(?:[^\\]|\\(?:["\\/bfnrt]|u(?![dD][89a-fA-F])[0-9a-fA-F]{4}))*"$/;

const WORDS: ReadonlyMap<string, boolean | null> = new Map<string, boolean | null>([
  ['~', null],
  ['null', null],
  ['Null', null],
  ['NULL', null],
  ['true', true],
  ['True', true],
  ['TRUE', true],
  ['false', false],
  ['False', false],
  ['FALSE', false],
]);

/** Numbers that every reader represents exactly and in the same notation. */
const SURE_NUMBER = /^(?:0|-?[1-9]\d{0,14}|-?\d{1,7}\.\d{1,7})$/;

/** Other numbers of YAML 1.2's core schema. */
const NUMBER =
  /^(?:0o[0-7]+|0x[\da-fA-F]+|[-+]?\d+|[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?|[-+]?\.(?:inf|Inf|INF)|\.nan|\.NaN|\.NAN)$/;

/** First letters of words and numbers, including YAML 1.1's: other texts are plain strings. */
const NOT_JUST_TEXT = /^[-+.\d~nNtTfFyYoO]/;

/** The value of a plain scalar by the core schema. */
export function readPlainValue(cursor: Cursor, text: string): unknown {
  if (!NOT_JUST_TEXT.test(text)) return text;
  const word = WORDS.get(text);
  if (word !== undefined) return word;
  if (SURE_NUMBER.test(text)) return Number(text);
  return NUMBER.test(text) || mayHaveTwoReadings(text) ? cursor.refuse() : text;
}

/** A plain scalar as a key, which is always a string. */
export function readPlainKey(cursor: Cursor, text: string): string {
  return NOT_JUST_TEXT.test(text) && mayHaveTwoReadings(text) ? cursor.refuse() : text;
}

/** The start of a quoted scalar. */
export function isQuote(code: number): boolean {
  return code === DOUBLE_QUOTE || code === SINGLE_QUOTE;
}

/** Whether a plain scalar starts here; a dash counts if no space follows. */
export function startsPlain(cursor: Cursor): boolean {
  const { text, at, code } = cursor;
  if (at >= text.length || NOT_FIRST.has(code)) return false;
  return code !== DASH || !isBlank(text.charCodeAt(at + 1));
}

/**
 * The end of a plain scalar in block style, on this line: before ": ", " #" or the line's end, and trailing spaces.
 * Leaves the cursor there, or after the spaces.
 */
export function scanPlain(cursor: Cursor): number {
  const { text } = cursor;
  let { at } = cursor;
  let end = at;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === NEWLINE) break;
    if (code === SPACE) continue;
    if (code === COLON && isBlank(text.charCodeAt(at + 1))) break;
    if (code === HASH && at > end) break;
    end = at + 1;
  }
  cursor.at = at;
  return end;
}

/** A quoted scalar on one line, at its opening quote. Leaves the cursor after the closing one. */
export function readQuoted(cursor: Cursor): string {
  const { text, at: start } = cursor;
  const value = cursor.code === SINGLE_QUOTE ? readSingleQuoted(cursor) : readDoubleQuoted(cursor);
  cursor.start = start;
  cursor.end = cursor.at;
  return value ?? text.slice(start + 1, cursor.at - 1);
}

/** @returns the value; `undefined` when it equals the text between the quotes */
function readSingleQuoted(cursor: Cursor): string | undefined {
  const { text } = cursor;
  const start = cursor.at + 1;
  let hasQuotes = false;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === NEWLINE) break;
    if (code !== SINGLE_QUOTE) continue;
    if (text.charCodeAt(at + 1) !== SINGLE_QUOTE) {
      cursor.at = at + 1;
      return hasQuotes ? text.slice(start, at).replaceAll("''", "'") : undefined;
    }
    hasQuotes = true;
    at += 1;
  }
  return cursor.refuse();
}

/** @returns the value; `undefined` when it equals the text between the quotes, because there are no escapes */
function readDoubleQuoted(cursor: Cursor): string | undefined {
  const { text, at: opening } = cursor;
  let hasEscapes = false;
  for (let at = opening + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === NEWLINE) break;
    if (code === DOUBLE_QUOTE) {
      cursor.at = at + 1;
      return hasEscapes ? unescapeQuoted(cursor, text.slice(opening, at + 1)) : undefined;
    }
    if (code === BACKSLASH) {
      hasEscapes = true;
      at += 1;
    }
  }
  return cursor.refuse();
}

function unescapeQuoted(cursor: Cursor, quoted: string): string {
  return ESCAPED.test(quoted) ? (JSON.parse(quoted) as string) : cursor.refuse();
}
