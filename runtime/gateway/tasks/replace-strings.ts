import { CLOSE_BRACE, COMMA, OPEN_BRACE, QUOTE, skipSpace } from '../../mcp/json/characters.ts';
import { decodeNameAt, decodeString } from '../../mcp/json/member-names.ts';
import { createSyntaxError, skipName, skipValue } from '../../mcp/json/scan-text.ts';

/** Names of members, outermost first. */
export type MemberPath = readonly string[];

/**
 * The text with the strings at some paths replaced. All other text stays unchanged, so that numbers and escapes survive.
 * @param paths the paths; a value there that is not a string stays
 * @param replace returns the new string, or undefined to keep the old one
 * @throws WireError for text that is not JSON
 */
export function replaceStrings(
  text: string,
  paths: readonly MemberPath[],
  replace: (value: string) => string | undefined,
): string {
  let out = '';
  let from = 0;
  visit(text, skipSpace(text, 0), paths, (start, end) => {
    const next = replace(decodeString(text, start, end));
    if (next === undefined) return;
    out += text.slice(from, start) + JSON.stringify(next);
    from = end;
  });
  return out + text.slice(from);
}

/** Goes through the value at `start` and returns where it ends. */
function visit(
  text: string,
  start: number,
  paths: readonly MemberPath[],
  found: (start: number, end: number) => void,
): number {
  const first = text.charCodeAt(start);
  if (first !== OPEN_BRACE) {
    const end = skipValue(text, start, 0);
    if (first === QUOTE && paths.some(path => path.length === 0)) found(start, end);
    return end;
  }
  let at = skipSpace(text, start + 1);
  if (text.charCodeAt(at) === CLOSE_BRACE) return at + 1;
  for (;;) {
    const value = skipName(text, at);
    const name = decodeNameAt(text, at, value);
    const below = paths.filter(path => path[0] === name).map(path => path.slice(1));
    at = skipSpace(text, below.length === 0 ? skipValue(text, value, 0) : visit(text, value, below, found));
    const next = text.charCodeAt(at);
    if (next === CLOSE_BRACE) return at + 1;
    if (next !== COMMA) throw createSyntaxError(at);
    at = skipSpace(text, at + 1);
  }
}
