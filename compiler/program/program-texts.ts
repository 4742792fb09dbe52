import { readFileSync } from 'node:fs';
import { isAbsolute, relative, sep } from 'node:path';
import type { SourceLocation } from '../diagnostics/diagnostic.ts';
import { SourceText } from '../source/source-text.ts';

/** The files of a program for findings, read on demand. */
export class ProgramTexts {
  readonly #cwd: string;
  readonly #shownEntry: string;
  readonly #entry: string;
  readonly #texts = new Map<string, SourceText>();

  /**
   * @param entry absolute
   * @param shownEntry as the user wrote it
   */
  constructor(cwd: string, entry: string, shownEntry: string) {
    this.#cwd = cwd;
    this.#entry = entry;
    this.#shownEntry = shownEntry;
  }

  /** The program as the user named it. */
  get shownEntry(): string {
    return this.#shownEntry;
  }

  /** The texts read so far, by displayed name. */
  get texts(): ReadonlyMap<string, SourceText> {
    return new Map([...this.#texts.values()].map(text => [text.file, text]));
  }

  /**
   * The text of a file; empty when unreadable.
   * @param file absolute
   */
  getText(file: string): SourceText {
    const known = this.#texts.get(file);
    if (known !== undefined) return known;
    const text = new SourceText(this.toShownPath(file), readIfThere(file));
    this.#texts.set(file, text);
    return text;
  }

  /** @param file absolute */
  toShownPath(file: string): string {
    if (file === this.#entry) return this.#shownEntry;
    const path = relative(this.#cwd, file);
    return (isAbsolute(this.#shownEntry) ? file : path).replaceAll(sep, '/');
  }

  /**
   * A location for a finding.
   * @param line 1-based
   * @param column 1-based, in UTF-16 code units
   * @param length in UTF-16 code units; default: the word that starts there
   */
  locate(file: string, line: number, column: number, length?: number): SourceLocation {
    const source = this.getText(file);
    const found = source.line(line) ?? { text: '', offset: source.text.length };
    const start = found.offset + Math.min(column - 1, found.text.length);
    const [word = ''] = /^(?:new )?[\p{L}\p{N}_$.]*/u.exec(source.text.slice(start, start + 200)) ?? [];
    return { file: source.file, pointer: '', range: source.range(start, start + (length ?? (word.length || 1))) };
  }

  /** The location of the program as a whole. */
  locateEntry(): SourceLocation {
    const source = this.getText(this.#entry);
    return { file: source.file, pointer: '', range: source.range(0, 0) };
  }
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // The file existed when it was bundled; the finding is more important than its code frame.
    return '';
  }
}
