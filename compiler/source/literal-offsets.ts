/** The character of each escape letter in TypeScript; other letters stand for themselves. */
const ESCAPES: ReadonlyMap<string, string> = new Map(
  Object.entries({ n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', v: '\v', 0: '\0' }),
);

/**
 * For a TypeScript string or template: the source offset of each UTF-16 code unit of its value, and of its end. Undefined for other expressions
 * and for templates with substitutions.
 *
 * @param sourceText the source text with quotes
 * @see https://tc39.es/ecma262/#sec-literals-string-literals
 */
export function mapLiteralOffsets(sourceText: string, value: string): readonly number[] | undefined {
  const quote = /^(["'`]).*\1$/s.exec(sourceText)?.[1];
  if (quote === undefined) return undefined;
  const last = sourceText.length - 1;
  const offsets: number[] = [];
  let at = 1;
  while (at < last) {
    const { length, meaning } = readElement(sourceText, at);
    if (!value.startsWith(meaning, offsets.length)) return undefined;
    for (let unit = 0; unit < meaning.length; unit += 1) offsets.push(at);
    at += length;
  }
  return offsets.length === value.length ? [...offsets, last] : undefined;
}

function readElement(sourceText: string, at: number): { readonly length: number; readonly meaning: string } {
  const char = sourceText[at] ?? '';
  // Templates normalize every line break to LF.
  if (char === '\r') return { length: sourceText[at + 1] === '\n' ? 2 : 1, meaning: '\n' };
  if (char !== '\\') return { length: 1, meaning: char };
  const rest = sourceText.slice(at + 1, at + 12);
  const [hex, braced, four, two] = /^(?:u\{([0-9a-fA-F]{1,8})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2}))/.exec(rest) ?? [];
  const point = Number.parseInt(braced ?? four ?? two ?? '', 16);
  if (hex !== undefined && point <= 0x10ffff) return { length: 1 + hex.length, meaning: String.fromCodePoint(point) };
  // A line continuation.
  const lineBreak = /^(?:\r\n|[\n\r\u2028\u2029])/.exec(rest)?.[0];
  if (lineBreak !== undefined) return { length: 1 + lineBreak.length, meaning: '' };
  return { length: 2, meaning: ESCAPES.get(rest[0] ?? '') ?? rest[0] ?? '' };
}
