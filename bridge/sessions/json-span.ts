/** The range of a member in a JSON text. Replacing that range leaves the rest of the text unchanged. */

export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * The range of the value at a path of member names. Of equal names the last one counts, as in `JSON.parse`.
 *
 * @param text valid JSON
 */
export function findSpan(text: string, path: readonly string[]): Span | undefined {
  let span: Span = { start: skipSpace(text, 0), end: text.length };
  for (const name of path) {
    const found = findMemberSpan(text, span.start, name);
    if (found === undefined) return undefined;
    span = found;
  }
  return span;
}

export function replaceSpan(text: string, span: Span, by: string): string {
  return text.slice(0, span.start) + by + text.slice(span.end);
}

function findMemberSpan(text: string, object: number, name: string): Span | undefined {
  if (text[object] !== '{') return undefined;
  let found: Span | undefined;
  let at = skipSpace(text, object + 1);
  while (text[at] === '"') {
    const keyEnd = endOfString(text, at);
    const isMeant = JSON.parse(text.slice(at, keyEnd)) === name;
    const start = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const end = endOfValue(text, start);
    if (isMeant) found = { start, end };
    at = skipSpace(text, end);
    if (text[at] !== ',') break;
    at = skipSpace(text, at + 1);
  }
  return found;
}

function endOfValue(text: string, start: number): number {
  const first = text[start];
  if (first === '"') return endOfString(text, start);
  let at = start;
  if (first !== '{' && first !== '[') {
    while (at < text.length && !/[\s,}\]]/.test(text[at] ?? '')) at += 1;
    return at;
  }
  let depth = 0;
  for (; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at) - 1;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return at;
}

/** The offset after the closing quotation mark. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && /\s/.test(text[at] ?? '')) at += 1;
  return at;
}
