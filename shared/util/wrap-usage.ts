import { wrapLines } from './wrap-lines.ts';

/**
 * Minimum number of columns for a description next to its option. With fewer columns, or with a longer word, the description goes below the option.
 */
const LEAST_DESCRIPTION = 24;

/** The indent of a description below its option. */
const BELOW = 6;

/** An option with its description, or a paragraph that belongs to no option. */
interface Part {
  readonly indent: number;
  readonly option?: string;
  words: string;
}

/**
 * The usage text of a program for a terminal. In the text, options have an indent of two, and their descriptions an indent of eight or more;
 * everything else is a paragraph. A text that fits is unchanged.
 *
 * @param columns width of the terminal; undefined or 0 for output that is not a terminal, where the text is unchanged
 */
export function wrapUsage(text: string, columns: number | undefined): string {
  const lines = text.split('\n');
  if (!columns || lines.every(line => line.length <= columns)) return text;
  return readParts(lines)
    .flatMap(part => wrapPart(part, columns))
    .join('\n');
}

function readParts(lines: readonly string[]): readonly Part[] {
  const parts: Part[] = [];
  let column = BELOW;
  for (const line of lines) {
    const indent = line.length - line.trimStart().length;
    const last = parts.at(-1);
    const isContinued = last?.option === undefined ? indent === 0 && isParagraph(last) : indent >= 8;
    if (last !== undefined && line !== '' && isContinued) {
      last.words = `${last.words} ${line.trim()}`.trim();
    } else if (indent === 2) {
      const [, option = '', words = ''] = /^(.+?)(?: {2,}(.*))?$/.exec(line.trim()) ?? [];
      if (words !== '') column = line.length - words.length;
      parts.push({ indent: column, option, words });
    } else parts.push({ indent, words: line.trim() });
  }
  return parts;
}

/** Whether the next line continues this paragraph. Each line of a synopsis, and each heading, stands alone. */
function isParagraph(last: Part | undefined): boolean {
  return last !== undefined && last.words !== '' && !/^Usage:|:$/.test(last.words);
}

function wrapPart({ indent, option, words }: Part, columns: number): readonly string[] {
  if (option === undefined) return wrapLines(words, columns - indent).map(line => ' '.repeat(indent) + line);
  const head = `  ${option}`;
  if (words === '') return [head];
  const room = columns - indent;
  const isNarrow = room < LEAST_DESCRIPTION || words.split(' ').some(word => word.length > room);
  const margin = ' '.repeat(isNarrow ? BELOW : indent);
  const [first = '', ...more] = wrapLines(words, columns - margin.length).map(line => margin + line);
  return isNarrow || head.length + 2 > indent
    ? [head, first, ...more]
    : [head.padEnd(indent) + first.trimStart(), ...more];
}
