/** The character of each escape in double quotes, the same in JSON and YAML. */
const ESCAPES: ReadonlyMap<string, string> = new Map(
  Object.entries({ '"': '"', '\\': '\\', '/': '/', n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' }),
);

/**
 * For a scalar: the source offset of each UTF-16 code unit of its value, and of its end. Undefined for folded texts and other notations in which
 * offsets cannot be determined.
 *
 * @param written the source text of a YAML or JSON scalar, with quotes or block header
 */
export function mapScalarOffsets(written: string, value: string): readonly number[] | undefined {
  if (written.startsWith('|')) return blockOffsets(written, value);
  const quote = /^(["']).*\1$/s.exec(written)?.[1];
  const last = written.length - (quote === undefined ? 0 : 1);
  const offsets: number[] = [];
  let at = quote === undefined ? 0 : 1;
  while (at < last) {
    const [length, meaning] = quote === '"' ? readDoubleQuoted(written, at) : [1, written[at]];
    const isPair = quote === "'" && written.startsWith("''", at);
    if (meaning !== value[offsets.length]) return undefined;
    offsets.push(at);
    at += isPair ? 2 : length;
  }
  return offsets.length === value.length ? [...offsets, at] : undefined;
}

/** One character in double quotes: its source length and its value. */
function readDoubleQuoted(written: string, at: number): [number, string | undefined] {
  if (written[at] !== '\\') return [1, written[at]];
  const hex = /^\\u([0-9a-fA-F]{4})/.exec(written.slice(at, at + 6))?.[1];
  if (hex !== undefined) return [6, String.fromCharCode(Number.parseInt(hex, 16))];
  return [2, ESCAPES.get(written[at + 1] ?? '')];
}

/** A literal block contains its lines verbatim, after the same indentation. */
function blockOffsets(written: string, value: string): readonly number[] | undefined {
  const offsets: number[] = [];
  let start = written.indexOf('\n') + 1;
  if (start === 0) return undefined;
  const lines = value.split('\n');
  let indentation: number | undefined;
  for (const [index, line] of lines.entries()) {
    const isLast = index === lines.length - 1;
    if (isLast && line === '') return [...offsets, Math.min(start, written.length)];
    const end = written.indexOf('\n', start);
    const shown = written.slice(start, end === -1 ? undefined : end).replace(/\r$/, '');
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
