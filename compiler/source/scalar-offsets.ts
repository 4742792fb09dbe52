/** The character of each escape in double quotes, the same in JSON and YAML. */
const ESCAPES: ReadonlyMap<string, string> = new Map(
  Object.entries({ '"': '"', '\\': '\\', '/': '/', n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' }),
);

/**
 * For a scalar: the source offset of each UTF-16 code unit of its value, and of its end. Undefined for folded texts and other notations in which
 * offsets cannot be determined.
 *
 * @param sourceText the source text of a YAML or JSON scalar, with quotes or block header
 */
export function mapScalarOffsets(sourceText: string, value: string): readonly number[] | undefined {
  if (sourceText.startsWith('|')) return blockOffsets(sourceText, value);
  const quote = /^(["']).*\1$/s.exec(sourceText)?.[1];
  const last = sourceText.length - (quote === undefined ? 0 : 1);
  const offsets: number[] = [];
  let at = quote === undefined ? 0 : 1;
  while (at < last) {
    const [length, meaning] = quote === '"' ? readDoubleQuoted(sourceText, at) : [1, sourceText[at]];
    const isPair = quote === "'" && sourceText.startsWith("''", at);
    if (meaning !== value[offsets.length]) return undefined;
    offsets.push(at);
    at += isPair ? 2 : length;
  }
  return offsets.length === value.length ? [...offsets, at] : undefined;
}

/** One character in double quotes: its source length and its value. */
function readDoubleQuoted(sourceText: string, at: number): [number, string | undefined] {
  if (sourceText[at] !== '\\') return [1, sourceText[at]];
  const hex = /^\\u([0-9a-fA-F]{4})/.exec(sourceText.slice(at, at + 6))?.[1];
  if (hex !== undefined) return [6, String.fromCharCode(Number.parseInt(hex, 16))];
  return [2, ESCAPES.get(sourceText[at + 1] ?? '')];
}

/** A literal block contains its lines verbatim, after the same indentation. */
function blockOffsets(sourceText: string, value: string): readonly number[] | undefined {
  const offsets: number[] = [];
  let start = sourceText.indexOf('\n') + 1;
  if (start === 0) return undefined;
  const lines = value.split('\n');
  let indentation: number | undefined;
  for (const [index, line] of lines.entries()) {
    const isLast = index === lines.length - 1;
    if (isLast && line === '') return [...offsets, Math.min(start, sourceText.length)];
    const end = sourceText.indexOf('\n', start);
    const shown = sourceText.slice(start, end === -1 ? undefined : end).replace(/\r$/, '');
    if (line !== '') indentation ??= shown.length - line.length;
    const indent = line === '' ? shown.length : (indentation ?? 0);
    if (shown.slice(indent) !== line || indent < 0) return undefined;
    for (let column = 0; column < line.length; column += 1) offsets.push(start + indent + column);
    offsets.push(start + shown.length);
    if (end === -1 && !isLast) return undefined;
    start = end + 1;
  }
  return offsets;
}
