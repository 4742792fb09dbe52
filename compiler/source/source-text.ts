import type { Position, Range } from '../diagnostics/diagnostic.ts';

/** Distance between positions on a line whose columns are cached, in UTF-16 code units. */
const STEP = 4096;

/** A file's text, with the mapping from offsets to lines and columns. */
export class SourceText {
  /** The path of the file, as messages show it. */
  readonly file: string;
  /** Without byte order mark. */
  readonly text: string;
  /** Whether there was a byte order mark. */
  readonly startsWithMark: boolean;
  #lineStarts: Uint32Array | undefined;
  /** For long lines: the column at every {@link STEP}th code unit, computed on demand. A line may have megabytes. */
  #columns: Map<number, number[]> | undefined;

  /** @param text - Decoded; one leading U+FEFF is dropped and does not count for positions. */
  constructor(file: string, text: string) {
    this.file = file;
    this.startsWithMark = text.startsWith('\uFEFF');
    this.text = this.startsWithMark ? text.slice(1) : text;
  }

  /** The position of a UTF-16 offset; an offset outside of the text is clamped. */
  position(offset: number): Position {
    const inside = Math.max(0, Math.min(offset, this.text.length));
    const line = this.#findLine(inside);
    const column = this.#getColumn(line, inside);
    return { line: line + 1, column, offset: inside };
  }

  /** The range between two UTF-16 offsets, `end` exclusive. */
  range(start: number, end: number): Range {
    return { start: this.position(start), end: this.position(Math.max(start, end)) };
  }

  /** A line without its line break, and its start offset; `undefined` past the last line. `line` is 1-based. */
  line(line: number): { readonly text: string; readonly offset: number } | undefined {
    const offset = this.#starts[line - 1];
    if (offset === undefined) return undefined;
    const next = this.#starts[line];
    let end = next === undefined ? this.text.length : next - 1;
    if (next !== undefined && end > offset && this.text[end - 1] === '\r') end -= 1;
    return { text: this.text.slice(offset, end), offset };
  }

  #getColumn(line: number, offset: number): number {
    const start = this.#starts[line] ?? 0;
    if (offset - start < STEP) return 1 + this.#countCodePoints(start, offset);
    this.#columns ??= new Map();
    const columns = this.#columns.get(line) ?? [1];
    this.#columns.set(line, columns);
    const index = Math.floor((offset - start) / STEP);
    for (let last = columns.length - 1; last < index; last += 1) {
      columns.push((columns[last] ?? 1) + this.#countCodePoints(start + last * STEP, start + (last + 1) * STEP));
    }
    return (columns[index] ?? 1) + this.#countCodePoints(start + index * STEP, offset);
  }

  /** Number of code points between two offsets. */
  #countCodePoints(from: number, to: number): number {
    let count = 0;
    for (let at = from; at < to; at += 1) {
      const isSecondHalf = (this.text.charCodeAt(at) & 0xfc00) === 0xdc00;
      if (!isSecondHalf || (this.text.charCodeAt(at - 1) & 0xfc00) !== 0xd800) count += 1;
    }
    return count;
  }

  get #starts(): Uint32Array {
    if (this.#lineStarts) return this.#lineStarts;
    const starts = [0];
    for (let at = this.text.indexOf('\n'); at !== -1; at = this.text.indexOf('\n', at + 1)) starts.push(at + 1);
    this.#lineStarts = new Uint32Array(starts);
    return this.#lineStarts;
  }

  /** 0-based. */
  #findLine(offset: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
